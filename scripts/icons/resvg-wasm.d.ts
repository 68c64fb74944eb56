// The package has types, but its exports hide them from NodeNext.
declare module '@resvg/resvg-wasm' {
  /** Must be called once per process, before anything is rendered. */
  export function initWasm(wasm: Uint8Array): Promise<void>
  export class Resvg {
    constructor(svg: string, options?: { fitTo?: { mode: 'width'; value: number } })
    render(): RenderedImage
    /** Frees memory of the WebAssembly module, which is not garbage-collected. */
    free(): void
  }
  export interface RenderedImage {
    readonly width: number
    readonly height: number
    /** RGBA, colors multiplied by alpha. */
    readonly pixels: Uint8Array
    asPng(): Uint8Array
    free(): void
  }
}
