import type { SeededRandom } from '../../site/seeded-random.ts'

/** What a site looks like in every one of its photos. Colours are 0xRRGGBB. */
export interface SiteLook {
  readonly roof: number
  readonly siding: number
  readonly trim: number
  readonly door: number
  readonly wall: 'siding' | 'stucco' | 'brick'
  readonly insulation: number
  readonly sky: 'clear' | 'scattered' | 'overcast' | 'evening'
}

/** What a painter knows: the site's look and the photo's own repeatable choices. */
export interface SceneSetting {
  readonly look: SiteLook
  readonly random: SeededRandom
}

/** A believable look for a site. */
export function chooseSiteLook(random: SeededRandom): SiteLook {
  return {
    roof: random.pick([0x5b5a5c, 0x6d5f55, 0x7a5a48, 0x4b5560, 0x70706b, 0x84705c, 0x434246]),
    siding: random.pick([0xd9d2c0, 0xaebdc6, 0xc4b49a, 0x8fa08c, 0xe4e1da, 0x7f93a6, 0xb9a08c]),
    trim: random.pick([0xf4f2ec, 0xf4f2ec, 0xe6dfd0, 0x4a4640]),
    door: random.pick([0x7c2f2a, 0x2d4a63, 0x35543c, 0x5b3d28, 0x2b2d30]),
    wall: random.pick(['siding', 'siding', 'stucco', 'brick'] as const),
    insulation: random.pick([0xe3a7b0, 0xdcc78e, 0xcfcbc4]),
    sky: random.pick(['clear', 'scattered', 'scattered', 'overcast', 'evening'] as const),
  }
}
