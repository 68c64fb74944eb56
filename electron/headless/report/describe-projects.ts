import type { Project } from '../../../shared/domain.ts'
import { formatTable } from '../format/format-table.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../../app/log/plain-text.ts'

/** A table of projects: id, name, address and folder. Ids are never cut, so that they can be copied. */
export function describeProjects(projects: readonly Project[], paint: Painter): string[] {
  const [header = '', ...rows] = formatTable(
    [{ title: 'Id' }, { title: 'Name', maxWidth: 40 }, { title: 'Address', maxWidth: 48 }, { title: 'Folder' }],
    projects.map(({ id, name, address, folder }) =>
      [id, name, address ?? '', folder ?? 'nothing archived yet'].map(plainText),
    ),
  )
  return [paint.faint(header), ...rows]
}
