/** Names of the API's calls and of the kinds of files, for faults and the request log. */
export const routeNames = [
  'checklists',
  'checklist',
  'media',
  'serviceRequests',
  'projects',
  'project',
  'modules',
  'report',
  'photo',
  'thumbnail',
  'unknown',
] as const
export type RouteName = (typeof routeNames)[number]

/** The two servers: the API's and the file host's. */
export type Origin = 'api' | 'files'

export interface RouteMatch {
  readonly route: RouteName
  /** Ids from the path, decoded, in their order. */
  readonly ids: readonly string[]
}

const id = '([^/]+)'
const patterns: readonly (readonly [Origin, RouteName, RegExp])[] = [
  ['api', 'checklists', new RegExp(`^/api/v1/checklist/${id}$`)],
  ['api', 'checklist', new RegExp(`^/api/v1/checklist/${id}/${id}$`)],
  ['api', 'media', new RegExp(`^/api/v1/media/${id}/${id}$`)],
  ['api', 'serviceRequests', /^\/api\/v1\/serviceRequests$/],
  ['api', 'serviceRequests', new RegExp(`^/api/v1/serviceRequests/project/${id}$`)],
  ['api', 'projects', /^\/api\/v1\/projects$/],
  ['api', 'project', new RegExp(`^/api/v1/projects/${id}$`)],
  ['api', 'modules', new RegExp(`^/api/v1/module-library/(?:combined/)?${id}$`)],
  ['files', 'report', new RegExp(`^/reports/${id}/${id}\\.pdf$`)],
  ['files', 'photo', new RegExp(`^/photos/${id}/${id}/${id}\\.jpg$`)],
  ['files', 'thumbnail', new RegExp(`^/thumbnails/${id}/${id}/${id}\\.jpg$`)],
]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the route of a path, `unknown` if there is none. */
export function matchRoute(origin: Origin, path: string): RouteMatch {
  for (const [host, route, pattern] of patterns) {
    const match = host === origin ? pattern.exec(path) : null
    if (match) return { route, ids: match.slice(1).map(decoded) }
  }
  return { route: 'unknown', ids: [] }
}
