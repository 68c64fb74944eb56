import { createRouter, createWebHashHistory } from 'vue-router'
import OverviewView from './features/overview/OverviewView.vue'

const checklistView = () => import('./features/checklist/ChecklistView.vue')
const packetView = () => import('./features/packets/PacketView.vue')
const photoPlacesView = () => import('./features/map/PhotoPlacesView.vue')

/** A project's checklist is probably opened next: its view is loaded once the project is on screen. */
const loadAheadMs = 1_000

/**
 * Uses the URL's hash: paths are the same over HTTP and in the installed app, and project IDs never reach a server's
 * log. All views but the first are loaded when opened.
 */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', component: OverviewView },
    { path: '/search', name: 'search', component: () => import('./features/search/SearchView.vue') },
    { path: '/projects', component: () => import('./features/projects/ProjectsView.vue') },
    {
      path: '/projects/:projectId',
      name: 'project',
      component: () => import('./features/projects/ProjectView.vue'),
      props: true,
    },
    { path: '/projects/:projectId/checklists/:checklistId', name: 'checklist', component: checklistView, props: true },
    { path: '/projects/:projectId/:view(map|timeline)', component: photoPlacesView, props: true },
    {
      path: '/projects/:projectId/checklists/:checklistId/:view(map|timeline)',
      component: photoPlacesView,
      props: true,
    },
    { path: '/projects/:projectId/packet', component: packetView, props: true },
    { path: '/projects/:projectId/checklists/:checklistId/packet', component: packetView, props: true },
    {
      path: '/packets/templates',
      name: 'packet-templates',
      component: () => import('./features/packets/PacketTemplatesView.vue'),
    },
    {
      path: '/packets/templates/:templateId',
      name: 'packet-template',
      component: () => import('./features/packets/TemplateEditView.vue'),
      props: true,
    },
    { path: '/orders/new', component: () => import('./features/orders/form/NewOrderView.vue') },
    {
      path: '/orders/:orderId(\\d+)/edit',
      name: 'edit-order',
      component: () => import('./features/orders/form/OrderFormView.vue'),
      props: true,
    },
    { path: '/attention', component: () => import('./features/attention/AttentionView.vue') },
    { path: '/verify', component: () => import('./features/verify/VerifyView.vue') },
    { path: '/orders', component: () => import('./features/orders/OrdersView.vue') },
    { path: '/orders/lists', component: () => import('./features/orders/lists/OrderListsView.vue') },
    { path: '/orders/lists/new', component: () => import('./features/orders/lists/NewOrderListView.vue') },
    {
      path: '/orders/lists/:batchId(\\d+)',
      component: () => import('./features/orders/lists/OrderListView.vue'),
      props: true,
    },
    { path: '/orders/presets', component: () => import('./features/orders/presets/OrderPresetsView.vue') },
    {
      path: '/orders/:orderId(\\d+)',
      name: 'order',
      component: () => import('./features/orders/OrderView.vue'),
      props: true,
    },
    { path: '/activity', component: () => import('./features/activity/ActivityView.vue') },
    { path: '/settings', name: 'settings', component: () => import('./features/settings/SettingsView.vue') },
    {
      path: '/settings/deliveries',
      name: 'deliveries',
      component: () => import('./features/settings/DeliveriesView.vue'),
    },
    { path: '/set-up', component: () => import('./features/setup/SetupView.vue') },
    { path: '/:rest(.*)', redirect: '/' },
  ],
})

router.afterEach(({ name }) => {
  // A failure is reported when the view is opened.
  if (name === 'project') window.setTimeout(() => void checklistView().catch(() => undefined), loadAheadMs)
})
