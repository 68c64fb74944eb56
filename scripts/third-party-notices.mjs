import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** File name of the notices beside the pages. */
const noticesFile = 'third-party-notices.txt'

/** Packages whose files are in the pages, although no module of theirs is imported: styles, a font, icons, PDF.js. */
const bundledWithoutModules = ['@fontsource-variable/inter', '@iconify-json/lucide', 'pdfjs-dist', 'tailwindcss']

const licenseName = /^(licen[cs]e|copying|notice)/i

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string | { type?: string }} [license]
 * @property {string | { name?: string }} [author]
 * @property {string} [homepage]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @param {string} folder */
function readManifest(folder) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
}

/**
 * Returns the folder of a package as Node finds it from another folder, or undefined if it is not installed.
 * @param {string} name
 * @param {string} from
 * @returns {string | undefined}
 */
function findPackage(name, from) {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(from) === from ? undefined : findPackage(name, dirname(from))
}

/**
 * Adds the packages that the package in `folder` needs at run time, and what they need.
 * @param {string} folder
 * @param {Set<string>} found
 */
function addDependencies(folder, found) {
  const { dependencies, optionalDependencies } = readManifest(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const dependency = findPackage(name, folder)
    if (dependency === undefined || found.has(dependency)) continue
    found.add(dependency)
    addDependencies(dependency, found)
  }
}

/**
 * Returns the texts of a package's license files, also of those beside the files of others that it contains.
 * @param {string} folder
 */
function licenseTexts(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  const inFolders = folders.flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(name, file)))
  const paths = [...entries.filter((entry) => entry.isFile()).map(({ name }) => name), ...inFolders]
  const licenses = paths.filter((path) => licenseName.test(path.replace(/^.*[/\\]/, ''))).sort()
  return licenses.map((path) => readFileSync(join(folder, path), 'utf8').replaceAll('\r\n', '\n').trim())
}

/** @param {string} folder */
function describePackage(folder) {
  const { name, version, license, author, homepage } = readManifest(folder)
  const person = typeof author === 'string' ? author : author?.name
  const texts = licenseTexts(folder)
  // A package may name its license only in the title of the text.
  const title = texts.some((text) => /^(?:The )?MIT License\n/.test(text)) ? 'MIT' : 'see below'
  const facts = [
    `${name} ${version}`,
    `License: ${(typeof license === 'string' ? license : license?.type) ?? title}`,
    ...(person === undefined ? [] : [`Author: ${person}`]),
    ...(homepage === undefined ? [] : [homepage]),
  ]
  return { name, text: [facts.join('\n'), ...new Set(texts)].join('\n\n') }
}

/**
 * Returns the notice for the fonts that documents embed.
 * @param {string} root
 */
function describeFonts(root) {
  const license = readFileSync(join(root, 'resources', 'fonts', 'LICENSE.txt'), 'utf8').trim()
  return { name: 'Inter', text: `Inter (fonts of documents)\nLicense: OFL-1.1\n\n${license}` }
}

/**
 * Returns the names, versions, and licenses of all third-party code that a package of the app contains: what
 * package.json needs at run time, and `bundled`, the folders of packages with modules in the pages.
 * @param {string} root
 * @param {Iterable<string>} bundled
 */
export function collectNotices(root, bundled) {
  const folders = new Set(bundled)
  for (const name of bundledWithoutModules) {
    const folder = findPackage(name, root)
    if (folder === undefined) throw new Error(`${name} is not installed, so its license cannot be read`)
    folders.add(folder)
  }
  addDependencies(root, folders)
  const packages = [...[...folders].map(describePackage), describeFonts(root)].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  const head =
    'Solarchive contains the following third-party software, under the licenses below.\n' +
    'Those of Electron, Chromium, and Node.js are in LICENSE.electron.txt and\n' +
    'LICENSES.chromium.html beside the installed program.'
  return `${[head, ...packages.map(({ text }) => text)].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

/**
 * Writes the notices beside the pages.
 * @param {string} root
 * @returns {import('vite').Plugin}
 */
export function thirdPartyNotices(root) {
  return {
    name: 'third-party-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [])
      const bundled = new Set(folders.filter((folder) => existsSync(join(folder, 'package.json'))))
      this.emitFile({ type: 'asset', fileName: noticesFile, source: collectNotices(root, bundled) })
    },
  }
}
