import { drawPhoto } from '../images/draw-photo.ts'
import type { Picture } from '../images/draw-photo.ts'
import { exifPayload } from '../images/exif.ts'
import { withExif } from '../images/jpeg-segments.ts'
import { markedThumbnail, paddedPhoto } from '../images/padded-photo.ts'
import { paddedReport } from '../reports/padded-report.ts'
import { reportPdf } from '../reports/report-pdf.ts'
import type { ReportContent } from '../reports/report-pdf.ts'
import type { SampleSite } from '../site/sample-site.ts'
import { SeededRandom } from '../site/seeded-random.ts'
import type { SampleChecklist, SamplePhoto, SampleProject, SampleReport } from '../site/site-types.ts'
import { ByteCache } from './byte-cache.ts'

const photoWidth = 960
const thumbnailWidth = 240

const cameras = [
  ['Apple', 'iPhone 15'],
  ['Google', 'Pixel 8'],
  ['samsung', 'SM-S921U'],
] as const

/** Local time as people write it in the United States, for example `Jun 12, 2025 · 10:42 AM`. */
function localTime(iso: string, utcOffsetMinutes: number): string {
  const local = new Date(Date.parse(iso) + utcOffsetMinutes * 60_000)
  const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][
    local.getUTCMonth()
  ]
  const hour = local.getUTCHours()
  const minute = String(local.getUTCMinutes()).padStart(2, '0')
  const clock = `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
  return `${month} ${local.getUTCDate()}, ${local.getUTCFullYear()} · ${clock}`
}

/** The bytes of every report, photo and thumbnail, made when they are first asked for. */
export class SampleFiles {
  readonly #site: SampleSite
  readonly #cache: ByteCache
  readonly #photoBytes: number | null
  readonly #reportBytes: number | null
  #baseReport: Promise<Buffer> | undefined

  constructor(site: SampleSite, sizes: { photoBytes: number | null; reportBytes: number | null; cacheBytes: number }) {
    this.#site = site
    this.#cache = new ByteCache(sizes.cacheBytes)
    this.#photoBytes = sizes.photoBytes
    this.#reportBytes = sizes.reportBytes
  }

  photo(photo: SamplePhoto): Promise<Buffer> {
    return this.#cache.get(`${photo.id}/${photo.revision}`, () => this.#makePhoto(photo))
  }

  thumbnail(photo: SamplePhoto): Promise<Buffer> {
    return this.#thumbnailAt(photo, photo.revision)
  }

  /** The PDF as it was made last. Rejects with a RangeError when the checklist never had one. */
  report(checklist: SampleChecklist): Promise<Buffer> {
    const { report } = checklist
    if (!report) return Promise.reject(new RangeError(`The checklist ${checklist.id} has no report yet`))
    return this.#cache.get(`${checklist.id}/${report.revision}`, () => this.#makeReport(checklist, report))
  }

  #thumbnailAt(photo: SamplePhoto, revision: number): Promise<Buffer> {
    const key = `${photo.id}/thumbnail/${revision}`
    return this.#cache.get(key, () => {
      if (this.#photoBytes !== null) return markedThumbnail(photo.scene, key)
      return drawPhoto({ ...this.#picture(photo, revision), caption: null }, thumbnailWidth, 78)
    })
  }

  #makePhoto(photo: SamplePhoto): Buffer {
    const project = this.#project(photo.projectId)
    const key = `${photo.id}/${photo.revision}`
    const random = new SeededRandom(`${key}/camera`)
    const [make, model] = new SeededRandom(`${project.id}/camera`).pick(cameras)
    const altitudeMetres = project.altitudeMetres + random.between(2, 9)
    const direction = random.between(0, 359.9)
    const exif = (width: number, height: number): Buffer =>
      exifPayload({
        make,
        model,
        description: `${project.address} (sample photo)`,
        takenAtMs: Date.parse(photo.takenAt),
        utcOffsetMinutes: project.utcOffsetMinutes,
        ...photo.place,
        altitudeMetres,
        direction,
        width,
        height,
      })
    if (this.#photoBytes !== null) return paddedPhoto(photo.scene, this.#photoBytes, key, exif)
    const jpeg = drawPhoto(this.#picture(photo, photo.revision), photoWidth, 82)
    return withExif(jpeg, exif(photoWidth, (photoWidth * 3) / 4))
  }

  #picture(photo: SamplePhoto, revision: number): Picture {
    const project = this.#project(photo.projectId)
    const replaced = revision === 0 ? '' : ` · retake ${revision}`
    return {
      scene: photo.scene,
      siteKey: project.id,
      key: `${photo.id}/${revision}`,
      caption: {
        question: photo.questionLabel,
        address: project.address,
        number: `Photo ${photo.number}${replaced}`,
        time: localTime(photo.takenAt, project.utcOffsetMinutes),
      },
    }
  }

  async #makeReport(checklist: SampleChecklist, report: SampleReport): Promise<Buffer> {
    const project = this.#project(checklist.projectId)
    const key = `${checklist.id}/${report.revision}`
    if (this.#reportBytes !== null) {
      this.#baseReport ??= reportPdf(baseReportContent)
      return paddedReport(await this.#baseReport, this.#reportBytes, key)
    }
    const sections: ReportContent['sections'][number][] = []
    for (const { label, questions } of report.sections) {
      const shown = questions.map(async (question) => ({
        label: question.label,
        answer: question.answer,
        photos: await Promise.all(
          question.photos.map(async ({ photo, revision }) => ({
            jpeg: await this.#thumbnailAt(photo, revision),
            note: `Photo ${photo.number}  ·  ${localTime(photo.takenAt, project.utcOffsetMinutes)}`,
          })),
        ),
      }))
      sections.push({ label, questions: await Promise.all(shown) })
    }
    return reportPdf({
      title: report.title,
      address: project.address,
      homeownerName: project.homeownerName,
      reference: checklist.id,
      madeAt: new Date(report.madeAt),
      issue: report.revision + 1,
      sections,
    })
  }

  #project(projectId: string): SampleProject {
    const project = this.#site.project(projectId)
    if (!project) throw new RangeError(`There is no project ${projectId}`)
    return project
  }
}

const baseReportContent: ReportContent = {
  title: 'Checklist report',
  address: 'Sample address',
  homeownerName: 'Sample homeowner',
  reference: 'sample',
  madeAt: new Date(Date.UTC(2026, 5, 1, 15)),
  issue: 1,
  sections: [{ label: 'Site', questions: [{ label: 'Remarks', answer: 'None', photos: [] }] }],
}
