import { useArchiveFiles } from '../../stores/use-archive-files.ts'
import { openContextMenu } from '../../ui/row-menus.ts'

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
      ...(link === null ? [] : [[{ label: 'Open', icon: 'i-lucide-arrow-right', onSelect: () => link.click() }]]),
      [{ label: 'Copy text', icon: 'i-lucide-copy', onSelect: () => copyText(text, 'Text') }],
    ])
  }
}
