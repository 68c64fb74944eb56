import { readImageSize } from '../../catalog/photo-metadata.ts'
import { splitExtension } from '../../archive/safe-name.ts'
import { captureFacts, type CaptureFacts } from '../capture-facts.ts'
import type { PlannedFile } from '../plan-export.ts'
import type { ExportDeps } from '../exports.ts'
import { nullIfLost, readPlanned, readStart } from '../open-planned.ts'
import type { PictureMaker } from './picture-maker.ts'
import type { Picture, PictureProblem } from './scale-picture.ts'

/** A photo as a document shows it. */
export interface PrintedPhoto {
  readonly file: PlannedFile
  readonly facts: CaptureFacts
  /** Null if there is none, and `problem` says why. */
  readonly picture: Picture | null
  readonly problem: string | null
  /** False if the photo is missing or changed in the archive folder. */
  readonly isThere: boolean
}

/** Estimated bytes of a document's fonts and color profile, and of the text about one photo. */
const [fixedBytes, perPhotoBytes] = [150_000, 900]

/** Bytes of a picture, whatever the budget: less shows nothing, and more shows nothing new. */
const [minPictureBytes, maxPictureBytes] = [2500, 160_000]

/** Shares the size of a document among its pictures. */
export class SizeBudget {
  #left: number
  #photosLeft: number

  constructor(maxBytes: number, photos: number) {
    this.#left = maxBytes - fixedBytes - photos * perPhotoBytes
    this.#photosLeft = photos
  }

  /** Returns the bytes for the next picture. */
  next(): number {
    const share = this.#left / Math.max(1, this.#photosLeft)
    return Math.round(Math.min(maxPictureBytes, Math.max(minPictureBytes, share)))
  }

  spend(bytes: number): void {
    this.#left -= bytes
    this.#photosLeft -= 1
  }
}

export interface PictureBox {
  /** Points. */
  readonly width: number
  readonly height: number
  /** Pixels per inch of pictures, and the fewest that an archived thumbnail must have to be used. */
  readonly dpi: number
  readonly thumbnailDpi: number
}

/** Larger files are not decoded. */
const maxPhotoBytes = 64_000_000

export interface PhotoSource extends ExportDeps {
  readonly pictures: PictureMaker
  readonly budget: SizeBudget
  readonly box: PictureBox
  /** Ids of assets that are known to be missing or changed in the archive folder. */
  readonly lost: ReadonlySet<number>
}

/**
 * Reads a photo for a document; its thumbnail stands for it only while the photo itself is there. Rejects if the
 * archive folder cannot be read at all.
 */
export async function readPhoto(source: PhotoSource, file: PlannedFile): Promise<PrintedPhoto> {
  const { store, root, budget, box, lost } = source
  const thumbnail = file.thumbnail === null ? null : await readOrNull(source, file.thumbnail)
  const isEnough = thumbnail !== null && isLargeEnough(thumbnail, box)
  const mayDecode = file.sizeBytes <= maxPhotoBytes
  const isWhole = !isEnough && mayDecode
  const photo = lost.has(file.assetId) || !isWhole ? null : await readOrNull(source, file)
  const head = lost.has(file.assetId) || isWhole ? photo : await readStart(store, root, file)
  const facts = captureFacts(file, head)
  const without = (problem: PictureProblem | 'lost'): PrintedPhoto => {
    budget.spend(0)
    return { file, facts, picture: null, problem: describeProblem(problem, file), isThere: problem !== 'lost' }
  }
  if (head === null) return without('lost')
  const shown = async (bytes: Buffer | null) => {
    const made = bytes === null ? 'too-large' : await source.pictures.make(bytes, limitsOf(source))
    if (typeof made === 'object') budget.spend(made.jpeg.length)
    return made
  }
  const first = await shown(isEnough ? thumbnail : photo)
  if (typeof first === 'object') return { file, facts, picture: first, problem: null, isThere: true }
  // The thumbnail may be damaged although the photo is not, and the photo of a format that only the thumbnail shows.
  const whole = isEnough && mayDecode ? await readOrNull(source, file) : photo
  if (isEnough && mayDecode && whole === null) return without('lost')
  const second = await shown(isEnough ? whole : thumbnail)
  if (typeof second === 'object') return { file, facts, picture: second, problem: null, isThere: true }
  return without(isEnough ? second : first)
}

function limitsOf({ box, budget }: PhotoSource) {
  const pixels = (points: number) => Math.round((points / 72) * box.dpi)
  return { maxWidth: pixels(box.width), maxHeight: pixels(box.height), maxBytes: budget.next() }
}

function isLargeEnough(bytes: Buffer, { width, height, thumbnailDpi }: PictureBox): boolean {
  const size = readImageSize(bytes)
  if (size === undefined) return false
  const pixels = (points: number) => (points / 72) * thumbnailDpi
  // A portrait only fills the height of the box.
  return size.widthPixels >= pixels(width) || size.heightPixels >= pixels(height)
}

function readOrNull({ store, root }: PhotoSource, file: PlannedFile): Promise<Buffer | null> {
  return readPlanned(store, root, file).catch(nullIfLost)
}

function describeProblem(problem: PictureProblem | 'lost', { fileName }: PlannedFile): string {
  const format = splitExtension(fileName)[1].slice(1).toUpperCase()
  switch (problem) {
    case 'lost':
      return 'This photo is missing or changed in the archive folder.'
    case 'format':
      return `${format === '' ? 'This format' : `A ${format} file`} cannot be shown here. The file itself is archived.`
    case 'too-large':
      return 'This photo is too large to be shown here. The file itself is archived.'
    case 'unreadable':
      return 'This photo cannot be displayed: it is not a readable image. The file is archived as the service sent it.'
  }
}
