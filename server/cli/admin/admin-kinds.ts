import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Kind } from '../../settings/flags.ts'
import { commaList, count } from '../../settings/kinds.ts'
import { parseUnits } from '../decimals.ts'

// The kinds of value in the short forms of `outcomex admin`.

export type PropertyValues = Readonly<Record<string, readonly string[]>>

const PAIRS = /^[A-Za-z][A-Za-z0-9_-]{0,63}=[^,=]{1,64}$/
const LABEL = /^[^,]{1,64}$/
const NOTHING = /^0(?:\.0{1,6})?$/
const labels = commaList('A,B', LABEL, 'texts like sport,football')
const pairs = commaList('K=V,K=V', PAIRS, 'pairs like ticker=BTC,ticker=ETH')

export const PROFILE_ID = count(1, Number.MAX_SAFE_INTEGER)

export const amount: Kind<number> = {
  shape: 'AMOUNT',
  wants: 'an amount above 0 with at most six decimals, like 100.5',
  read: parseUnits,
}

export const amountOrNone: Kind<number> = {
  shape: 'AMOUNT',
  wants: 'an amount with at most six decimals, like 100.5 or 0',
  read: (text) => (NOTHING.test(text) ? 0 : parseUnits(text)),
}

/** A text that may be empty. */
export const anyText: Kind<string> = { shape: 'TEXT', wants: 'a text', read: (text) => text }

/** No labels when the text is empty. */
export const labelsOrNone: Kind<readonly string[]> = {
  ...labels,
  read: (text) => (text === '' ? [] : labels.read(text)),
}

/** The values of each key that the pairs name; none when the text is empty. */
export const propertyValues: Kind<PropertyValues> = {
  shape: pairs.shape,
  wants: pairs.wants,
  read(text) {
    const read = text === '' ? [] : pairs.read(text)
    if (read === undefined) return undefined
    const byKey = new Map<string, string[]>()
    for (const pair of read) {
      const [key, value] = pair.split('=')
      byKey.set(key, [...(byKey.get(key) ?? []), value])
    }
    return Object.fromEntries(byKey)
  },
}

/** Parts of a payout: the winner, or numbers with a colon between them. */
export const payout: Kind<Readonly<Record<string, unknown>>> = {
  shape: 'yes|no|split|A:B',
  wants: 'yes, no, split or two parts like 3:1',
  read(text) {
    if (text === 'yes') return { winningOutcomeIndex: 0 }
    if (text === 'no') return { winningOutcomeIndex: 1 }
    const parts = /^(\d{1,10}):(\d{1,10})$/.exec(text === 'split' ? '1:1' : text)
    return parts === null ? undefined : { payoutNumerators: [Number(parts[1]), Number(parts[2])] }
  },
}

export interface ChildWord {
  readonly slug: string
  readonly title: string
}

export const child: Kind<ChildWord> = {
  shape: 'CHILD="Title"',
  wants: 'the slug of a market and its title, like reds-win="Do the Reds win?"',
  read(text) {
    const at = text.indexOf('=')
    const [slug, title] = [text.slice(0, at), text.slice(at + 1).trim()]
    return at > 0 && slug.length <= LIMITS.slugCharactersMax && title !== ''
      ? { slug, title }
      : undefined
  },
}
