import { createRouter, createWebHashHistory } from 'vue-router'
import OverviewView from './views/OverviewView.vue'

/**
 * Addresses stand behind the `#`: they are the same under http and in the installed app, and ids of projects never reach a
 * server's log. Views other than the first load when they are opened.
 */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', name: 'overview', component: OverviewView },
    { path: '/projects', name: 'projects', component: () => import('./views/ProjectsView.vue') },
    {
      path: '/projects/:projectId',
      name: 'project',
      component: () => import('./views/ProjectView.vue'),
      props: true,
    },
    {
      path: '/projects/:projectId/checklists/:checklistId',
      name: 'checklist',
      component: () => import('./views/ChecklistView.vue'),
      props: true,
    },
    { path: '/orders/new', name: 'new-order', component: () => import('./views/NewOrderView.vue') },
    {
      path: '/orders/:orderId(\\d+)/edit',
      name: 'edit-order',
      component: () => import('./views/OrderFormView.vue'),
      props: true,
    },
    { path: '/attention', name: 'attention', component: () => import('./views/AttentionView.vue') },
    { path: '/verify', name: 'verify', component: () => import('./views/VerifyView.vue') },
    { path: '/orders', name: 'orders', component: () => import('./views/OrdersView.vue') },
    { path: '/orders/lists', name: 'order-lists', component: () => import('./views/OrderListsView.vue') },
    { path: '/orders/lists/new', name: 'new-order-list', component: () => import('./views/NewOrderListView.vue') },
    {
      path: '/orders/lists/:batchId(\\d+)',
      name: 'order-list',
      component: () => import('./views/OrderListView.vue'),
      props: true,
    },
    { path: '/orders/presets', name: 'order-presets', component: () => import('./views/OrderPresetsView.vue') },
    {
      path: '/orders/:orderId(\\d+)',
      name: 'order',
      component: () => import('./views/OrderView.vue'),
      props: true,
    },
    { path: '/activity', name: 'activity', component: () => import('./views/ActivityView.vue') },
    { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue') },
    { path: '/set-up', name: 'set-up', component: () => import('./views/SetUpView.vue') },
    { path: '/:rest(.*)', redirect: '/' },
  ],
})
