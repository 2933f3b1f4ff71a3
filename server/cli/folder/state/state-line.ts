import { fieldsOf } from '../../../../engine/core/cells/hashed-fields.ts'
import { PRICE_ONE_TICKS } from '../../../../engine/domain/units.ts'
import { unitsOf } from '../../decimals.ts'

// How a thing of the state becomes a line of text. Every value is exact, so two lines are equal
// only if what they say is equal.

/** The name of the thing, which no other line of the state has, and the whole line. */
export type Line = readonly [name: string, text: string]

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Later than this, a number of milliseconds is an instant; before, it is a span. */
const FIRST_INSTANT_MS = 1e11
const DIGEST_SHOWN = 16

export const units = (raw: number) => unitsOf(BigInt(raw))
export const instant = (ms: number) => new Date(ms).toISOString()
export const price = (ticks: number) => (ticks / PRICE_ONE_TICKS).toFixed(3)
export const short = (digest: string) => digest.slice(0, DIGEST_SHOWN)

/** Text of a profile or an operator can neither end a line nor move the cursor of a terminal. */
function seen(text: string): string {
  return text.replaceAll(UNSEEN, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`)
}

export function line(name: string, text = ''): Line {
  return [seen(name), seen(text === '' ? name : `${name}: ${text}`)]
}

/** `redeemAtMs` becomes "redeem at": the form of the value shows the unit. */
export function wordsOf(field: string): string {
  const bare = field.replace(/(Ms|Raw|Ticks)$/, '')
  return bare.replaceAll(/[A-Z]/g, (each) => ` ${each.toLowerCase()}`)
}

export function shown(field: string, value: unknown): string {
  if (typeof value === 'number') {
    if (field.endsWith('Ms') && value > FIRST_INSTANT_MS) return instant(value)
    if (field.endsWith('Raw')) return units(value)
    if (field.endsWith('Ticks')) return price(value)
  }
  return JSON.stringify(value)
}

/** All fields of a record in one line, by name. */
export function recordLine(name: string, record: object): Line {
  const fields = fieldsOf(record).filter(([, value]) => value !== undefined)
  return line(
    name,
    fields.map(([field, value]) => `${wordsOf(field)} ${shown(field, value)}`).join(', '),
  )
}
