import { onTestFinished } from 'vitest'
import type { SampleServiceOptions } from '../../electron/sample-service/options.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'

/** Starts a service that is closed at the end of the test. */
export async function serviceForTest(options: SampleServiceOptions = {}): Promise<SampleService> {
  const service = await startSampleService(options)
  onTestFinished(() => service.close())
  return service
}

/** Small cheap files, for tests that do not need real pictures. */
export const cheapFiles = { photoBytes: 6000, reportBytes: 6000 } as const

/** Calls the API with the token in the query. */
export function call(service: SampleService, path: string, init?: RequestInit): Promise<Response> {
  const url = new URL(`/api/v1/${path}`, service.url)
  url.searchParams.set('access_token', service.token)
  return fetch(url, init)
}

/** Returns the JSON of a call that must succeed. */
export async function read<T>(service: SampleService, path: string): Promise<T> {
  const response = await call(service, path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()) as T
}

export interface MediaRecord {
  readonly id: string
  readonly clientRefId: string
  readonly filename: string
  readonly imgUrl: string
  readonly thumbnailUrl: string
  readonly geolocation: { readonly lat: number; readonly lng: number }
}

/** Returns the first element, which must exist. */
export function first<T>(list: readonly T[]): T {
  const [element] = list
  if (element === undefined) throw new Error('The list is empty')
  return element
}

/** Returns the media records of the first photo question of the first checklist of the first project. */
export async function firstMedia(service: SampleService): Promise<readonly MediaRecord[]> {
  const project = first(service.projects)
  const questions = first(project.checklists).sections.flatMap((section) => section.questions)
  const category = questions.find(({ mediaCategoryId }) => mediaCategoryId !== null)?.mediaCategoryId
  return read(service, `media/${project.id}/${category}`)
}
