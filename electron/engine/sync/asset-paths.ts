import { photoFileName, photosFolder, thumbnailsFolder } from '../archive/layout.ts'
import { uniqueName } from '../archive/safe-name.ts'
import type { QuestionRow } from '../store/questions-store.ts'

/** The path that a new photo or thumbnail gets, free among the archive's paths. */
export function mediaPath(
  checklistFolder: string,
  kind: 'photo' | 'thumbnail',
  question: Pick<QuestionRow, 'sectionFolder' | 'folder'>,
  fileName: string | null,
  isTaken: (path: string) => boolean,
): string {
  const folderOf = kind === 'photo' ? photosFolder : thumbnailsFolder
  const folder = folderOf(checklistFolder, question.sectionFolder, question.folder)
  return `${folder}/${uniqueName(photoFileName(fileName), (name) => isTaken(`${folder}/${name}`))}`
}
