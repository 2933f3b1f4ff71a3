// What an entry of the audit names besides its operator, in words.

import type { Seq } from '../../../engine/domain/ids.ts'

export interface AuditEntry {
  readonly seq: Seq
  readonly at: string
  readonly operator: string
  readonly kind: string
}

const OWN: ReadonlySet<string> = new Set(['seq', 'at', 'operator', 'kind'])
const VALUE_MAX = 200
const RAW_ENDING = 'Raw'
const UNIT_RAW = 1_000_000

function textOf(key: string, value: unknown): string {
  if (key.endsWith(RAW_ENDING) && typeof value === 'number') return String(value / UNIT_RAW)
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    return value.join(', ')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Names as the exchange spells them; amounts in whole units, long texts cut. */
export function detailsOf(entry: AuditEntry): readonly (readonly [key: string, value: string])[] {
  return Object.entries(entry)
    .filter(([key]) => !OWN.has(key))
    .map(([key, value]) => {
      const text = textOf(key, value)
      const name = key.endsWith(RAW_ENDING) ? key.slice(0, -RAW_ENDING.length) : key
      return [name, text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text]
    })
}
