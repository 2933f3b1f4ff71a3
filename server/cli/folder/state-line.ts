import { fieldsOf } from '../../../engine/core/cells/hashed-fields.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { type AccountId, type MarketId, SYSTEM_ACCOUNTS } from '../../../engine/domain/ids.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import { openTemporary } from '../../../persistence/database.ts'
import { unitsOf } from '../decimals.ts'

// What accounts, markets and shares are called in lines of the state.

const SYSTEM_NAMES = ['fees', 'burned', 'vault', 'pools', 'rewards', 'house', 'packs'] as const
const OUTCOMES = ['YES', 'NO'] as const

export function nameOf(account: AccountId): string {
  const system = SYSTEM_ACCOUNTS.indexOf(account)
  return system === -1 ? `profile ${account}` : `account ${SYSTEM_NAMES[system]}`
}

/** A market may have left memory while something still names it. */
export function slugOf({ catalogue }: Clearing, marketId: MarketId): string {
  return catalogue.byId(marketId)?.slug ?? `market ${marketId}`
}

export function tokenOf(clearing: Clearing, marketId: MarketId, outcome: number): string {
  return `${OUTCOMES[outcome]} of ${slugOf(clearing, marketId)}`
}

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

// The lines of one state while another is read. They lie in a temporary file: a thread holds one
// state at a time, and the text of it is several times as large as the state.

const SCHEMA =
  'CREATE TABLE lines (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID'
const PUT = 'INSERT INTO lines (name, text) VALUES (?, ?)'
const TAKE = 'DELETE FROM lines WHERE name = ? RETURNING text'
const LEFT = 'SELECT text FROM lines ORDER BY name'

interface Text {
  readonly text: string
}

export class KeptLines {
  readonly #connection = openTemporary(SCHEMA)
  readonly #take = this.#connection.prepare<[string], Text>(TAKE)

  keep(lines: Iterable<Line>): void {
    const put = this.#connection.prepare<[string, string]>(PUT)
    const putAll = this.#connection.transaction(() => {
      for (const [name, text] of lines) put.run(name, text)
    })
    putAll()
  }

  /** What is no more, and what was not; a changed line is both. It takes the kept lines. */
  *changedTo(lines: Iterable<Line>): Generator<string, void> {
    for (const [name, text] of lines) {
      const before = this.#take.get(name)?.text
      if (before === text) continue
      if (before !== undefined) yield `- ${before}`
      yield `+ ${text}`
    }
    for (const { text } of this.#connection.prepare<[], Text>(LEFT).iterate()) yield `- ${text}`
  }

  close(): void {
    this.#connection.close()
  }
}
