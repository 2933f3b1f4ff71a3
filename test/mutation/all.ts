import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BACKLOG_CHANGES } from './backlog-changes.ts'
import { BOARD_CHANGES } from './board-changes.ts'
import { BOOK_CHANGES } from './book-changes.ts'
import { DOCUMENT_CHANGES } from './document-changes.ts'
import { EDGE_CHANGES } from './edge-changes.ts'
import { ENTRY_CHANGES } from './entry-changes.ts'
import { FOLDER_CHANGES } from './folder-changes.ts'
import { FRAMING_CHANGES } from './framing-changes.ts'
import { GATE_CHANGES } from './gate-changes.ts'
import { GUARD_CHANGES } from './guard-changes.ts'
import { HISTORY_CHANGES } from './history-changes.ts'
import { JOURNAL_CHANGES } from './journal-changes.ts'
import { LEDGER_CHANGES } from './ledger-changes.ts'
import { LIFETIME_CHANGES } from './lifetime-changes.ts'
import { LOG_CHANGES } from './log-changes.ts'
import { PACK_CHANGES } from './pack-changes.ts'
import { PIPELINE_CHANGES } from './pipeline-changes.ts'
import { PROCESS_CHANGES } from './process-changes.ts'
import { PROFIT_CHANGES } from './profit-changes.ts'
import { REFERRAL_CHANGES } from './referral-changes.ts'
import { REPLY_CHANGES } from './reply-changes.ts'
import { REWARD_CHANGES } from './reward-changes.ts'
import { SEARCH_CHANGES } from './search-changes.ts'
import { SHARE_CHANGES } from './share-changes.ts'
import { SOCIAL_CHANGES } from './social-changes.ts'
import { SOCKET_CHANGES } from './socket-changes.ts'
import { SOLVENCY_CHANGES } from './solvency-changes.ts'
import { SPORT_CHANGES } from './sport-changes.ts'
import { WIRE_CHANGES } from './wire-changes.ts'

export interface Mutation {
  readonly file: string
  readonly tests: readonly string[]
  readonly rule: string
  readonly source: string
  readonly broken: string
}

export const sourceOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

/** Every change, fitted into its file; throws when changes no longer fit. */
export function allMutations(): Mutation[] {
  const all = [
    ...BACKLOG_CHANGES,
    ...BOOK_CHANGES,
    ...FRAMING_CHANGES,
    ...LEDGER_CHANGES,
    ...GATE_CHANGES,
    ...SHARE_CHANGES,
    ...WIRE_CHANGES,
    ...FOLDER_CHANGES,
    ...JOURNAL_CHANGES,
    ...PIPELINE_CHANGES,
    ...ENTRY_CHANGES,
    ...EDGE_CHANGES,
    ...SEARCH_CHANGES,
    ...SOCKET_CHANGES,
    ...GUARD_CHANGES,
    ...PROCESS_CHANGES,
    ...LIFETIME_CHANGES,
    ...HISTORY_CHANGES,
    ...REWARD_CHANGES,
    ...SOLVENCY_CHANGES,
    ...SPORT_CHANGES,
    ...BOARD_CHANGES,
    ...SOCIAL_CHANGES,
    ...PACK_CHANGES,
    ...REFERRAL_CHANGES,
    ...PROFIT_CHANGES,
    ...REPLY_CHANGES,
    ...DOCUMENT_CHANGES,
    ...LOG_CHANGES,
  ]
  const misfits: string[] = []
  const mutations = all.flatMap(({ file, tests, changes }) => {
    const source = sourceOf(file)
    return changes.map(([rule, find, replace]) => {
      const times = source.split(find).length - 1
      if (times !== 1)
        misfits.push(`${file}, "${rule}": the text stands ${times} times in it: ${find}`)
      return { file, tests, rule, source, broken: source.split(find).join(replace) }
    })
  })
  assert.deepEqual(misfits, [])
  return mutations
}
