import type { SampleChecklist, SamplePhoto, SampleProject, SampleQuestion } from '../site/site-types.ts'
import type { LinkSigner } from './file-requests.ts'

/** The forms that the service's specification leaves open ("not shown"). */
export interface ShapeOptions {
  /** Lists: bare arrays, or an object with the array under this key; `named` is `checklists`, `media`, ... */
  readonly lists: 'array' | 'data' | 'items' | 'results' | 'named'
  /** Single objects: bare, the only element of an array, or under `data`. */
  readonly single: 'object' | 'array' | 'data'
  /**
   * Sections and questions: nested `components`, the same with a group between them, or `sections` with `questions`.
   */
  readonly tree: 'components' | 'deepComponents' | 'sections'
  /** Name of the PDF link's field; a dot makes an object, as in `report.url`. */
  readonly reportLink: string
  /** Name of a media record's position field. */
  readonly geolocation: string
  readonly geolocationForm: 'latLng' | 'latitudeLongitude' | 'exif' | 'geoJson' | 'none'
  /** The field of a media record that refers to `clientRefIds`: one of that name, its `id`, or only its file name. */
  readonly mediaReference: 'clientRefId' | 'id' | 'filename'
  /** Questions list their photos in `clientRefIds`, or have no such field. */
  readonly references: 'listed' | 'none'
  readonly idField: 'id' | '_id'
  /** Form of a field without a value. */
  readonly absent: 'omitted' | 'null'
}

/** The forms that the public documentation makes most likely. */
export const defaultShapes: ShapeOptions = {
  lists: 'array',
  single: 'object',
  tree: 'components',
  reportLink: 'pdfUrl',
  geolocation: 'geolocation',
  geolocationForm: 'latLng',
  mediaReference: 'clientRefId',
  references: 'listed',
  idField: 'id',
  absent: 'omitted',
}

/** Sets of forms, each unlike the others, that together cover all of them. */
export const shapePresets = {
  usual: {},
  sections: { tree: 'sections', reportLink: 'reportUrl', geolocationForm: 'latitudeLongitude', mediaReference: 'id' },
  wrapped: { lists: 'data', single: 'data', reportLink: 'pdfReportUrl', geolocationForm: 'exif', absent: 'null' },
  named: {
    lists: 'named',
    single: 'object',
    tree: 'deepComponents',
    reportLink: 'report.url',
    geolocation: 'location',
  },
  drifting: { lists: 'items', single: 'array', idField: '_id', reportLink: 'pdfLink', geolocationForm: 'geoJson' },
  sparse: { lists: 'results', mediaReference: 'filename', geolocationForm: 'none', reportLink: 'pdf' },
} as const satisfies Record<string, Partial<ShapeOptions>>

type Json = Record<string, unknown>

/** Returns functions that convert the sample's data to JSON of the chosen forms. */
export function createShapes(shapes: ShapeOptions, links: LinkSigner) {
  const fields = (all: Json): Json => {
    const populated: Json = {}
    for (const [name, value] of Object.entries(all)) {
      const field = name === 'id' ? shapes.idField : name
      if (value !== undefined && value !== null) populated[field] = value
      else if (shapes.absent === 'null') populated[field] = null
    }
    return populated
  }

  const reportField = (checklist: SampleChecklist): Json => {
    const url =
      checklist.status === 'completed' && checklist.report
        ? links.sign(`/reports/${checklist.projectId}/${checklist.id}.pdf`)
        : null
    const [name = 'pdfUrl', inner] = shapes.reportLink.split('.')
    return { [name]: url !== null && inner !== undefined ? { [inner]: url } : url }
  }

  const head = (checklist: SampleChecklist): Json => ({
    id: checklist.id,
    title: checklist.title,
    status: checklist.status,
    createdAt: checklist.createdAt,
    updatedAt: checklist.updatedAt,
    ...reportField(checklist),
  })

  const reference = (photo: SamplePhoto): string =>
    shapes.mediaReference === 'filename' ? `${photo.clientRefId}.jpg` : photo.clientRefId

  const question = (one: SampleQuestion): Json => {
    const taken = one.photos.filter((photo) => photo.state !== 'planned')
    return fields({
      label: one.label,
      type: { photo: 'file', text: 'textarea', choice: 'select', number: 'number' }[one.kind],
      value: one.answer,
      mediaCategoryId: one.mediaCategoryId,
      clientRefIds: shapes.references === 'none' ? undefined : taken.map(reference),
    })
  }

  const tree = (checklist: SampleChecklist): Json => {
    if (shapes.tree === 'sections') {
      const sections = checklist.sections.map(({ label, questions }) => ({ label, questions: questions.map(question) }))
      return { sections }
    }
    const components = checklist.sections.map(({ label, questions }) => {
      const inner = questions.map(question)
      const grouped = shapes.tree === 'deepComponents' ? [{ type: 'columns', components: inner }] : inner
      return { type: 'panel', label, components: grouped }
    })
    return { components }
  }

  return {
    /** Returns a list; `name` is `checklists`, `media`, `projects`, `modules`, or `serviceRequests`. */
    list: (name: string, items: readonly Json[]): unknown => {
      if (shapes.lists === 'array') return items
      return { [shapes.lists === 'named' ? name : shapes.lists]: items, total: items.length }
    },
    single: (item: Json): unknown => {
      if (shapes.single === 'array') return [item]
      return shapes.single === 'data' ? { data: item } : item
    },
    checklistHead: (checklist: SampleChecklist): Json => fields(head(checklist)),
    checklist: (checklist: SampleChecklist): Json => fields({ ...head(checklist), ...tree(checklist) }),
    media: (photo: SamplePhoto): Json => {
      const path = `${photo.projectId}/${photo.checklistId}/${photo.id}.jpg`
      const references = {
        clientRefId: { id: photo.id, clientRefId: photo.clientRefId },
        id: { id: photo.clientRefId },
        filename: {},
      }[shapes.mediaReference]
      return fields({
        ...references,
        filename: shapes.mediaReference === 'filename' ? reference(photo) : photo.filename,
        imgUrl: links.sign(`/photos/${path}`),
        thumbnailUrl: links.sign(`/thumbnails/${path}`),
        [shapes.geolocation]: positionOf(photo.place, shapes.geolocationForm),
        takenAt: photo.takenAt,
      })
    },
    project: (project: SampleProject): Json =>
      fields({
        id: project.id,
        name: project.name,
        address: project.address,
        homeownerName: project.homeownerName,
        status: project.status,
        mode: project.mode,
        createdAt: project.createdAt,
      }),
    fields,
  }
}

/** Returns a position rounded to 6 decimals, about 10 cm. */
function positionOf({ latitude, longitude }: SamplePhoto['place'], form: ShapeOptions['geolocationForm']): unknown {
  const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
  const [lat, lng] = [round(latitude), round(longitude)]
  switch (form) {
    case 'latLng':
      return { lat, lng }
    case 'latitudeLongitude':
      return { latitude: lat, longitude: lng }
    case 'exif': {
      const [north, east] = [lat >= 0, lng >= 0]
      const [GPSLatitude, GPSLongitude] = [Math.abs(lat), Math.abs(lng)]
      return { GPSLatitude, GPSLatitudeRef: north ? 'N' : 'S', GPSLongitude, GPSLongitudeRef: east ? 'E' : 'W' }
    }
    case 'geoJson':
      return { type: 'Point', coordinates: [lng, lat] }
    case 'none':
      return null
  }
}

export type Shapes = ReturnType<typeof createShapes>
