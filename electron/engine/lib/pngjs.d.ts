/** The part of pngjs that is used; it has no types of its own. */
declare module 'pngjs' {
  export const PNG: {
    readonly sync: {
      /** Four bytes for each pixel. Throws for anything else than a whole PNG. */
      read(bytes: Buffer): { readonly width: number; readonly height: number; readonly data: Buffer }
    }
  }
}
