import type { EventValue } from '../../../shared/contract.ts'
import type { Installation } from '../../app/create-installation.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { followPower } from './follow-power.ts'

/**
 * Keeps the engine as the machine's power wants it until what it answers is called: after a sleep it looks again at what was in
 * its way, and on battery it rests if the settings say so.
 */
export function followPowerFor(
  { bridge, followEngine }: Pick<Installation, 'bridge' | 'followEngine'>,
  log: Log,
): () => void {
  let isOnBattery = false
  let pausesOnBattery = false
  let spare: (isSparing: boolean) => void = () => undefined
  const apply = () => spare(isOnBattery && pausesOnBattery)

  const stopFollowing = followEngine((engine) => {
    spare = (isSparing) => engine?.watch.spareBattery(isSparing)
    apply()
  })
  const unsubscribe = bridge.subscribe(({ name, value }) => {
    if (name !== 'settings-state') return
    pausesOnBattery = (value as EventValue<'settings-state'>).pauseOnBattery
    apply()
  })
  const stopPower = followPower({
    onSleep(isAsleep) {
      if (isAsleep) return log.info('The machine goes to sleep')
      log.info('The machine has woken up')
      void bridge.call('watch.nudge', {})
    },
    onBattery(isOn) {
      log.debug('The power of the machine', { isOnBattery: isOn })
      isOnBattery = isOn
      apply()
    },
  })
  return () => {
    stopPower()
    unsubscribe()
    stopFollowing()
  }
}
