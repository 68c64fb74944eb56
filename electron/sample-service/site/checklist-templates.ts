import type { Scene } from './site-types.ts'

/** A question of a template. `photos` is the number of its photos unless an option overrides it. */
export type QuestionTemplate =
  | {
      readonly label: string
      readonly kind: 'photo'
      readonly scene: Scene
      readonly photos: number
      /** Questions with the same key share one media category. */
      readonly sharedCategory?: string
    }
  | { readonly label: string; readonly kind: 'text' | 'choice' | 'number'; readonly answers: readonly string[] }

interface SectionTemplate {
  readonly label: string
  readonly questions: readonly QuestionTemplate[]
}

export interface ChecklistTemplate {
  readonly title: string
  /** The file of `resources/sample/reports` that shows these questions; without it, a general one. */
  readonly reportFile?: string
  readonly sections: readonly SectionTemplate[]
}

const photo = (label: string, scene: Scene, photos: number, sharedCategory?: string): QuestionTemplate => ({
  label,
  kind: 'photo',
  scene,
  photos,
  ...(sharedCategory === undefined ? {} : { sharedCategory }),
})
const choice = (label: string, ...answers: string[]): QuestionTemplate => ({ label, kind: 'choice', answers })
const text = (label: string, ...answers: string[]): QuestionTemplate => ({ label, kind: 'text', answers })
const number = (label: string, ...answers: string[]): QuestionTemplate => ({ label, kind: 'number', answers })
const sections = (byLabel: Readonly<Record<string, readonly QuestionTemplate[]>>): SectionTemplate[] =>
  Object.entries(byLabel).map(([label, questions]) => ({ label, questions }))

/** Checklists that solar contractors fill in, in the order of a job. */
export const checklistTemplates: readonly ChecklistTemplate[] = [
  {
    title: 'Site survey',
    reportFile: 'site-survey.pdf',
    sections: sections({
      Roof: [
        choice('Roof material', 'Asphalt shingle', 'Architectural shingle', 'Asphalt shingle, two layers'),
        photo('Roof planes to be used', 'roof', 4),
        photo('Shingle condition and exposure', 'measure', 2),
        number('Roof age in years', '4', '9', '12', '17'),
      ],
      Attic: [
        photo('Rafters and sheathing', 'attic', 3),
        text('Rafter size and spacing', '2x6, 24 in on center', '2x8, 16 in on center'),
      ],
      Electrical: [
        photo('Main service panel, cover off', 'panel', 2, 'service'),
        photo('Main breaker rating', 'panel', 1, 'service'),
        photo('Utility meter', 'meter', 2),
        choice('Service size', '100 A', '125 A', '150 A', '200 A'),
      ],
      Site: [
        photo('House from the street', 'house', 2),
        photo('Trees and shading', 'yard', 2),
        text(
          'Gate code or dogs',
          'Side gate is unlocked, friendly dog',
          'No gate',
          'Call before entering the back yard',
        ),
      ],
    }),
  },
  {
    title: 'Pre-install checklist',
    reportFile: 'pre-install-checklist.pdf',
    sections: sections({
      Roof: [
        photo('Attachment layout marked', 'measure', 3),
        photo('Obstructions and vents', 'roof', 3),
        choice('Fall protection anchors set', 'Yes', 'No'),
      ],
      Electrical: [
        photo('Breaker space for the backfeed', 'panel', 2),
        photo('Inverter location', 'inverter', 2),
        number('Conduit run in feet', '28', '42', '65'),
      ],
      Site: [
        photo('Staging area', 'yard', 2),
        photo('Driveway access', 'house', 1),
        text('Delivery notes', 'Pallets in the driveway, not on the lawn', 'Crane not needed'),
      ],
    }),
  },
  {
    title: 'Final inspection',
    reportFile: 'final-inspection.pdf',
    sections: sections({
      Roof: [
        photo('Finished array', 'array', 4),
        photo('Flashing and penetrations', 'measure', 2),
        choice('Debris removed', 'Yes'),
      ],
      Attic: [photo('No daylight at lag bolts', 'attic', 2)],
      Electrical: [
        photo('Inverter commissioned', 'inverter', 2),
        photo('Warning labels in place', 'labels', 3),
        photo('Meter and disconnect', 'meter', 1),
        number('AC output at test in kW', '4.8', '6.1', '7.4'),
      ],
      Site: [
        photo('House after the work', 'house', 2),
        text('Inspector remarks', 'Passed without remarks', 'Passed, add a label at the disconnect'),
      ],
    }),
  },
  {
    title: 'Electrical upgrade survey',
    reportFile: 'electrical-upgrade-survey.pdf',
    sections: sections({
      Electrical: [
        photo('Existing panel and directory', 'panel', 4),
        photo('Grounding electrode', 'labels', 1),
        photo('Meter and riser', 'meter', 2),
        choice('Panel upgrade needed', 'Yes', 'No'),
      ],
      Site: [
        photo('Route to the new panel', 'inverter', 2),
        photo('Side of the house', 'yard', 2),
        text('Utility contact', 'Appointment needed, two weeks ahead', 'Disconnect on request'),
      ],
    }),
  },
  {
    title: 'Roof condition report',
    reportFile: 'roof-condition-report.pdf',
    sections: sections({
      Roof: [
        photo('Every roof plane', 'roof', 4),
        photo('Damage and repairs', 'measure', 3),
        choice('Replacement advised', 'No', 'Within five years'),
      ],
      Attic: [photo('Water stains', 'attic', 2), number('Moisture reading in percent', '9', '11', '14')],
      Site: [photo('Eaves and gutters', 'house', 2)],
    }),
  },
  {
    title: 'Battery walkthrough',
    reportFile: 'battery-walkthrough.pdf',
    sections: sections({
      Electrical: [
        photo('Battery wall', 'inverter', 3),
        photo('Backed-up loads panel', 'panel', 2),
        photo('Labels', 'labels', 2),
        number('Clearance in inches', '36', '42'),
      ],
      Site: [
        photo('Garage from outside', 'house', 2),
        text('Vehicle protection', 'Bollard needed', 'Not in a traffic path'),
      ],
    }),
  },
]

/** A name as people type it, which no file system accepts unchanged. */
export const awkwardProjectName = 'O\'Brien/Nguyen: "solar + storage" <lot #7>…'

const veryLong =
  'Please photograph every penetration of the roof deck including the ones behind the chimney, under the satellite ' +
  'dish, next to the swamp cooler and wherever the previous contractor may have patched the felt, with a tape ' +
  'measure visible in each picture and the nearest rafter marked in chalk'

/** Checklists for the one project whose names are hard to archive. */
export const awkwardTemplates: readonly ChecklistTemplate[] = [
  {
    title: 'Re-inspection: "north / south" faces?',
    sections: sections({
      'Roof \\ eaves': [
        { label: 'CON', kind: 'photo', scene: 'roof', photos: 2 },
        { label: 'Ridge 1/2" gap: yes/no?', kind: 'photo', scene: 'measure', photos: 2 },
        { label: 'Photos...', kind: 'photo', scene: 'roof', photos: 1 },
        { label: 'photos...', kind: 'photo', scene: 'array', photos: 1 },
      ],
      '☀️ Attic 🏠': [
        { label: '.hidden rafters ', kind: 'photo', scene: 'attic', photos: 2 },
        { label: veryLong, kind: 'photo', scene: 'attic', photos: 1 },
      ],
      Electrical: [
        { label: 'aux.txt', kind: 'photo', scene: 'panel', photos: 1 },
        { label: '../../meter', kind: 'photo', scene: 'meter', photos: 1 },
        { label: 'Größe der Hauptsicherung (A)', kind: 'number', answers: ['63'] },
      ],
      Site: [{ label: 'Same name', kind: 'photo', scene: 'house', photos: 3 }],
    }),
  },
  {
    title: 'nul',
    sections: sections({
      Site: [{ label: 'yard\u202egpj.exe', kind: 'photo', scene: 'yard', photos: 2 }],
      'Site.': [{ label: 'yard', kind: 'photo', scene: 'yard', photos: 1 }],
    }),
  },
  {
    title: 'Final inspection ... ',
    sections: sections({
      Roof: [
        { label: 'Finished array | west', kind: 'photo', scene: 'array', photos: 3 },
        { label: 'Labels *all*', kind: 'photo', scene: 'labels', photos: 2 },
      ],
      Electrical: [{ label: 'Inverter\tserial', kind: 'photo', scene: 'inverter', photos: 2 }],
    }),
  },
  {
    title: 'Final inspection',
    sections: sections({
      Roof: [{ label: 'Finished array', kind: 'photo', scene: 'array', photos: 2 }],
      Site: [{ label: '', kind: 'photo', scene: 'house', photos: 1 }],
    }),
  },
]

/** File names for the photos of that project, used in turn: duplicates, odd cases, paths, reserved names. */
export const awkwardFilenames: readonly string[] = [
  'IMG_0001.jpg',
  'IMG_0001.jpg',
  'img_0001.JPG',
  'photo:2.jpg',
  '../../escape.jpg',
  'CON.jpg',
  'roof 🏠.jpeg',
  'IMG_0001',
  'IMG_0001.jpg',
  'trailing.jpg.',
]
