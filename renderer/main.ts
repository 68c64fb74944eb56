import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { clientKey } from './composables/use-client.ts'
import { router } from './router.ts'
import { tellScrollbarWidth } from './scrollbar-width.ts'
import './style.css'
import { createHttpTransport } from './transport/http-transport.ts'
import { createClient } from './transport/transport.ts'

tellScrollbarWidth()

createApp(App)
  .provide(clientKey, createClient(createHttpTransport()))
  .use(createPinia())
  .use(router)
  .use(ui)
  .mount('#app')
