import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { router } from './router.ts'
import { ignoreClicksOnSuccessors } from './ui/double-clicks.ts'
import { followRightClicks, nativeMenuKey, type PopupMenu } from './ui/row-menus.ts'
import { followPageCommands } from './ui/page-commands.ts'
import { returnFocus } from './ui/return-focus.ts'
import { showHowToOpen } from './transport/browser-session.ts'
import { openHttpTransport } from './transport/http-transport.ts'
import { createIpcTransport, findBridge } from './transport/ipc-transport.ts'
import { type Client, createClient, type Transport, clientKey } from './transport/transport.ts'

/**
 * Sets `--scrollbar-width` to what `scrollbar-gutter: stable` reserves, in pixels; 0 if scrollbars overlay the content.
 */
function publishScrollbarWidth(): void {
  const probe = document.createElement('div')
  probe.className = 'invisible fixed w-12 overflow-y-auto [scrollbar-gutter:stable]'
  document.body.append(probe)
  const width = probe.offsetWidth - probe.clientWidth
  probe.remove()
  document.documentElement.style.setProperty('--scrollbar-width', `${width}px`)
}

publishScrollbarWidth()
// Zooming the page changes the width of a scrollbar, and also resizes the window.
addEventListener('resize', publishScrollbarWidth)

function mountApp(transport: Transport, isInWindow: boolean): void {
  const client = createClient(transport)
  const app = createApp(App).provide(clientKey, client).use(createPinia()).use(router).use(ui)
  if (isInWindow) app.provide(nativeMenuKey, (menu) => showNativeMenu(client, menu))
  app.mount('#app')
}

/** A menu that cannot be shown is like one that was closed without a choice. */
async function showNativeMenu(client: Client, { groups, ...point }: PopupMenu): Promise<number | null> {
  const menu = { ...point, groups: groups.map((items) => [...items]) }
  const { chosen } = await client.call('menu.show', menu).catch(() => ({ chosen: null }))
  return chosen
}

followRightClicks()
ignoreClicksOnSuccessors()
returnFocus()
followPageCommands(router)

const bridge = findBridge()
const transport = bridge === undefined ? await openHttpTransport() : createIpcTransport(bridge)
if (transport === undefined) showHowToOpen()
else mountApp(transport, bridge !== undefined)
