import { expect, test } from 'vitest'
import { createRedactor } from '../../../../electron/engine/lib/redact.ts'
import { answerError } from '../../../../electron/engine/service/answer-errors.ts'
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

  const { message: failed } = answerError({ status: 502, body: '' }, 'archive', createRedactor())
  const ofStatus = supportMessage({ ...none, checklists: 1, message: failed }, 'Please help.', [checklist])
  expect(ofStatus).toContain('HTTP status: 502')
  expect(ofStatus).not.toContain('Try again')

  const answer = { errors: [{ field: 'id', message: 'Unknown. See https://x.example/?access_token=t for ids' }] }
  const body = JSON.stringify(answer)
  const { message: refused } = answerError({ status: 400, body }, 'archive', createRedactor())
  const ofWords = supportMessage({ ...none, projects: 1, message: refused }, 'Please help.', [checklist])
  expect(ofWords).toContain('Your answer: id: Unknown. See [link] for ids\n')
})
