import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns true if a Linux machine runs on its battery, by the attributes of its power supplies; source:
 * Documentation/ABI/testing/sysfs-class-power of the kernel. A battery that discharges while the machine is plugged in,
 * and those of devices such as a mouse, do not count. Never throws.
 */
export function runsOnBattery(folder = '/sys/class/power_supply'): boolean {
  const supplies = valueOf(() => readdirSync(folder)) ?? []
  const has = (supply: string, attribute: string, value: string) =>
    valueOf(() => readFileSync(join(folder, supply, attribute), 'utf8'))?.trim() === value
  const own = supplies.filter((supply) => !has(supply, 'scope', 'Device'))
  // 2: a USB charger whose voltage is negotiated.
  const isOnline = (supply: string) => has(supply, 'online', '1') || has(supply, 'online', '2')
  const isCharger = (supply: string) => has(supply, 'type', 'Mains') || has(supply, 'type', 'USB')
  if (own.some((supply) => isCharger(supply) && isOnline(supply))) return false
  return own.some((supply) => has(supply, 'type', 'Battery') && has(supply, 'status', 'Discharging'))
}

/** Returns what was read, or undefined if it does not exist, such as an attribute of a battery that was taken out. */
function valueOf<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
