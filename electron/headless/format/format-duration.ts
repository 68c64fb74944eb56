/** A duration in the two largest units that matter: `0.4 s`, `12 s`, `2 min 5 s`, `1 h 20 min`, `3 d 4 h`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  if (ms < 9_950) return `${Number((ms / 1000).toFixed(1))} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 1, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return twoUnits(minutes, 60, 'h', 1, 'min')
  return twoUnits(Math.round(minutes / 60), 24, 'd', 1, 'h')
}

function twoUnits(count: number, perLarge: number, large: string, perSmall: number, small: string): string {
  const rest = Math.floor((count % perLarge) / perSmall)
  return `${Math.floor(count / perLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** A time left, coarse enough not to flicker: `less than 10 s`, `40 s`, `2 min`, `1 h 20 min`. */
export function formatTimeLeft(leftMs: number): string {
  if (leftMs < 10_000) return 'less than 10 s'
  if (leftMs <= 50_000) return `${Math.ceil(leftMs / 10_000) * 10} s`
  const minutes = Math.ceil(leftMs / 60_000)
  return formatDuration(minutes * 60_000)
}
