import type { SetbackName } from '../../../../shared/order/order-fields.ts'

/**
 * The roof in the drawing, from above, north up: a main roof with hips in the west and a gable in the east, and a wing
 * to the south that joins it in valleys. All coordinates are in units of the drawing.
 */
export type PlanPoint = readonly [x: number, y: number]
export type Line = readonly [from: PlanPoint, to: PlanPoint]

export const planSize = { width: 440, height: 300 } as const
/** The main roof is 44 ft long. */
export const unitsPerInch = 0.75

const nw: PlanPoint = [20, 40]
const ne: PlanPoint = [420, 40]
const se: PlanPoint = [420, 220]
const sw: PlanPoint = [20, 220]
const ridgeWest: PlanPoint = [110, 130]
const ridgeEast: PlanPoint = [420, 130]
/** The end of the wing's ridge at the main roof. */
const meeting: PlanPoint = [250, 160]
const wingNw: PlanPoint = [190, 220]
const wingNe: PlanPoint = [310, 220]
const wingSe: PlanPoint = [310, 280]
const wingSw: PlanPoint = [190, 280]
const wingEnd: PlanPoint = [250, 280]

const line = (from: PlanPoint, to: PlanPoint): Line => [from, to]

/** Faces of the roof; `azimuth` is the downslope direction, in degrees from north. */
export const faces = [
  { azimuth: 0, points: [nw, ne, ridgeEast, ridgeWest] },
  { azimuth: 270, points: [nw, ridgeWest, sw] },
  { azimuth: 180, points: [sw, ridgeWest, ridgeEast, se, wingNe, meeting, wingNw] },
  { azimuth: 270, points: [wingNw, meeting, wingEnd, wingSw] },
  { azimuth: 90, points: [meeting, wingNe, wingSe, wingEnd] },
] as const

export const outline: readonly PlanPoint[] = [nw, ne, se, wingNe, wingSe, wingSw, wingNw, sw]

type EdgeName = Extract<SetbackName, 'ridge' | 'eave' | 'rake' | 'valley' | 'hip'>

/** Lines from which a fire setback is measured, and the position of their label. */
export const edges: Readonly<Record<EdgeName, { lines: readonly Line[]; label: PlanPoint }>> = {
  ridge: { lines: [line(ridgeWest, ridgeEast), line(meeting, wingEnd)], label: [238, 124] },
  eave: {
    lines: [line(nw, ne), line(nw, sw), line(sw, wingNw), line(wingNe, se), line(wingNw, wingSw), line(wingNe, wingSe)],
    label: [110, 32],
  },
  rake: { lines: [line(ne, se), line(wingSw, wingSe)], label: [250, 294] },
  valley: { lines: [line(wingNw, meeting), line(wingNe, meeting)], label: [186, 186] },
  hip: { lines: [line(nw, ridgeWest), line(sw, ridgeWest)], label: [90, 82] },
}

type ObstructionName = Extract<SetbackName, 'vents' | 'exhaust' | 'skylights' | 'parapet' | 'general'>
/** Outline of an obstruction: a rectangle with corners of this radius, which may make it a circle. */
interface Shape {
  readonly corner: PlanPoint
  readonly width: number
  readonly height: number
  readonly radius: number
}

const box = (x: number, y: number, width: number, height: number, radius = 0): Shape => ({
  corner: [x, y],
  width,
  height,
  radius,
})
const round = (x: number, y: number, radius: number) => box(x - radius, y - radius, 2 * radius, 2 * radius, radius)

/** Obstructions on the roof; the parapet is that of a flat dormer. */
export const obstructions: Readonly<Record<ObstructionName, { shapes: readonly Shape[]; label: PlanPoint }>> = {
  vents: { shapes: [round(160, 70, 4), round(196, 70, 4)], label: [178, 92] },
  exhaust: { shapes: [round(120, 182, 7)], label: [120, 206] },
  skylights: { shapes: [box(334, 172, 26, 22), box(376, 172, 26, 22)], label: [368, 211] },
  parapet: { shapes: [box(250, 58, 62, 34)], label: [281, 79] },
  general: { shapes: [box(370, 64, 20, 20)], label: [380, 102] },
}

export const pointsText = (points: readonly PlanPoint[]) => points.map(([x, y]) => `${x},${y}`).join(' ')

/** Returns true if faces toward `azimuth` may have modules. North is both 0 and 360; a range may go through it. */
export function isInRange(azimuth: number, from: number, to: number): boolean {
  const end = to < from ? to + 360 : to
  return [azimuth, azimuth + 360].some((each) => each >= from && each <= end)
}

/** Returns the path of a circle's slice between two azimuths. A full circle consists of two halves. */
export function slicePath([x, y]: PlanPoint, radius: number, from: number, end: number): string {
  const to = end < from ? end + 360 : end
  const at = (azimuth: number) => {
    const angle = (azimuth * Math.PI) / 180
    return `${(x + radius * Math.sin(angle)).toFixed(2)} ${(y - radius * Math.cos(angle)).toFixed(2)}`
  }
  const arc = (end: number, isLarge: boolean) => `A ${radius} ${radius} 0 ${isLarge ? 1 : 0} 1 ${at(end)}`
  if (to - from >= 360) return `M ${at(0)} ${arc(180, false)} ${arc(360, false)} Z`
  return `M ${x} ${y} L ${at(from)} ${arc(to, to - from > 180)} Z`
}
