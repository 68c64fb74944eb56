import { describe, expect, test } from 'vitest'
import { checkFileEnd, checkFileKind } from '../../../electron/engine/archive/file-kind.ts'
import { box, fileTypeBox, jpegFile, pdfFile, pngFile, webpFile, withPreview } from './sample-files.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

const bmp = Buffer.alloc(100)
bmp.write('BM')
bmp[14] = 40

const photos: readonly (readonly [what: string, head: Buffer, format: string, extension: string])[] = [
  ['JPEG', jpegFile(), 'jpeg', '.jpg'],
  ['PNG', pngFile(), 'png', '.png'],
  ['GIF', bytes('GIF89a\x01\0\x01\0'), 'gif', '.gif'],
  ['WebP', webpFile(), 'webp', '.webp'],
  ['HEIC of an iPhone', fileTypeBox('heic', 'mif1', 'heic'), 'heic', '.heic'],
  ['HEIF with a general brand', fileTypeBox('mif1', 'mif1', 'heic'), 'heic', '.heic'],
  ['AVIF', fileTypeBox('avif', 'mif1'), 'avif', '.avif'],
  ['AVIF with a general brand', fileTypeBox('mif1', 'avif'), 'avif', '.avif'],
  ['TIFF', bytes('II*\0\x08\0\0\0'), 'tiff', '.tif'],
  ['TIFF, big-endian', bytes('MM\0*\0\0\0\x08'), 'tiff', '.tif'],
  ['BMP', bmp, 'bmp', '.bmp'],
]
const films: typeof photos = [
  ['film of an iPhone', fileTypeBox('qt  ', 'qt  '), 'mov', '.mov'],
  ['film of an Android phone', fileTypeBox('mp42', 'isom'), 'mp4', '.mp4'],
  ['film in 3GP', fileTypeBox('3gp4'), 'mp4', '.mp4'],
  ['old QuickTime film', Buffer.concat([box('wide'), box('mdat', 'x')]), 'mov', '.mov'],
]

describe('the kind of a file', () => {
  test.each(photos)('%s is a photo or a thumbnail, not a report', (_, head, format, extension) => {
    expect(checkFileKind('photo', head)).toEqual({ ok: true, format, extension })
    expect(checkFileKind('thumbnail', head)).toEqual({ ok: true, format, extension })
    expect(checkFileKind('report', head)).toEqual({ ok: false, looksLike: 'unknown' })
  })

  test.each(films)('%s is media of a question, not a thumbnail', (_, head, format, extension) => {
    expect(checkFileKind('photo', head)).toEqual({ ok: true, format, extension })
    expect(checkFileKind('thumbnail', head)).toEqual({ ok: false, looksLike: 'unknown' })
  })

  test('a PDF is a report, even with some bytes before its header, as readers accept', async () => {
    const pdf = await pdfFile()
    const report = { ok: true, format: 'pdf', extension: '.pdf' }
    expect(checkFileKind('report', pdf.subarray(0, 4096))).toEqual(report)
    expect(checkFileKind('report', bytes('%PDF-'))).toEqual(report)
    expect(checkFileKind('report', Buffer.concat([bytes('\xEF\xBB\xBF\r\n'), pdf]))).toEqual(report)
    expect(checkFileKind('report', Buffer.concat([Buffer.alloc(1000, 0x80), pdf]))).toEqual(report)
    expect(checkFileKind('report', Buffer.concat([Buffer.alloc(1020), pdf]))).toMatchObject({ ok: false })
    expect(checkFileKind('photo', pdf)).toEqual({ ok: false, looksLike: 'unknown' })
  })

  const others: readonly (readonly [looksLike: string, text: string])[] = [
    ['html', '<!DOCTYPE html><html><body>Sign in to download %PDF-1.7</body></html>'],
    ['html', '\n  <html lang="en"><title>%PDF-1.4'],
    ['html', '\uFEFF<!-- %PDF-1.4 --><p>Not found</p>'],
    ['html', '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML"><html>'],
    ['html', '<script>location = "/login?for=%PDF-1.4"</script>'],
    ['xml', '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>'],
    ['xml', '<Error><Code>ExpiredToken</Code><Key>%PDF-1.4</Key></Error>'],
    ['json', '{"message":"Unauthorized"}'],
    ['json', ' [{"file":"%PDF-1.4"}]'],
    ['text', 'Request has expired'],
    ['text', 'BM is the start of a BMP, and of this text'],
    ['text', 'Get free photos: the link has expired'],
    ['text', 'The ftyp of this is text'],
    ['empty', ''],
    ['unknown', '\x01\x02\x03\x04binary'],
  ]
  test.each(others)('%s is neither report, photo, nor thumbnail: %j', (looksLike, text) => {
    for (const kind of ['report', 'photo', 'thumbnail'] as const) {
      expect(checkFileKind(kind, Buffer.from(text))).toEqual({ ok: false, looksLike })
    }
  })

  test('a web page in another encoding is recognized too', () => {
    expect(checkFileKind('report', bytes('<html><body>\xE9t\xE9 %PDF-1.4'))).toEqual({ ok: false, looksLike: 'html' })
    const utf16 = Buffer.from('\uFEFF<html>Anmelden</html>', 'utf16le')
    expect(checkFileKind('photo', utf16)).toEqual({ ok: false, looksLike: 'html' })
  })

  test('a text cut off within a character is still a text', () => {
    expect(checkFileKind('photo', Buffer.from('Verbindung läuft über').subarray(0, 12))).toMatchObject({
      looksLike: 'text',
    })
  })
})

describe('the end of a file', () => {
  const endOf = (file: Buffer, tailBytes = 65_536) =>
    checkFileEnd(file.subarray(0, 4096), file.subarray(-tailBytes), file.length)

  const small = jpegFile()
  const preview = jpegFile(160, 120)
  const large = withPreview(jpegFile(500, 400), preview)

  test('a JPEG is complete with its end marker, and with data that phones and cameras append', () => {
    expect(large.length).toBeGreaterThan(2 * 65_536)
    for (const image of [small, large, withPreview(small, preview)]) {
      expect(endOf(image)).toBe('whole')
      expect(endOf(Buffer.concat([image, Buffer.alloc(3000)]))).toBe('whole')
      expect(endOf(Buffer.concat([image, Buffer.from('SEFH trailer \xFF\xC0\xFF\xE1 of a phone', 'latin1')]))).toBe(
        'whole',
      )
      expect(endOf(Buffer.concat([image, preview]))).toBe('whole')
    }
  })

  test('a JPEG that ends within its image is truncated, whatever previews it holds', () => {
    for (const image of [small, large, withPreview(small, preview)]) {
      for (const missing of [1, 2, 3, 100, 1000, 2000]) {
        expect(endOf(image.subarray(0, image.length - missing))).toBe('cut')
      }
    }
    // Right after the preview, whose end marker must not be taken for that of the image.
    const photo = withPreview(small, preview)
    for (const kept of [4, 100, 12 + preview.length, 12 + preview.length + 300]) {
      expect(endOf(photo.subarray(0, kept))).toBe('cut')
    }
    expect(endOf(large.subarray(0, 100_000))).toBe('cut')
    // Also within the length of a segment, anywhere before the image.
    for (let kept = 3; kept < 700; kept++) expect(endOf(small.subarray(0, kept)), `${kept} bytes`).toBe('cut')
  })

  test('a JPEG with megabytes appended is not considered truncated', () => {
    const film = Buffer.alloc(300_000)
    for (let at = 0; at < film.length; at += 1) film[at] = (at * 7919) >>> 3
    expect(endOf(Buffer.concat([large, film]))).not.toBe('cut')
    expect(endOf(Buffer.concat([large, Buffer.alloc(300_000)]))).not.toBe('cut')
  })

  test('a PDF is complete with its end marker', async () => {
    const pdf = await pdfFile()
    expect(endOf(pdf)).toBe('whole')
    expect(endOf(Buffer.concat([pdf, Buffer.alloc(2000, '\n')]))).toBe('whole')
    expect(endOf(pdf.subarray(0, pdf.length - 50))).toBe('cut')
    expect(endOf(pdf.subarray(0, pdf.length >> 1))).toBe('cut')
  })

  test('a PNG is complete with its last chunk', () => {
    const png = pngFile()
    expect(endOf(png)).toBe('whole')
    expect(endOf(Buffer.concat([png, Buffer.from('more')]))).toBe('whole')
    expect(endOf(png.subarray(0, -1))).toBe('cut')
  })

  test('a WebP is complete at its announced length', () => {
    const webp = webpFile()
    expect(endOf(webp)).toBe('whole')
    expect(endOf(webp.subarray(0, -2))).toBe('cut')
    expect(checkFileEnd(webp, webp)).toBe('unknown')
  })

  test('a video or HEIC is complete if its boxes fill it and describe it', () => {
    const data = box('mdat', Buffer.alloc(200_000))
    const film = Buffer.concat([fileTypeBox('mp42', 'isom'), data, box('moov', 'tracks of the film')])
    const photo = Buffer.concat([fileTypeBox('heic'), box('meta', 'items of the photo'), data])
    expect(endOf(film)).toBe('whole')
    expect(endOf(photo)).toBe('whole')
    expect(endOf(Buffer.concat([film, box('free')]))).toBe('whole')
    for (const cut of [
      film.subarray(0, -1),
      film.subarray(0, 100_000),
      photo.subarray(0, -1),
      photo.subarray(0, 5000),
    ]) {
      expect(endOf(cut)).toBe('cut')
    }
    expect(endOf(film.subarray(0, fileTypeBox('mp42', 'isom').length + data.length))).toBe('cut')
  })

  test('a video of more than 4 GiB is followed by its 64-bit lengths', () => {
    const head = Buffer.concat([fileTypeBox('mp42'), Buffer.from([0, 0, 0, 1]), Buffer.from('mdat'), Buffer.alloc(8)])
    head.writeBigUInt64BE(5_000_000_000n, head.length - 8)
    const moov = box('moov', 'tracks of the film')
    const sizeBytes = fileTypeBox('mp42').length + 5_000_000_000 + moov.length
    expect(checkFileEnd(head, moov, sizeBytes)).toBe('whole')
    expect(checkFileEnd(head, Buffer.alloc(100), 4_000_000_000)).toBe('cut')
  })

  test('boxes that cannot be followed yield no verdict', () => {
    const open = Buffer.concat([fileTypeBox('qt  '), Buffer.from([0, 0, 0, 0]), Buffer.from('mdat film up to the end')])
    expect(endOf(open)).toBe('unknown')
    const hidden = Buffer.concat([
      fileTypeBox('qt  '),
      box('free', Buffer.alloc(80_000)),
      box('moov', Buffer.alloc(90_000)),
    ])
    expect(endOf(hidden)).toBe('unknown')
    expect(checkFileEnd(hidden, hidden)).toBe('unknown')
  })

  test('formats without an end marker yield no verdict', () => {
    for (const file of [bytes('GIF89a'), bytes('II*\0'), bmp, bytes('?'), bytes('')])
      expect(endOf(file)).toBe('unknown')
  })
})
