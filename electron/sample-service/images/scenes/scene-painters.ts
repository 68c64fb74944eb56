import type { Canvas } from '../canvas.ts'
import { paintAttic } from './attic.ts'
import { paintBreakerPanel } from './breaker-panel.ts'
import { paintRoofMeasure, paintWarningLabels } from './close-ups.ts'
import { paintHouseFront, paintYard } from './house-front.ts'
import { paintInverterWall } from './inverter-wall.ts'
import { paintRoofPlane, paintSolarArray } from './roof-scenes.ts'
import type { SceneSetting } from './scene-setting.ts'
import { paintUtilityMeter } from './utility-meter.ts'

/** What a photo shows. */
export const sceneKinds = [
  'roof',
  'array',
  'measure',
  'attic',
  'panel',
  'meter',
  'inverter',
  'labels',
  'house',
  'yard',
] as const
export type SceneKind = (typeof sceneKinds)[number]

/** The painter of each scene; each fills the whole canvas and a little beyond. */
export const scenePainters: Record<SceneKind, (canvas: Canvas, setting: SceneSetting) => void> = {
  roof: paintRoofPlane,
  array: paintSolarArray,
  measure: paintRoofMeasure,
  attic: paintAttic,
  panel: paintBreakerPanel,
  meter: paintUtilityMeter,
  inverter: paintInverterWall,
  labels: paintWarningLabels,
  house: paintHouseFront,
  yard: paintYard,
}
