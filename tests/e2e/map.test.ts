import { expect, test } from 'vitest'
import { photosOf, type SamplePhoto } from '../../electron/sample-service/site/site-types.ts'
import { shareApp } from './support/with-app.ts'

const app = shareApp({
  addsProjects: false,
  service: { projects: 1, checklistsPerProject: 1, statuses: ['completed'] },
})

/**
 * Archives a checklist of which three photos were taken from one spot, one without a location, and (as always in the
 * sample's first checklist) the tenth far away. Shows its page.
 */
async function showChecklist() {
  const { page, service, show, call, untilArchived } = app()
  const [project] = service.projects
  const [checklist] = project?.checklists ?? []
  if (project === undefined || checklist === undefined) throw new Error('There is no checklist')
  const photos: SamplePhoto[] = photosOf(checklist)
  for (const photo of photos.slice(0, 3)) Object.assign(photo, { place: project.place })
  Object.assign(photos[3] ?? {}, { place: { latitude: 0, longitude: 0 } })
  await call('projects.add', { projects: [{ id: project.id, name: project.name }] })
  await call('sync.now', { projectIds: [project.id] })
  await untilArchived()
  const path = `/projects/${project.id}/checklists/${checklist.id}`
  await show(path)
  const far = page.getByText('1 photo was taken over 490 ft (150 m) from the others.')
  const { latitude, longitude } = project.place
  return {
    path,
    count: photos.length,
    far,
    farName: photos[9]?.filename ?? '',
    /** Corrects the location of the first photo by some 100 m at the service. */
    moveFirstPhoto: () => {
      Object.assign(photos[0] ?? {}, { place: { latitude: latitude + 0.001, longitude } })
      service.renameChecklist(checklist, checklist.title)
    },
  }
}

test('the map of a checklist by keyboard: the list, the map itself, and its photos', async () => {
  const { page, expectAccessible } = app()
  const { count, far } = await showChecklist()
  await page.getByRole('navigation', { name: 'This checklist' }).getByRole('link', { name: 'Map' }).focus()
  await page.keyboard.press('Enter')
  await far.waitFor()
  await expectAccessible()

  const list = page.getByRole('region', { name: 'Photos on the map' })
  await page.getByRole('button', { name: `On the map ${count - 1}` }).waitFor()
  await list.getByRole('button').first().focus()
  await page.keyboard.press('ArrowDown')
  const second = list.locator('[data-index="1"] button')
  await expect.poll(() => second.getAttribute('aria-current')).toBe('true')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  await page.keyboard.press('Escape')
  const focusedRow = 'document.activeElement.closest("[data-index]")?.getAttribute("data-index")'
  await expect.poll(() => page.evaluate<string | null>(focusedRow)).toBe('1')

  const map = page.getByRole('region', { name: 'Map', exact: true })
  await map.focus()
  await page.keyboard.press('0')
  await map.getByRole('button', { name: /^\d+ photos close together, 1 far|^Open .* 1,3\d\d ft/ }).waitFor()
  // One mark is in the tab order; the arrow keys lead to the others.
  await page.keyboard.press('Tab')
  await expect.poll(() => focusedLabel()).toMatch(/^\d+ photos close together|^Open photo of/)
  await map.getByRole('button', { name: 'photos close together' }).first().focus()
  // Into the cluster until photos are apart, then from one to the next.
  while (/close together/.test((await focusedLabel()) ?? '')) {
    const before = await focusedLabel()
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedLabel()).not.toBe(before)
  }
  const label = await focusedLabel()
  expect(label).toMatch(/^Open photo of .*from the others/)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focusedLabel()).not.toBe(label)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focusedLabel()).toMatch(/^Open photo of/)

  await page.getByRole('button', { name: 'No location 1' }).click()
  await page.getByRole('region', { name: 'Photos without a location' }).getByRole('button').waitFor()

  function focusedLabel() {
    return page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
  }
})

test('the map by mouse: the far photo, previews, clusters, zoom; and the timeline', async () => {
  const { page, show, call, expectAccessible } = app()
  const { path, count, farName, moveFirstPhoto } = await showChecklist()
  await page.getByRole('link', { name: 'Map' }).click()
  const map = page.getByRole('region', { name: 'Map', exact: true })
  // The site fills the view; the far photo is outside of it.
  await map.getByText('1 photo outside this view').waitFor()
  // The list has it at the top, and does not scroll to a photo that was chosen before.
  await map.locator('[data-mark]').first().hover()
  await page.getByRole('button', { name: 'Show on the map' }).click()
  const first = page.getByRole('region', { name: 'Photos on the map' }).locator('[data-index="0"] button')
  await expect.poll(() => first.getAttribute('aria-current')).toBe('true')
  const farMark = map.getByRole('button', { name: farName })
  await farMark.waitFor()
  await map.getByText('490 ft (150 m) from the middle of the photos').waitFor()
  await farMark.hover()
  await map.locator('img').waitFor()
  // In a low map, the card leaves room for what is below.
  await page.setViewportSize({ width: 800, height: 600 })
  await page.getByRole('button', { name: 'Show the site' }).click()
  await map.locator('[data-mark]').first().hover()
  const [card, outside] = [map.locator('img').first().locator('xpath=../..'), map.getByText('outside this view')]
  await expect
    .poll(async () => {
      const [above, below] = [await card.boundingBox(), await outside.boundingBox()]
      return above !== null && below !== null && above.y + above.height <= below.y
    })
    .toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Show on the map' }).click()
  await farMark.click()
  await page.getByRole('dialog', { name: 'Photos' }).getByText(farName).waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Show the site' }).click()
  const spot = map.getByRole('button', { name: '3 photos close together' })
  await map.getByText('1 photo outside this view').waitFor()
  // Other photos may be near the spot until the map is close enough.
  while ((await spot.count()) === 0) {
    await map.hover()
    await page.mouse.wheel(0, -200)
  }
  const marks = map.locator('[data-mark]')
  await expect
    .poll(async () => {
      if ((await spot.count()) > 0) await spot.click()
      return map.locator('.leg').count()
    })
    .toBe(3)
  await expectAccessible(map)
  await page.keyboard.press('Escape')
  await expect.poll(() => map.locator('.leg').count()).toBe(0)

  // One of the three turns out to be elsewhere: nothing is spread out any more, and no mark stays faded.
  await spot.click()
  await expect.poll(() => map.locator('.leg').count()).toBe(3)
  expect(await map.locator('.opacity-25').count()).toBeGreaterThan(0)
  moveFirstPhoto()
  await call('sync.now', {})
  await map.getByRole('button', { name: '2 photos close together' }).waitFor()
  await expect.poll(() => map.locator('.leg, .opacity-25').count()).toBe(0)

  // Marks appear below the resting mouse, and choose nothing.
  const other = await marks.last().boundingBox()
  await page.mouse.move((other?.x ?? 0) + (other?.width ?? 0) / 2, (other?.y ?? 0) + (other?.height ?? 0) / 2)
  await show(`${path}/timeline`)
  await page.getByRole('region', { name: 'Photos by time' }).waitFor()
  await show(`${path}/map`)
  await marks.first().waitFor()
  expect(await page.locator('[aria-current="true"]').count()).toBe(0)

  // A button that was released beyond the edge is not pressed: the map stays where it is.
  const edges = await map.boundingBox()
  if (edges === null) throw new Error('There is no map')
  const right = edges.x + edges.width
  const middle = edges.y + edges.height / 2
  const positions = () =>
    page.evaluate<number[]>(
      "[...document.querySelectorAll('[data-mark]')].map((mark) => mark.getBoundingClientRect().x)",
    )
  await page.mouse.move(right - 2, middle)
  await page.mouse.down()
  await page.mouse.move(right + 20, middle)
  await page.mouse.up()
  const before = await positions()
  await page.mouse.move(right - 80, middle)
  await page.mouse.move(right - 160, middle)
  expect(await positions()).toEqual(before)

  await page.getByRole('link', { name: 'Timeline' }).click()
  const timeline = page.getByRole('region', { name: 'Photos by time' })
  await timeline.getByText('Times are local (UTC').waitFor()
  await timeline.getByRole('heading', { name: /, 2026$/ }).waitFor()
  await expectAccessible()
  await timeline.locator('[data-photo="0"]').focus()
  await page.keyboard.press('End')
  await expect.poll(() => timeline.locator(`[data-photo="${count - 1}"]`).getAttribute('tabindex')).toBe('0')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Photos' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option', { name: 'Without a location' }).click()
  await page.getByText(`1 of ${count} photos`).waitFor()
  await page.getByRole('combobox', { name: 'Section' }).click()
  await page.getByRole('option', { name: 'Site' }).click()
  await page.getByText('No photo matches the section, question, and location chosen above.').waitFor()
  await page.getByRole('button', { name: 'Show all photos' }).click()
  await page.getByText(`${count} photos`, { exact: true }).first().waitFor()
})
