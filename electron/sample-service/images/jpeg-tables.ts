/** The tables that ITU-T T.81 (JPEG) gives as typical in its annex K, with which every decoder copes. */

/** Where the coefficients of an 8 by 8 block, in the order of transmission, stand in the block (figure A.6). */
export const zigZag: readonly number[] = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]

/** Quantisation of brightness at quality 50, row by row (table K.1). */
export const luminanceSteps: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
]

/** Quantisation of colour at quality 50, row by row (table K.2). */
export const chrominanceSteps: readonly number[] = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
]

/** A Huffman table: how many codes there are of each length from 1 to 16, and the symbols in the order of their codes. */
export interface HuffmanTable {
  readonly counts: Buffer
  readonly symbols: Buffer
}

const table = (counts: string, symbols: string): HuffmanTable => ({
  counts: Buffer.from(counts, 'hex'),
  symbols: Buffer.from(symbols, 'hex'),
})

/** Tables K.3 to K.6. */
export const huffmanTables = {
  luminanceDc: table('00010501010101010100000000000000', '000102030405060708090a0b'),
  chrominanceDc: table('00030101010101010101010000000000', '000102030405060708090a0b'),
  luminanceAc: table(
    '0002010303020403050504040000017d',
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
  chrominanceAc: table(
    '00020102040403040705040400010277',
    '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
} as const

/** The code of each symbol and its length in bits, by symbol (annex C.2). */
export function huffmanCodes({ counts, symbols }: HuffmanTable): { codes: Uint16Array; lengths: Uint8Array } {
  const codes = new Uint16Array(256)
  const lengths = new Uint8Array(256)
  let code = 0
  let next = 0
  counts.forEach((count, index) => {
    for (let n = 0; n < count; n++, code++, next++) {
      const symbol = symbols[next] ?? 0
      codes[symbol] = code
      lengths[symbol] = index + 1
    }
    code <<= 1
  })
  return { codes, lengths }
}
