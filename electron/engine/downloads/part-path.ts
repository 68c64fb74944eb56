/** Where an asset grows before it takes its name: in its project's folder, so on the same file system. */
export function partPath(projectFolder: string, assetId: number): string {
  return `${projectFolder}/${assetId}.part`
}

/** The project's folder in an asset's path. */
export function projectFolderOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}

/** Whether a name in a project's folder is one that `partPath` makes; answers the asset's id. */
export function assetIdOfPart(name: string): number | undefined {
  const digits = /^(\d{1,15})\.part$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
