import type { ChecklistTemplate } from './checklist-templates.ts'

/** Names as people really type them, which no file system takes as they are. */
export const awkwardProjectName = 'O\'Brien/Nguyen: "solar + storage" <lot #7>…'

const veryLong =
  'Please photograph every penetration of the roof deck including the ones behind the chimney, under the satellite dish, next to the swamp cooler and wherever the previous contractor may have patched the felt, with a tape measure visible in each picture and the nearest rafter marked in chalk'

/** Checklists for the one project whose names are hard to archive. */
export const awkwardTemplates: readonly ChecklistTemplate[] = [
  {
    title: 'Re-inspection: "north / south" faces?',
    sections: [
      {
        label: 'Roof \\ eaves',
        questions: [
          { label: 'CON', kind: 'photo', scene: 'roof', photos: 2 },
          { label: 'Ridge 1/2" gap: yes/no?', kind: 'photo', scene: 'measure', photos: 2 },
          { label: 'Photos...', kind: 'photo', scene: 'roof', photos: 1 },
          { label: 'photos...', kind: 'photo', scene: 'array', photos: 1 },
        ],
      },
      {
        label: '☀️ Attic 🏠',
        questions: [
          { label: '.hidden rafters ', kind: 'photo', scene: 'attic', photos: 2 },
          { label: veryLong, kind: 'photo', scene: 'attic', photos: 1 },
        ],
      },
      {
        label: 'Electrical',
        questions: [
          { label: 'aux.txt', kind: 'photo', scene: 'panel', photos: 1 },
          { label: '../../meter', kind: 'photo', scene: 'meter', photos: 1 },
          { label: 'Größe der Hauptsicherung (A)', kind: 'number', answers: ['63'] },
        ],
      },
      { label: 'Site', questions: [{ label: 'Same name', kind: 'photo', scene: 'house', photos: 3 }] },
    ],
  },
  {
    title: 'nul',
    sections: [
      { label: 'Site', questions: [{ label: 'yard\u202egpj.exe', kind: 'photo', scene: 'yard', photos: 2 }] },
      { label: 'Site.', questions: [{ label: 'yard', kind: 'photo', scene: 'yard', photos: 1 }] },
    ],
  },
  {
    title: 'Final inspection ... ',
    sections: [
      {
        label: 'Roof',
        questions: [
          { label: 'Finished array | west', kind: 'photo', scene: 'array', photos: 3 },
          { label: 'Labels *all*', kind: 'photo', scene: 'labels', photos: 2 },
        ],
      },
      { label: 'Electrical', questions: [{ label: 'Inverter\tserial', kind: 'photo', scene: 'inverter', photos: 2 }] },
    ],
  },
  {
    title: 'Final inspection',
    sections: [
      { label: 'Roof', questions: [{ label: 'Finished array', kind: 'photo', scene: 'array', photos: 2 }] },
      { label: 'Site', questions: [{ label: '', kind: 'photo', scene: 'house', photos: 1 }] },
    ],
  },
]

/** File names for the photos of the awkward project, used in turn: duplicates, odd cases, none that is safe to trust. */
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
