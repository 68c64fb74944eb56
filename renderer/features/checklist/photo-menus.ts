import { countOf } from '../../../shared/format.ts'
import type { PhotoView } from '../../../shared/views.ts'
import { useArchiveFiles } from '../../stores/use-archive-files.ts'
import { useClient } from '../../transport/transport.ts'
import { type MenuGroups, menuItem } from '../../ui/row-menus.ts'
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

  function ofPhoto(photo: PhotoView, actions: PhotoMenuActions): MenuGroups {
    const { assetId, version, fileName, earlierVersions } = photo
    const url = client.fileUrl(assetId, version)
    const save = isInBrowser ? () => download(url, fileName) : () => copies.saveAs(assetId)
    const { open, toggle, isSelected = false, compare, print, quarterTurns = 0 } = actions
    return [
      [
        open !== undefined && menuItem('Open', 'i-lucide-image', open),
        canShow.value && menuItem('Open in another program', 'i-lucide-external-link', () => openElsewhere(assetId)),
        toggle !== undefined && menuItem(isSelected ? 'Deselect' : 'Select', 'i-lucide-square-check', toggle),
      ],
      [
        menuItem(isInBrowser ? 'Download' : 'Save as…', 'i-lucide-download', save),
        copyImage !== undefined &&
          menuItem('Copy image', 'i-lucide-clipboard-copy', () => copyImage(url, quarterTurns)),
        menuItem('Copy path', 'i-lucide-copy', () => copyPath({ assetId })),
        canShow.value && menuItem('Show in folder', 'i-lucide-folder-open', () => show({ assetId })),
      ],
      [
        compare !== undefined &&
          earlierVersions > 0 &&
          menuItem('Compare with earlier versions…', 'i-lucide-file-diff', compare),
        print !== undefined && menuItem('Print', 'i-lucide-printer', print),
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
          menuItem(save, 'i-lucide-download', () => copies.saveCopies(photos)),
          menuItem(`Export ${count}…`, 'i-lucide-package', actions.exportAll),
          menuItem('Copy paths', 'i-lucide-copy', () => copies.copyPaths(photos)),
          menuItem(`Print ${count}`, 'i-lucide-printer', actions.print),
        ],
        [menuItem('Clear selection', 'i-lucide-x', actions.clear)],
      ]
    },
    ofQuestion(
      { question }: QuestionEntry,
      actions: { readonly print: () => void; readonly exportIt: () => void },
    ): MenuGroups {
      const archived = question.photos.filter((photo) => photo.archived)
      const isArchived = archived.length > 0
      const save = isInBrowser ? 'Download copies of this question' : 'Save copies of this question…'
      const { answer } = question
      return [
        [
          menuItem('Print section', 'i-lucide-printer', actions.print),
          isArchived && menuItem(save, 'i-lucide-download', () => copies.saveCopies(archived)),
          isArchived && menuItem('Export this question…', 'i-lucide-package', actions.exportIt),
        ],
        [
          answer !== null && menuItem('Copy answer', 'i-lucide-copy', () => copyText(answer, 'Answer')),
          menuItem('Copy question', 'i-lucide-copy', () => copyText(question.label, 'Question')),
        ],
      ]
    },
  }
}
