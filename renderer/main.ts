import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { clientKey } from './transport/use-client.ts'
import { router } from './router.ts'
import { tellScrollbarWidth } from './theme/scrollbar-width.ts'
import './theme/style.css'
import { createHttpTransport } from './transport/http-transport.ts'
import { createIpcTransport, findBridge } from './transport/ipc-transport.ts'
import { createClient } from './transport/transport.ts'

tellScrollbarWidth()
const bridge = findBridge()

createApp(App)
  .provide(clientKey, createClient(bridge ? createIpcTransport(bridge) : createHttpTransport()))
  .use(createPinia())
  .use(router)
  .use(ui)
  .mount('#app')
