import { createRouter, createWebHashHistory, type RouteComponent, type RouteRecordRaw } from 'vue-router'
import OverviewView from './features/overview/OverviewView.vue'

const checklistView = () => import('./features/checklist/ChecklistView.vue')
const packetView = () => import('./features/packets/PacketView.vue')
const photoPlacesView = () => import('./features/map/PhotoPlacesView.vue')

/** A project's checklist is probably opened next: its view is loaded once the project is on screen. */
const loadAheadMs = 1_000

declare module 'vue-router' {
  interface RouteMeta {
    /** For the title of the window, which a browser's history keeps: no names of customers. */
    readonly title?: string
  }
}

const view = (
  path: string,
  title: string,
  component: RouteComponent | (() => Promise<RouteComponent>),
  name?: string,
): RouteRecordRaw => ({ path, component, props: true, meta: { title }, ...(name !== undefined && { name }) })

/**
 * Uses the URL's hash: paths are the same over HTTP and in the installed app, and project IDs never reach a server's
 * log. All views but the first are loaded when opened.
 */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    view('/', 'Overview', OverviewView),
    view('/search', 'Search', () => import('./features/search/SearchView.vue'), 'search'),
    view('/projects', 'Projects', () => import('./features/projects/ProjectsView.vue')),
    view('/projects/:projectId', 'Project', () => import('./features/projects/ProjectView.vue'), 'project'),
    view('/projects/:projectId/checklists/:checklistId', 'Checklist', checklistView, 'checklist'),
    view('/projects/:projectId/:view(map|timeline)', 'Photos of a project', photoPlacesView),
    view('/projects/:projectId/checklists/:checklistId/:view(map|timeline)', 'Photos of a checklist', photoPlacesView),
    view('/projects/:projectId/packet', 'Packet', packetView),
    view('/projects/:projectId/checklists/:checklistId/packet', 'Packet', packetView),
    view(
      '/packets/templates',
      'Packet templates',
      () => import('./features/packets/PacketTemplatesView.vue'),
      'packet-templates',
    ),
    view(
      '/packets/templates/:templateId',
      'Packet template',
      () => import('./features/packets/TemplateEditView.vue'),
      'packet-template',
    ),
    view('/orders/new', 'New order', () => import('./features/orders/form/NewOrderView.vue')),
    view(
      '/orders/:orderId(\\d+)/edit',
      'Order draft',
      () => import('./features/orders/form/OrderFormView.vue'),
      'edit-order',
    ),
    view('/attention', 'Attention', () => import('./features/attention/AttentionView.vue')),
    view('/verify', 'Verify', () => import('./features/verify/VerifyView.vue')),
    view('/orders', 'Orders', () => import('./features/orders/OrdersView.vue')),
    view('/orders/lists', 'Order lists', () => import('./features/orders/lists/OrderListsView.vue')),
    view('/orders/lists/new', 'Order from a list', () => import('./features/orders/lists/NewOrderListView.vue')),
    view('/orders/lists/:batchId(\\d+)', 'Order list', () => import('./features/orders/lists/OrderListView.vue')),
    view('/orders/presets', 'Order presets', () => import('./features/orders/presets/OrderPresetsView.vue')),
    view('/orders/:orderId(\\d+)', 'Order', () => import('./features/orders/OrderView.vue'), 'order'),
    view('/activity', 'Activity', () => import('./features/activity/ActivityView.vue')),
    view('/settings', 'Settings', () => import('./features/settings/SettingsView.vue'), 'settings'),
    view(
      '/settings/deliveries',
      'Hook deliveries',
      () => import('./features/settings/DeliveriesView.vue'),
      'deliveries',
    ),
    view('/set-up', 'Setup', () => import('./features/setup/SetupView.vue')),
    { path: '/:rest(.*)', redirect: '/' },
  ],
})

router.afterEach(({ name }) => {
  // A failure is reported when the view is opened.
  if (name === 'project') window.setTimeout(() => void checklistView().catch(() => undefined), loadAheadMs)
})
