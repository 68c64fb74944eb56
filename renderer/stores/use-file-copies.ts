import { useToast } from '@nuxt/ui/composables/useToast'
import { countOf, formatCount } from '../../shared/format.ts'
import { maxChosenFiles, type PhotoView } from '../../shared/views.ts'
import { useArchiveFiles } from './use-archive-files.ts'
import { useEngineActions } from './use-engine-actions.ts'
import { errorTitle } from '../labels/error-labels.ts'
import { type CallError, useClient } from '../transport/transport.ts'

/** The user chooses the folder of the copies: its problems are not those of the archive. */
const titleOf = ({ code, details }: CallError) =>
  details?.['destination'] === undefined || code === 'disk-full' ? errorTitle(code) : 'Choose another folder'

/** Saves copies of photos, copies their paths, and copies a picture. Outcomes are reported in a toast. */
export function useFileCopies() {
  const client = useClient()
  const toast = useToast()
  const { attempt, notify, reportFailure } = useEngineActions()
  const { copyText } = useArchiveFiles()

  const isTooMany = ({ length }: readonly unknown[]): boolean => {
    if (length <= maxChosenFiles) return false
    notify(`Select at most ${formatCount(maxChosenFiles)} photos at a time`, 'i-lucide-images')
    return true
  }
  const idsOf = (photos: readonly PhotoView[]) => photos.map(({ assetId }) => assetId)

  function reportSaved(folder: string, files: number, missing: number): void {
    toast.add({
      title: `${countOf(files, 'file')} saved`,
      description:
        missing === 0
          ? folder
          : `${folder}. ${countOf(missing, 'file')} could not be copied: missing or changed on the disk.`,
      icon: missing === 0 ? 'i-lucide-check' : 'i-lucide-triangle-alert',
      color: missing === 0 ? 'neutral' : 'warning',
      ...(missing > 0 && { duration: 0 }),
    })
  }

  return {
    /** Asks for a folder in the installed app; a browser downloads a zip. */
    async saveCopies(photos: readonly PhotoView[]): Promise<void> {
      if (isTooMany(photos)) return
      const [first, ...others] = photos
      if (client.copiesUrl !== undefined && first !== undefined) {
        // A single photo is not packed, and keeps the name that it has in the archive.
        if (others.length === 0) return download(client.fileUrl(first.assetId, first.version), first.fileName)
        return download(client.copiesUrl(idsOf(photos)))
      }
      const saved = await attempt(() => client.call('files.saveCopies', { assetIds: idsOf(photos) }), titleOf)
      if (saved?.kind === 'saved') reportSaved(saved.folder, saved.files, saved.missing)
    },
    /** Asks where to save one file. In the installed app only. */
    async saveAs(assetId: number): Promise<void> {
      const saved = await attempt(() => client.call('files.saveAs', { assetId }), titleOf)
      if (saved?.kind === 'saved') reportSaved(saved.folder, saved.files, saved.missing)
    },
    /** Copies the paths of photos, one a line. */
    async copyPaths(photos: readonly PhotoView[]): Promise<void> {
      if (isTooMany(photos)) return
      const located = await attempt(() => client.call('files.paths', { assetIds: idsOf(photos) }))
      if (located === undefined) return
      const { paths } = located
      const [first = ''] = paths
      if (paths.length === 1) await copyText(first, 'Path')
      else await copyText(paths.join('\n'), countOf(paths.length, 'path'), `${first}, and so on`)
    },
    /** Copies the picture as it is shown; `undefined` in a browser that does not allow it. */
    copyImage:
      client.copyImage === undefined
        ? undefined
        : async (url: string, quarterTurns: number): Promise<void> => {
            try {
              await client.copyImage?.(rotatedPicture(url, quarterTurns, client.copiesUrl ? 'image/png' : 'image/jpeg'))
              notify('Image copied', 'i-lucide-copy-check')
            } catch {
              const advice = 'Save a copy of the photo instead.'
              reportFailure('The image could not be copied', advice, { icon: 'i-lucide-copy' })
            }
          },
  }
}

/** Downloads what the host offers under this URL as a file. Call it after a click. */
export function download(url: string, fileName = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
}

/**
 * Returns a photo as it is shown, as a new picture: with the rotation that the camera recorded, and turned clockwise by
 * `quarterTurns`. Rejects if this window cannot show it.
 */
async function rotatedPicture(url: string, quarterTurns: number, type: string): Promise<Blob> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The photo was answered with ${response.status}.`)
  const bitmap = await createImageBitmap(await response.blob(), { imageOrientation: 'from-image' })
  try {
    const isUpright = quarterTurns % 2 === 0
    const [width, height] = isUpright ? [bitmap.width, bitmap.height] : [bitmap.height, bitmap.width]
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('This window cannot draw.')
    if (type === 'image/jpeg') {
      // JPEG has no transparency, which would become black.
      context.fillStyle = 'white'
      context.fillRect(0, 0, width, height)
    }
    context.translate(width / 2, height / 2)
    context.rotate((quarterTurns * Math.PI) / 2)
    context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2)
    return await canvas.convertToBlob({ type, quality: 0.95 })
  } finally {
    bitmap.close()
  }
}
