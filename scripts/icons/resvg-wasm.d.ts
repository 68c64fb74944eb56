// The package has types, but its exports hide them from NodeNext.
declare module '@resvg/resvg-wasm' {
  /** Once a process, before anything is rendered. */
  export function initWasm(wasm: Uint8Array): Promise<void>
  export class Resvg {
    constructor(svg: string, options?: { fitTo?: { mode: 'width'; value: number } })
    render(): RenderedImage
    /** The memory is the WebAssembly module's: nothing else frees it. */
    free(): void
  }
  export interface RenderedImage {
    readonly width: number
    readonly height: number
    /** RGBA, colours multiplied by alpha. */
    readonly pixels: Uint8Array
    asPng(): Uint8Array
    free(): void
  }
}
