// The fields of a form of operators, and the body of the call that they make. Empty fields are left
// out: the exchange has its own defaults, and an edit leaves what is absent.

import { rawOf } from '../page/format.ts'

export type FieldKind =
  | 'text'
  | 'lines'
  | 'number'
  | 'units'
  | 'labels'
  | 'pairs'
  | 'instant'
  | 'choice'
  | 'check'
  | 'forbid'

export interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: FieldKind
  readonly hint?: string
  readonly isNeeded?: boolean
  readonly choices?: readonly string[]
}

type Pairs = Readonly<Record<string, readonly string[]>>
type Value = string | number | boolean | readonly string[] | Pairs
const WHOLE = /^\d{1,15}$/

function unitsIn(label: string, text: string): number {
  const raw = rawOf(text)
  if (raw === null) throw new Error(`${label} must be an amount with at most six decimals.`)
  return raw
}

function wholeIn(label: string, text: string): number {
  if (!WHOLE.test(text)) throw new Error(`${label} must be a whole number.`)
  return Number(text)
}

function instantIn(label: string, text: string): string {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new Error(`${label} must be a date and a time.`)
  return new Date(atMs).toISOString()
}

function labelsIn(text: string): readonly string[] {
  const labels = text.split(',').map((each) => each.trim())
  return labels.filter((each) => each !== '')
}

/** The values of each key, which a pair names once or more. */
function pairsIn(label: string, text: string): Pairs {
  const pairs = new Map<string, string[]>()
  for (const pair of labelsIn(text)) {
    const [key, value = '', ...rest] = pair.split('=').map((each) => each.trim())
    if (key === '' || value === '' || rest.length > 0) {
      throw new Error(`${label} must be pairs like ticker=BTC.`)
    }
    pairs.set(key, [...(pairs.get(key) ?? []), value])
  }
  return Object.fromEntries(pairs)
}

function valueIn({ kind, label }: FormField, text: string): Value {
  switch (kind) {
    case 'number':
      return wholeIn(label, text)
    // The exchange counts in raw units; a person types whole ones.
    case 'units':
      return unitsIn(label, text)
    case 'instant':
      return instantIn(label, text)
    case 'check':
      return text !== ''
    // A tick turns off what the exchange allows by default.
    case 'forbid':
      return text === ''
    case 'labels':
      return labelsIn(text)
    case 'pairs':
      return pairsIn(label, text)
    default:
      return text
  }
}

/** Throws a sentence for a field that holds something else. */
export function bodyOf(
  fields: readonly FormField[],
  typed: (name: string) => string,
): Record<string, Value> {
  const body: Record<string, Value> = {}
  for (const each of fields) {
    const text = typed(each.name)
    if (text === '' && each.isNeeded === true) throw new Error(`${each.label} is needed.`)
    if (text !== '') body[each.name] = valueIn(each, text)
  }
  return body
}

const AMOUNT = /^([+-]?)(.*)$/

/** Raw collateral with its sign; throws a sentence for another text. */
export function signedRaw(text: string): number {
  const [, sign, size = ''] = AMOUNT.exec(text.replace('−', '-')) ?? []
  const raw = rawOf(size)
  if (raw === null || raw === 0) throw new Error('The amount must be like 100 or -12.50, not 0.')
  return sign === '-' ? -raw : raw
}
