/** The part of pngjs that is used; it has no types of its own. */
declare module 'pngjs' {
  /** An image of four bytes for each pixel. */
  export class PNG {
    constructor(size: { readonly width: number; readonly height: number })
    readonly width: number
    readonly height: number
    readonly data: Buffer
    static readonly sync: {
      /** Throws for anything else than a whole PNG. */
      read(bytes: Buffer): PNG
      write(image: PNG): Buffer
    }
  }
}
