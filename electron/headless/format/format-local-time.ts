/** A time of day as people read it, in the machine's own time zone: `2026-06-01 09:30`. */
export function formatLocalTime(iso: string): string {
  const date = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
