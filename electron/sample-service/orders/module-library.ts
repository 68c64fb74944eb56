const models: readonly (readonly [manufacturer: string, model: string, wattage: number])[] = [
  ['REC', 'Alpha Pure-R 430', 430],
  ['Qcells', 'Q.PEAK DUO BLK ML-G10+ 410', 410],
  ['Silfab', 'SIL-420 BG', 420],
  ['Canadian Solar', 'HiKu6 CS6R-405MS', 405],
]

/** Modules as a company keeps them for its orders. */
export const sampleModules = models.map(([manufacturer, model, wattage], index) => ({
  ...{ id: `module-${index + 1}`, manufacturer, model, wattage },
  name: `${manufacturer} ${model}`,
}))
