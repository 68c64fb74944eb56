import { expect } from 'vitest'
import type { Page } from 'playwright-core'

/** Expects that no sent text ran or became an element, every control can be reached, and no text reverses others. */
export async function expectNoHarm(page: Page, where: string): Promise<void> {
  const found = await page.evaluate<object>(lookForHarm)
  const expected = { owned: 'undefined', title: 'Solarchive', elements: [], unreachable: [], turned: [] }
  expect.soft({ where, ...found }).toEqual({ where, ...expected })
  expect.soft(page.context().pages(), where).toHaveLength(1)
}

/**
 * `unreachable` has elements that scroll sideways, and buttons, fields, headings, and dialogs outside the window.
 * `turned` has texts with bidirectional characters in one paragraph with others, unless isolated (HTML's `bdi`), or in
 * one sentence with the app's own words.
 */
const lookForHarm = `(() => {
  const all = [...document.querySelectorAll('body, body *')]
  const within = (selector) => [...document.querySelectorAll(selector)].filter(isShown)
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1
  const nameOf = (element) => element.outerHTML.slice(0, 150)

  const harmful = 'img[src="x"], iframe, object, embed, body script, [onerror], [onload], [srcdoc], ' +
    'a[href^="javascript:" i], a[href^="http"]'
  const canScroll = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX)
  const scrollers = [document.documentElement, ...all.filter(canScroll)]
  const wide = scrollers.filter((element) => isShown(element) && element.scrollWidth > element.clientWidth + 1)
  const cut = within('button, input').filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  const outside = within('[role=dialog], h1').filter((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1
  })

  const isApart = (element) => /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi)
  const isInline = (element) => getComputedStyle(element).display === 'inline'
  const turned = all.flatMap((element) => [...element.childNodes]).filter((node) => {
    if (node.nodeType !== Node.TEXT_NODE || !/[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data)) return false
    let holder = node.parentElement
    while (isInline(holder) && !isApart(holder)) holder = holder.parentElement
    const hasOthers = holder.textContent.replace(node.data, '').trim() !== ''
    return /^\\s*[A-Z][a-z]+ /.test(node.data) || (hasOthers && !isInline(holder))
  })
  return {
    owned: typeof globalThis.owned,
    title: document.title.replace(/^[A-Z][a-z ]+ – /, ''),
    elements: [...document.querySelectorAll(harmful)].map(nameOf),
    unreachable: [...wide, ...cut, ...outside].map(nameOf),
    turned: turned.map((node) => nameOf(node.parentElement)),
  }
})()`
