import type { SampleProject } from '../site/site-types.ts'

/** Returns a body that the service accepts, for a project of the sample. */
export function exampleOrder(project: Pick<SampleProject, 'id' | 'address' | 'homeownerName'>) {
  return {
    projectId: project.id,
    status: 'ordered',
    tierLevel: 'maxFill',
    upgrade: false,
    isExpedited: false,
    form: {
      sizedForCategory: 'consumption',
      sizedForValue: '100',
      fireSetbacks: { ridge: 18, eave: 'undefined', rake: 'undefined', valley: 6, hip: 'undefined' },
      obstructionSetbacks: {
        vents: 5,
        exhaust: 'undefined',
        skylights: 'undefined',
        parapet: 12,
        general: 'undefined',
      },
      projectAddress: project.address,
      homeownerName: project.homeownerName,
      designOneModule: 'REC Alpha Pure-R 430',
      moduleOrientation: 'portrait',
      mixedOrientation: 'yes',
      moduleSpacingLong: '1',
      moduleSpacingShort: '0.5',
      azimuthRangeStart: '90',
      azimuthRangeEnd: '270',
      newBuildPlansRequired: false,
      isCommercialZone: false,
      negativeTolerance: null,
      positiveTolerance: 5,
    },
  }
}
