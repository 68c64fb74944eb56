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
    { path: '/attention', name: 'attention', component: () => import('./views/AttentionView.vue') },
    { path: '/verify', name: 'verify', component: () => import('./views/VerifyView.vue') },
    { path: '/activity', name: 'activity', component: () => import('./views/ActivityView.vue') },
    { path: '/settings', name: 'settings', component: () => import('./views/SettingsView.vue') },
    { path: '/set-up', name: 'set-up', component: () => import('./views/SetUpView.vue') },
    { path: '/:rest(.*)', redirect: '/' },
  ],
})
