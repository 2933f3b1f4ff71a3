import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, MarketId } from '../../../engine/domain/ids.ts'
import type { Connection } from '../../../persistence/database.ts'
import {
  fills,
  history,
  type Place,
  ROLES,
} from '../../../persistence/query/read/portfolio/history.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { openTablesOf } from '../../support/followed-tables.ts'
import { freshSeed } from '../../support/random.ts'

// What an account did in one market, page by page, against a plain list of its trades. The account
// has more trades than one page looks at, so some pages are cut short.

const seed = freshSeed()
const COMMANDS = 90_000
const OWNER = 1
const LIMITS = [10, 300, 2000]
const END: Place = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
const ALL = `
SELECT seq, 0 AS leg, market_id AS marketId FROM trades
WHERE taker_owner = @owner AND is_busted = 0
UNION ALL
SELECT f.trade_seq, f.position, t.market_id FROM maker_fills f JOIN trades t ON t.seq = f.trade_seq
WHERE f.maker_owner = @owner AND t.is_busted = 0
ORDER BY seq DESC, leg DESC`

type Listed = Place & { readonly marketId: MarketId }

function followed(): Connection {
  const flow = new CommandFlow(seed)
  flow.run(COMMANDS)
  return openTablesOf(flow)
}

interface Walked {
  readonly rows: readonly Place[]
  /** Pages with fewer rows than requested, after which others follow. */
  readonly cut: number
}

function walk(
  read: (before: Place) => { rows: readonly Place[]; next: Place | null },
  limit: number,
): Walked {
  const rows: Place[] = []
  let cut = 0
  for (let next: Place | null = END; next !== null; ) {
    const page = read(next)
    assert.ok(page.rows.length <= limit)
    rows.push(...page.rows.map(({ seq, leg }) => ({ seq, leg })))
    if (page.rows.length < limit && page.next !== null) cut++
    next = page.next
  }
  return { rows, cut }
}

test(`a walk over one market gives each trade once, newest first [seed ${seed}]`, () => {
  const db = followed()
  const all = db.prepare<[{ owner: AccountId }], Listed>(ALL).all({ owner: OWNER })
  const marketIds = [...new Set(all.map(({ marketId }) => marketId)), null]
  assert.ok(marketIds.length > 2, 'the account traded in several markets')
  const [readHistory, readFills] = [history.open(db), fills.open(db)]
  let cut = 0
  for (const marketId of marketIds) {
    const expected = all
      .filter((each) => marketId === null || each.marketId === marketId)
      .map(({ seq, leg }) => ({ seq, leg }))
    for (const limit of LIMITS) {
      const params = { owner: OWNER, limit, marketId }
      const times = { fromMs: 0, toMs: Number.POSITIVE_INFINITY, roles: ROLES }
      const filled = walk((before) => readFills({ ...params, ...times, before }), limit)
      assert.deepEqual(filled.rows, expected)
      const acted = walk((before) => {
        const { rows, next } = readHistory({ ...params, before })
        return { rows: rows.filter(({ what }) => what === 'TRADE'), next }
      }, limit)
      assert.deepEqual(acted.rows, expected)
      if (marketId !== null) cut += filled.cut
    }
  }
  assert.ok(cut > 0, 'a page of one market was cut where it looked no further')
  db.close()
})
