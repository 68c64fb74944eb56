import { SeededRandom } from '../site/seeded-random.ts'

const tileSize = 256

function makeWhiteTile(): Float32Array {
  const random = new SeededRandom('white noise')
  return Float32Array.from({ length: tileSize * tileSize }, () => random.next())
}

function smoothSample(tile: Float32Array, x: number, y: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const fx = x - column
  const fy = y - row
  const left = column & (tileSize - 1)
  const right = (column + 1) & (tileSize - 1)
  const top = (row & (tileSize - 1)) * tileSize
  const bottom = ((row + 1) & (tileSize - 1)) * tileSize
  const sx = fx * fx * (3 - 2 * fx)
  const upper = (tile[top + left] ?? 0) * (1 - sx) + (tile[top + right] ?? 0) * sx
  const lower = (tile[bottom + left] ?? 0) * (1 - sx) + (tile[bottom + right] ?? 0) * sx
  const sy = fy * fy * (3 - 2 * fy)
  return upper * (1 - sy) + lower * sy
}

function makeCloudTile(white: Float32Array): Float32Array {
  const tile = new Float32Array(tileSize * tileSize)
  for (let row = 0; row < tileSize; row++) {
    for (let column = 0; column < tileSize; column++) {
      let value = 0
      let weight = 0.5
      for (let cell = 64; cell >= 2; cell /= 2) {
        // Sampling a whole number of cells across the tile keeps its borders seamless.
        value += weight * repeatingSample(white, column / cell, row / cell, tileSize / cell)
        weight /= 2
      }
      tile[row * tileSize + column] = value
    }
  }
  return tile
}

function repeatingSample(tile: Float32Array, x: number, y: number, period: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const at = (dx: number, dy: number): number => tile[((row + dy) % period) * tileSize + ((column + dx) % period)] ?? 0
  const fx = x - column
  const fy = y - row
  const sx = fx * fx * (3 - 2 * fx)
  const sy = fy * fy * (3 - 2 * fy)
  return (at(0, 0) * (1 - sx) + at(1, 0) * sx) * (1 - sy) + (at(0, 1) * (1 - sx) + at(1, 1) * sx) * sy
}

const whiteTile = makeWhiteTile()
let cloudTile: Float32Array | undefined

/** Hard noise, 0 to 1: one value for each whole (x, y), repeating every 256. */
export function speckle(x: number, y: number): number {
  return whiteTile[(y & (tileSize - 1)) * tileSize + (x & (tileSize - 1))] ?? 0
}

/** Soft noise, 0 to 1: one value for each whole (x, y) and a smooth way between them. */
export function smoothNoise(x: number, y: number): number {
  return smoothSample(whiteTile, x, y)
}

/** Cloud-like noise of several sizes, about 0.15 to 0.85; the largest forms are 64 units wide, repeating every 256. */
export function cloudNoise(x: number, y: number): number {
  cloudTile ??= makeCloudTile(whiteTile)
  return cloudTile[(Math.floor(y) & (tileSize - 1)) * tileSize + (Math.floor(x) & (tileSize - 1))] ?? 0
}

/** `cloudNoise` with a smooth way between whole places, for large soft forms. */
export function softCloudNoise(x: number, y: number): number {
  cloudTile ??= makeCloudTile(whiteTile)
  return smoothSample(cloudTile, x, y)
}
