import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FEE_ACCOUNT } from '../../../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../../../engine/domain/order.ts'
import { openReadOnly } from '../../../../../persistence/database.ts'
import { Follower } from '../../../../../persistence/follower/follower.ts'
import { openMatchingReadTables } from '../../../../../persistence/follower/read-database.ts'
import {
  PositionCosts,
  type TradedPart,
} from '../../../../../persistence/follower/tables/accounts/average-cost.ts'
import { UNPACED } from '../../../../../persistence/follower/tables/pace.ts'
import { type PositionRow, positions } from '../../../../../persistence/query/read/positions.ts'
import { CommandFlow } from '../../../../support/command-flow.ts'
import { keyed, newFolder } from '../../../../support/data-folder.ts'
import { fillJournal } from '../../../../support/journal-fill.ts'

// Rules §9.1, average cost, as one table of sequences. Amounts are raw, and fees are already out.

const SHARE = 1_000_000
const OWNER = 7
const MARKET = 1
const { connection } = openMatchingReadTables(newFolder(), () => new Uint8Array(32))
after(() => connection.close())

type Step =
  | readonly ['buy' | 'sell', sharesRaw: number, collateralRaw: number]
  | readonly ['fail', step: number]
type State = readonly [sizeRaw: number, costRaw: number, realisedRaw: number]

/** What was bought is sold, and the purchase fails: the position is below zero. */
const SOLD_AND_FAILED: readonly (readonly [Step, State])[] = [
  [
    ['buy', 100 * SHARE, 50 * SHARE],
    [100 * SHARE, 50 * SHARE, 0],
  ],
  [
    ['sell', 100 * SHARE, 60 * SHARE],
    [0, 0, 10 * SHARE],
  ],
  [
    ['fail', 0],
    [-100 * SHARE, 0, 60 * SHARE],
  ],
]

const SEQUENCES: readonly (readonly [name: string, steps: readonly (readonly [Step, State])[]])[] =
  [
    [
      'the worked example: 100 @ 0.45 with a fee of 3 %, then 40 @ 0.60 as maker',
      [
        [
          ['buy', 97_000_000, 45_000_000],
          [97_000_000, 45_000_000, 0],
        ],
        [
          ['sell', 40_000_000, 24_000_000],
          [57_000_000, 26_443_299, 5_443_299],
        ],
      ],
    ],
    [
      'all of the cost goes with the last share',
      [
        [
          ['buy', 3, 1],
          [3, 1, 0],
        ],
        [
          ['sell', 1, 1],
          [2, 1, 1],
        ],
        [
          ['sell', 1, 1],
          [1, 1, 2],
        ],
        [
          ['sell', 1, 1],
          [0, 0, 2],
        ],
      ],
    ],
    [
      'a second buy averages, a loss is realised below it',
      [
        [
          ['buy', 10 * SHARE, 2 * SHARE],
          [10 * SHARE, 2 * SHARE, 0],
        ],
        [
          ['buy', 10 * SHARE, 6 * SHARE],
          [20 * SHARE, 8 * SHARE, 0],
        ],
        [
          ['sell', 5 * SHARE, SHARE],
          [15 * SHARE, 6 * SHARE, -SHARE],
        ],
      ],
    ],
    [
      'a failed buy takes its shares and its cost away again',
      [
        [
          ['buy', 10 * SHARE, 2 * SHARE],
          [10 * SHARE, 2 * SHARE, 0],
        ],
        [
          ['buy', 10 * SHARE, 6 * SHARE],
          [20 * SHARE, 8 * SHARE, 0],
        ],
        [
          ['fail', 1],
          [10 * SHARE, 2 * SHARE, 0],
        ],
      ],
    ],
    [
      'a failed sale gives back the cost it removed and what it realised',
      [
        [
          ['buy', 97_000_000, 45_000_000],
          [97_000_000, 45_000_000, 0],
        ],
        [
          ['sell', 40_000_000, 24_000_000],
          [57_000_000, 26_443_299, 5_443_299],
        ],
        [
          ['fail', 1],
          [97_000_000, 45_000_000, 0],
        ],
      ],
    ],
    [
      'a buy that fails after a part of it was sold realises what is beyond the cost left',
      [
        [
          ['buy', 10 * SHARE, 4 * SHARE],
          [10 * SHARE, 4 * SHARE, 0],
        ],
        [
          ['sell', 5 * SHARE, 3 * SHARE],
          [5 * SHARE, 2 * SHARE, SHARE],
        ],
        [
          ['fail', 0],
          [-5 * SHARE, 0, 3 * SHARE],
        ],
      ],
    ],
    [
      'a buy fails and then the sale of its shares: nothing is left, as nothing happened',
      [
        ...SOLD_AND_FAILED,
        [
          ['fail', 1],
          [0, 0, 0],
        ],
      ],
    ],
    [
      'shares that fill up what is below zero have no cost, and a failure of that buy undoes it',
      [
        ...SOLD_AND_FAILED,
        [
          ['buy', 150 * SHARE, 105 * SHARE],
          [50 * SHARE, 35 * SHARE, -10 * SHARE],
        ],
        [
          ['fail', 2],
          [-100 * SHARE, 0, 60 * SHARE],
        ],
      ],
    ],
  ]

function stateOf(owner: number): State {
  const [row] = positions.open(connection)({ accountId: owner, marketIds: [MARKET] })
  return [row.sizeRaw, row.costRaw, row.realisedRaw]
}

/** Applies the legs that a failed settlement moves for one owner. */
function reverse(table: PositionCosts, { tradeSeq, ...part }: TradedPart): void {
  const sign = part.side === SIDE.BUY ? 1 : -1
  const collateralRaw = sign * part.collateralRaw
  const leg = { accountId: part.owner, marketId: MARKET, outcome: part.outcome, collateralRaw }
  const fee = { ...leg, accountId: FEE_ACCOUNT, sharesRaw: 0, collateralRaw: 0 }
  table.reversed(tradeSeq, [{ ...leg, sharesRaw: -sign * part.sharesRaw }, fee])
}

for (const isFlushed of [true, false]) {
  const when = isFlushed ? 'each in a chunk of its own' : 'all in one chunk'
  for (const [index, [name, steps]] of SEQUENCES.entries()) {
    test(`${name}; ${when}`, () => {
      const owner = OWNER + index + (isFlushed ? 100 : 200)
      const parts: TradedPart[] = []
      const table = new PositionCosts(connection)
      for (const [number, [step, expected]] of steps.entries()) {
        if (step[0] === 'fail') reverse(table, parts[step[1]])
        else {
          const side = step[0] === 'buy' ? SIDE.BUY : SIDE.SELL
          const what = { outcome: OUTCOME.YES, side, sharesRaw: step[1], collateralRaw: step[2] }
          const part = { tradeSeq: owner * 100 + number, owner, marketId: MARKET, ...what }
          parts.push(part)
          table.traded(part)
        }
        if (!isFlushed) continue
        table.flush(UNPACED)
        assert.deepEqual(stateOf(owner), expected)
      }
      table.flush(UNPACED)
      assert.deepEqual(stateOf(owner), steps.at(-1)?.[1])
    })
  }
}

test('the sizes in the position table equal the shares in the ledger', () => {
  const flow = new CommandFlow(20_231)
  flow.run(8_000)
  const { ledger } = flow.exchange.clearing
  const ofLedger = new Map<string, number>()
  for (let owner = 1; owner <= flow.exchange.clearing.accounts.count; owner++) {
    for (const { marketId } of flow.exchange.clearing.catalogue.all()) {
      const row = ledger.rows.find(owner, marketId)
      if (row === 0) continue
      for (const outcome of [OUTCOME.YES, OUTCOME.NO]) {
        const cell = row * 2 + outcome
        const heldRaw = ledger.sharesFreeRaw[cell] + ledger.sharesReservedRaw[cell]
        if (heldRaw !== 0) ofLedger.set(`${owner}:${marketId}:${outcome}`, heldRaw)
      }
    }
  }
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records)
  const follower = new Follower(keyed(dataDir))
  while (follower.step(flow.seq)) assert.ok(follower.readSeq <= flow.seq)
  follower.close()
  const tables = openReadOnly(join(dataDir, 'read.db'))
  const sql = 'SELECT owner, market_id AS marketId, outcome, size_raw AS sizeRaw FROM positions'
  const rows = tables.prepare<[], PositionRow & { owner: number }>(sql).all()
  tables.close()
  const ofTables = rows
    .filter(({ sizeRaw }) => sizeRaw !== 0)
    .map((row) => [`${row.owner}:${row.marketId}:${row.outcome}`, row.sizeRaw] as const)
  assert.ok(ofTables.length > 10)
  assert.deepEqual(new Map([...ofTables].sort()), new Map([...ofLedger].sort()))
})
