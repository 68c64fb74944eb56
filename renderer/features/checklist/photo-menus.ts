import { countOf } from '../../../shared/format.ts'
import type { PhotoView } from '../../../shared/views.ts'
import { useArchiveFiles } from '../../stores/use-archive-files.ts'
import { useClient } from '../../transport/transport.ts'
import type { RowMenuItem } from '../../ui/row-menus.ts'
import type { QuestionEntry } from './photo-rows.ts'
import { download, useFileCopies } from '../../stores/use-file-copies.ts'

/** Actions of the page on a photo; without one, the menu has no such item. */
export interface PhotoMenuActions {
  readonly open?: () => void
  readonly toggle?: () => void
  readonly isSelected?: boolean
  readonly compare?: () => void
  readonly print?: () => void
  /** Clockwise quarter turns of the photo on screen. */
  readonly quarterTurns?: number
}

/** Menus of photos and questions. */
export function usePhotoMenus() {
  const client = useClient()
  const { canShow, show, open: openElsewhere, copyPath, copyText } = useArchiveFiles()
  const copies = useFileCopies()
  const { copyImage } = copies
  const isInBrowser = client.copiesUrl !== undefined

  const item = (label: string, icon: string, onSelect: () => unknown): RowMenuItem => ({ label, icon, onSelect })
  const optional = (label: string, icon: string, onSelect: (() => unknown) | undefined): RowMenuItem[] =>
    onSelect === undefined ? [] : [item(label, icon, onSelect)]

  function ofPhoto(photo: PhotoView, actions: PhotoMenuActions): RowMenuItem[][] {
    const { assetId, version, fileName, earlierVersions } = photo
    const url = client.fileUrl(assetId, version)
    const save = isInBrowser ? () => download(url, fileName) : () => copies.saveAs(assetId)
    return [
      [
        ...optional('Open', 'i-lucide-image', actions.open),
        ...(canShow.value
          ? [item('Open in another program', 'i-lucide-external-link', () => openElsewhere(assetId))]
          : []),
        ...optional(actions.isSelected === true ? 'Deselect' : 'Select', 'i-lucide-square-check', actions.toggle),
      ],
      [
        item(isInBrowser ? 'Download' : 'Save as…', 'i-lucide-download', save),
        ...optional(
          'Copy image',
          'i-lucide-clipboard-copy',
          copyImage && (() => copyImage(url, actions.quarterTurns ?? 0)),
        ),
        item('Copy path', 'i-lucide-copy', () => copyPath({ assetId })),
        ...(canShow.value ? [item('Show in folder', 'i-lucide-folder-open', () => show({ assetId }))] : []),
      ],
      [
        ...optional(
          'Compare with earlier versions…',
          'i-lucide-file-diff',
          earlierVersions > 0 ? actions.compare : undefined,
        ),
        ...optional('Print', 'i-lucide-printer', actions.print),
      ],
    ]
  }

  return {
    ofPhoto,
    /** Menu of a selection of several photos. */
    ofSelection(
      photos: readonly PhotoView[],
      actions: { readonly print: () => void; readonly exportAll: () => void; readonly clear: () => void },
    ) {
      const count = countOf(photos.length, 'photo')
      const save = isInBrowser ? `Download copies of ${count}` : `Save copies of ${count}…`
      return [
        [
          item(save, 'i-lucide-download', () => copies.saveCopies(photos)),
          item(`Export ${count}…`, 'i-lucide-package', actions.exportAll),
          item('Copy paths', 'i-lucide-copy', () => copies.copyPaths(photos)),
          item(`Print ${count}`, 'i-lucide-printer', actions.print),
        ],
        [item('Clear selection', 'i-lucide-x', actions.clear)],
      ]
    },
    ofQuestion(
      { question }: QuestionEntry,
      actions: { readonly print: () => void; readonly exportIt: () => void },
    ): RowMenuItem[][] {
      const archived = question.photos.filter((photo) => photo.archived)
      const save = isInBrowser ? 'Download copies of this question' : 'Save copies of this question…'
      const { answer } = question
      return [
        [
          item('Print section', 'i-lucide-printer', actions.print),
          ...optional(save, 'i-lucide-download', archived.length > 0 ? () => copies.saveCopies(archived) : undefined),
          ...optional('Export this question…', 'i-lucide-package', archived.length > 0 ? actions.exportIt : undefined),
        ],
        [
          ...optional('Copy answer', 'i-lucide-copy', answer === null ? undefined : () => copyText(answer, 'Answer')),
          item('Copy question', 'i-lucide-copy', () => copyText(question.label, 'Question')),
        ],
      ]
    },
  }
}
