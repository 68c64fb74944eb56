/** As the service's interface names them. */
export const setbackRegions = ['NYC', 'LI', 'WcCO'] as const
export type SetbackRegion = (typeof setbackRegions)[number]
