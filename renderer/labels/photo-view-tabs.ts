import type { PhotoPlacesQuery } from '../../shared/views.ts'

/** Views of a project or checklist: its checklists or photos, where and when the photos were taken, and packets. */
export type PhotoTab = 'list' | 'map' | 'timeline' | 'packet'

/** Returns the breadcrumbs of these views: the list of projects, and of a checklist its project. */
export function photoViewTrail({ projectId, checklistId }: PhotoPlacesQuery, projectName = 'Project') {
  const projects = { label: 'Projects', to: '/projects' }
  const project = { label: projectName, to: `/projects/${encodeURIComponent(projectId)}` }
  return checklistId === undefined ? [projects] : [projects, project]
}

/** Returns the tabs of these views, with `current` chosen. */
export function photoViewTabs({ projectId, checklistId }: PhotoPlacesQuery, current: PhotoTab) {
  const project = `/projects/${encodeURIComponent(projectId)}`
  const base = checklistId === undefined ? project : `${project}/checklists/${encodeURIComponent(checklistId)}`
  return [
    { to: base, label: checklistId === undefined ? 'Checklists' : 'Photos and report', isCurrent: current === 'list' },
    { to: `${base}/map`, label: 'Map', isCurrent: current === 'map' },
    { to: `${base}/timeline`, label: 'Timeline', isCurrent: current === 'timeline' },
    { to: `${base}/packet`, label: 'Packet', isCurrent: current === 'packet' },
  ]
}
