/** The JPEG decoder of pdf.js, which has no types of its own. */
declare module 'pdfjs-dist/legacy/image_decoders/pdf.image_decoders.mjs' {
  interface JpegComponent {
    /** Samples of 0 to 255, in blocks of 8 by 8; each row of blocks has one more than `blocksPerLine`. */
    readonly output: Int16Array<ArrayBuffer>
    readonly blocksPerLine: number
    /** Size relative to that of the image. */
    readonly scaleX: number
    readonly scaleY: number
  }
  export const VerbosityLevel: { readonly ERRORS: number }
  export function setVerbosityLevel(level: number): void
  export class JpegImage {
    readonly width: number
    readonly height: number
    readonly components: readonly JpegComponent[]
    /** Throws for anything else than a JPEG. */
    parse(bytes: Uint8Array): void
    /** Returns the image in another size, in red, green, and blue, mostly with a fourth byte for each pixel. */
    getData(options: { width: number; height: number; forceRGBA: true }): Uint8ClampedArray
  }
}
