import { parseArgs } from 'node:util'
import type { Fault, FaultRule } from './http/faults.ts'
import { defaultShapes, type ShapeOptions, shapePresets } from './http/response-shapes.ts'
import { routeNames } from './http/routes.ts'
import type { SampleServiceOptions } from './options.ts'
import { checklistStatuses } from './site/site-types.ts'

const faultKinds: readonly Fault['kind'][] = [
  'latency',
  'status',
  'html',
  'body',
  'contentType',
  'redirect',
  'reset',
  'truncate',
  'endless',
  'trickle',
  'hang',
]

const routes = [...routeNames, 'api', 'files'] as const

/** Help text of the command line. */
export const usage = `Usage: npm run sample-service -- [options]

  --port N, --files-port N   ports on 127.0.0.1 (any free ones)
  --seed TEXT                another sample
  --token TEXT               the access token
  --projects N               3
  --checklists N             checklists of each project, 4
  --questions N              photo questions of each checklist
  --photos N                 photos of each question
  --photo-bytes N            photos of exactly this size
  --report-bytes N           reports of exactly this size
  --status NAME              repeatable: assigned to the checklists in turn
  --link-lifetime-ms N       how long file links work, 24 hours
  --life-speed N             steps a minute toward completion, 0
  --calls-per-minute N       calls in any minute before 429, no limit
  --shape NAME               ${Object.keys(shapePresets).join(', ')}; or field=value; repeatable
  --fault ROUTE:KIND[,name=value]...
                             for example photo:status,status=503,count=2; repeatable
    ROUTE                    ${routes.filter((name) => name !== 'unknown').join(', ')}
                             (api and files: all of the one or the other)
    KIND                     ${faultKinds.slice(0, 7).join(', ')},
                             ${faultKinds.slice(7).join(', ')}
    name=value               of every kind: count (requests it hits), skip (requests before), method, delayMs;
                             of status, html, body, redirect: status; of status: retryAfter, message;
                             of body: body; of body, contentType: contentType; of redirect: to; of reset: afterBytes;
                             of truncate: framing (contentLength, chunked, close), keepBytes; of trickle: bytesPerSecond
  --json                     print the address, token and project ids as one line of JSON
  --help
`

export interface CommandLine {
  readonly options: SampleServiceOptions
  readonly faults: readonly FaultRule[]
  readonly json: boolean
  readonly help: boolean
}

function numberOf(name: string, value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) throw new RangeError(`--${name} needs a number, not ${value}`)
  return number
}

function shapesOf(values: readonly string[]): Partial<ShapeOptions> {
  const shapes: Record<string, string> = {}
  for (const value of values) {
    const [field = '', chosen] = value.split('=')
    if (chosen !== undefined && Object.hasOwn(defaultShapes, field)) shapes[field] = chosen
    else if (chosen === undefined && Object.hasOwn(shapePresets, field)) {
      Object.assign(shapes, shapePresets[field as keyof typeof shapePresets])
    } else throw new RangeError(`There is no shape ${value}`)
  }
  return shapes
}

/** `route:kind,name=value,...`; `count`, `skip` and `method` belong to the rule, the other names to the fault. */
function faultOf(value: string): FaultRule {
  const colon = value.indexOf(':')
  const route = routes.find((name) => name === value.slice(0, colon))
  const [kind, ...settings] = value.slice(colon + 1).split(',')
  const known = faultKinds.find((name) => name === kind)
  if (!route || !known)
    throw new RangeError(`--fault needs ROUTE:KIND with a known route and kind, see --help, not ${value}`)
  const fields = settings.map((setting) => {
    const [name = '', ...rest] = setting.split('=')
    const text = rest.join('=')
    return [name, text !== '' && Number.isFinite(Number(text)) ? Number(text) : text] as const
  })
  const ofRule = ['count', 'skip', 'method']
  return {
    ...Object.fromEntries(fields.filter(([name]) => ofRule.includes(name))),
    route,
    fault: { kind: known, ...Object.fromEntries(fields.filter(([name]) => !ofRule.includes(name))) } as Fault,
  }
}

/** Numbers of the command line, by the options of the service that they set. */
const numbers = {
  port: 'port',
  'files-port': 'filesPort',
  projects: 'projects',
  checklists: 'checklistsPerProject',
  questions: 'photoQuestionsPerChecklist',
  photos: 'photosPerQuestion',
  'photo-bytes': 'photoBytes',
  'report-bytes': 'reportBytes',
  'link-lifetime-ms': 'linkLifetimeMs',
  'life-speed': 'lifeSpeed',
  'calls-per-minute': 'callsPerMinute',
} as const

/** Reads the arguments. Throws a TypeError or RangeError that says what is wrong with them. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const text = { type: 'string' } as const
  const many = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean' } as const
  const numberOptions = Object.fromEntries(Object.keys(numbers).map((name) => [name, text])) as Record<
    keyof typeof numbers,
    typeof text
  >
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...numberOptions,
      seed: text,
      token: text,
      status: many,
      shape: many,
      fault: many,
      json: flag,
      help: flag,
    },
  })
  const options: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(numbers)) {
    const value = values[name as keyof typeof numbers]
    if (value !== undefined) options[option] = numberOf(name, value)
  }
  if (values.seed !== undefined) options['seed'] = values.seed
  if (values.token !== undefined) options['token'] = values.token
  if (values.shape) options['shapes'] = shapesOf(values.shape)
  if (values.status) {
    options['statuses'] = values.status.map((name) => {
      const status = checklistStatuses.find((known) => known === name)
      if (!status) throw new RangeError(`--status must be one of ${checklistStatuses.join(', ')}`)
      return status
    })
  }
  return {
    options,
    faults: (values.fault ?? []).map(faultOf),
    json: values.json ?? false,
    help: values.help ?? false,
  }
}
