import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectNotices } from '../../scripts/third-party-notices.mjs'
import { cloneFolder } from '../headless/run-solarchive.ts'

interface LockedPackage {
  readonly version: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

test('every package that the app needs at run time is in the notices, with its license', () => {
  const lock = JSON.parse(readFileSync(join(cloneFolder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  // An optional peer of the pages' kit, which nothing imports, is not marked as one for development.
  const isOfKit = (path: string) => path.includes('/@tiptap/')
  const needed = Object.entries(lock.packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional && !isOfKit(path),
  )
  expect(needed.length).toBeGreaterThan(30)
  const vue = join(cloneFolder, 'node_modules', 'vue')
  const notices = collectNotices(cloneFolder, [vue])
  const parts = notices.split(`\n\n${'-'.repeat(80)}\n\n`)
  for (const [path, { version }] of needed) {
    const name = path.replace(/^.*node_modules\//, '')
    const part = parts.find((text) => text.startsWith(`${name} ${version}\n`))
    expect(part, path).toMatch(/^License: (?!see below)\S/m)
  }
  const partOf = (name: string) => parts.find((text) => text.startsWith(`${name} `)) ?? ''
  expect(partOf('vue')).toContain('The MIT License')
  // The fonts and character maps in PDF.js have licenses of their own.
  expect(partOf('pdfjs-dist')).toContain('Apache License')
  expect(partOf('pdfjs-dist')).toContain('PDFium Authors')
  // Electron and the tools of this repository are not part of the app's own files.
  for (const name of ['electron-builder', 'vitest', 'typescript']) expect(partOf(name)).toBe('')
  expect(notices).not.toContain(cloneFolder)
})
