/**
 * Where an asset grows before it takes its name: in its project's folder, so on the same file system. The id of an asset
 * is that of one database: with the id of the installation two that share an archive never write the same part.
 */
export function partPath(projectFolder: string, assetId: number, installation: string): string {
  return `${projectFolder}/${assetId}-${installation}.part`
}

/** The project's folder in an asset's path. */
export function projectFolderOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}

/** Whether a name in a project's folder is one that `partPath` makes for the installation; answers the asset's id. */
export function assetIdOfPart(name: string, installation: string): number | undefined {
  const [, digits, owner] = /^(\d{1,15})-([0-9a-f]{12})\.part$/.exec(name) ?? []
  return owner === installation ? Number(digits) : undefined
}
