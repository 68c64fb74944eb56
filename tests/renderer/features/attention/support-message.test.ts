import { expect, test } from 'vitest'
import { supportMessage } from '../../../../renderer/features/attention/support-message.ts'

const none = { projects: 0, checklists: 0, files: 0, previews: 0, message: null }
const checklist = { projectId: 'P1', projectName: 'Oak Street', checklistId: 'C1', checklistTitle: 'Roof' }

test('a message to the service names photos by ID, and repeats only its own words, without links', () => {
  const photo = { ...checklist, fileName: 'IMG_1.jpg', mediaId: 'M7' }
  const report = { ...checklist, fileName: 'report.pdf', mediaId: null }
  const ofFiles = supportMessage({ ...none, files: 2, message: 'The disk is slow. Try again.' }, 'Please help.', [
    photo,
    report,
  ])
  expect(ofFiles).toContain('- Project P1 (Oak Street), checklist C1 (Roof): M7 (IMG_1.jpg), report.pdf')
  expect(ofFiles).not.toMatch(/disk is slow|Time:|Error:/)

  const failed = 'The service failed to answer (status 502). Nothing was read. Try again later.'
  const ofStatus = supportMessage({ ...none, checklists: 1, message: failed }, 'Please help.', [checklist])
  expect(ofStatus).toContain('HTTP status: 502')
  expect(ofStatus).not.toContain('Try again')

  const refused =
    'The service rejected the request and says: id: unknown, see https://x.example/?access_token=t. Nothing was read.'
  const ofWords = supportMessage({ ...none, projects: 1, message: refused }, 'Please help.', [checklist])
  expect(ofWords).toContain('Your answer: id: unknown, see [link]')
  expect(ofWords).not.toContain('Nothing was read')
})
