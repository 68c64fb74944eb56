import { powerMonitor } from 'electron'

/** What the machine's power means for the work. */
export interface PowerListener {
  /** The machine is about to sleep, or has woken. */
  onSleep(isAsleep: boolean): void
  /** Told at once, and with each change. Machines without a battery are never on one. */
  onBattery(isOnBattery: boolean): void
}

/** Tells of the machine's power until what it answers is called. The app has to be ready. */
export function followPower(listener: PowerListener): () => void {
  const sleep = () => listener.onSleep(true)
  const wake = () => listener.onSleep(false)
  const battery = () => listener.onBattery(true)
  const mains = () => listener.onBattery(false)
  powerMonitor.on('suspend', sleep)
  powerMonitor.on('resume', wake)
  powerMonitor.on('on-battery', battery)
  powerMonitor.on('on-ac', mains)
  listener.onBattery(powerMonitor.isOnBatteryPower())
  return () => {
    powerMonitor.off('suspend', sleep)
    powerMonitor.off('resume', wake)
    powerMonitor.off('on-battery', battery)
    powerMonitor.off('on-ac', mains)
  }
}
