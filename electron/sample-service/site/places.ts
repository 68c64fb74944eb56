import type { SeededRandom } from './seeded-random.ts'
import type { SamplePlace } from './site-types.ts'

interface City extends SamplePlace {
  readonly name: string
  readonly state: string
  readonly zip: string
  readonly altitudeMeters: number
  /** Offset from UTC in summer, when the sample's site visits took place. */
  readonly utcOffsetMinutes: number
}

const city = (
  name: string,
  state: string,
  zip: string,
  latitude: number,
  longitude: number,
  altitudeMeters: number,
  utcOffsetHours: number,
): City => ({ name, state, zip, latitude, longitude, altitudeMeters, utcOffsetMinutes: utcOffsetHours * 60 })

const cities: readonly City[] = [
  city('Boise', 'ID', '83702', 43.6312, -116.2021, 829, -6),
  city('Tucson', 'AZ', '85716', 32.2402, -110.9265, 745, -7),
  city('Sacramento', 'CA', '95816', 38.5733, -121.4657, 9, -7),
  city('Raleigh', 'NC', '27607', 35.8004, -78.6917, 106, -4),
  city('Austin', 'TX', '78704', 30.2433, -97.7651, 165, -5),
  city('Worcester', 'MA', '01602', 42.2679, -71.8486, 171, -4),
  city('Fort Collins', 'CO', '80521', 40.5813, -105.1046, 1537, -6),
  city('Huntington', 'NY', '11743', 40.8709, -73.4112, 36, -4),
  city('Tampa', 'FL', '33606', 27.9331, -82.4665, 4, -4),
  city('Madison', 'WI', '53711', 43.0351, -89.4521, 276, -5),
  city('Eugene', 'OR', '97405', 44.0163, -123.0997, 148, -7),
  city('Richmond', 'VA', '23221', 37.5581, -77.4845, 62, -4),
]

const streetNames = (
  'Maple Ridge, Juniper, Cottonwood, Alder Creek, Prospect, Meadowlark, Orchard, Stonegate, Lakeview, Hickory, ' +
  'Canyon Rim, Whitetail, Larkspur, Quail Hollow, Old Mill'
).split(', ')
const streetKinds = ['Dr', 'Ln', 'St', 'Ave', 'Ct', 'Way', 'Rd']

const firstNames = 'Dana Marcus Elena Priya Thomas Grace Luis Hannah Owen Yuki Naomi Victor Ruth Samir'.split(' ')
const lastNames = (
  'Whitaker, Okafor, Delgado, Raman, Lindqvist, Abernathy, Castillo, Nguyen, Fairbanks, Sato, Mbeki, Kowalski, ' +
  'Hargrove, Haddad'
).split(', ')

export function choosePerson(random: SeededRandom): { firstName: string; lastName: string } {
  return { firstName: random.pick(firstNames), lastName: random.pick(lastNames) }
}

/** Returns a realistic address. Neighboring numbers get different cities, so that a short list shows variety. */
export function chooseAddress(random: SeededRandom, number: number) {
  const step = random.whole(0, 1) === 0 ? 5 : 7
  const chosen = cities[(number * step + random.whole(0, 1)) % cities.length] ?? random.pick(cities)
  const street = `${random.whole(104, 9880)} ${random.pick(streetNames)} ${random.pick(streetKinds)}`
  return {
    line: `${street}, ${chosen.name}, ${chosen.state} ${chosen.zip}`,
    place: {
      latitude: chosen.latitude + random.between(-0.02, 0.02),
      longitude: chosen.longitude + random.between(-0.02, 0.02),
    },
    altitudeMeters: chosen.altitudeMeters,
    utcOffsetMinutes: chosen.utcOffsetMinutes,
  }
}
