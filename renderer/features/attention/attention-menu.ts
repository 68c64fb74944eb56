import { useArchiveFiles } from '../../stores/use-archive-files.ts'
import { menuItem, openContextMenu } from '../../ui/row-menus.ts'

/**
 * Returns a handler of `contextmenu` for lists whose rows have `data-attention-row`: it opens the row's link, and
 * copies its text, which is in `data-attention-text`.
 */
export function useAttentionMenu(): (event: MouseEvent) => void {
  const { copyText } = useArchiveFiles()
  return (event) => {
    const row = event.target instanceof Element ? event.target.closest('[data-attention-row]') : null
    if (row === null) return
    const link = row.querySelector<HTMLAnchorElement>('[data-attention-text] a')
    const text = row.querySelector<HTMLElement>('[data-attention-text]')?.innerText.trim() ?? ''
    openContextMenu(event, () => [
      [link !== null && menuItem('Open', 'i-lucide-arrow-right', () => link.click())],
      [menuItem('Copy text', 'i-lucide-copy', () => copyText(text, 'Text'))],
    ])
  }
}
