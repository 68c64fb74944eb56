import { expect, test } from 'vitest'
import { isSafeToOpen } from '../../../electron/engine/catalog/locate-files.ts'

test('reports, photos, and videos are opened, but nothing that a system may execute', () => {
  for (const name of ['report.pdf', 'IMG_1.JPG', 'a b.heic', 'x.exe.png', 'roof.mp4', 'roof.dng', 'roof.3gp'])
    expect(isSafeToOpen(`/a/${name}`), name).toBe(true)
  const programs = [
    'setup.exe',
    'report.pdf.lnk',
    'x.html',
    'x.svg',
    'x.desktop',
    'x.command',
    'x.js',
    'x.hta',
    'pdf',
    '.pdf',
    'x.pdf.',
  ]
  for (const name of programs) expect(isSafeToOpen(`/a/${name}`), name).toBe(false)
})
