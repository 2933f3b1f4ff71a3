import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenIdOf, tokenNoOf } from '../../bench/workload/setting.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { CANCEL_REASONS } from '../../engine/domain/event.ts'
import { decodeCommand, eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { keccakReady } from '../../server/crypto/keccak.ts'
import type { ControlBody } from '../../server/exchange/sequencer/sequencer.ts'
import { encodeCommand } from '../support/encode-command.ts'
import { marketSpec, ownRequest, profileFields } from '../support/specs.ts'
import { Life } from './life.ts'
import { Model } from './model.ts'
import { conserved } from './money-watch.ts'
import { SimDisk } from './sim-disk.ts'

// Each kind of deadline falls due while the journal is full and the clock is a millisecond ahead.
// The clock then steps back, and then the journal has free space.

const START_MS = 1_800_000_000_000
const DUE_MS = START_MS + 6000
const SHARE = 1_000_000

class Day {
  readonly clock = { nowMs: START_MS }
  readonly disk = new SimDisk()
  readonly life: Life
  #hash = 0

  /** `deadlineMs` is the deadline of the market. */
  constructor(deadlineMs: number | null) {
    this.#begin(deadlineMs)
    this.life = new Life({
      setting: { accounts: 2, tracks: 1, threads: 1, capacity: 64, takerDelayMs: 0, lookMs: 0 },
      disk: this.disk,
      clock: this.clock,
      conserves: conserved,
      checkpoint: { seq: 0, stateHash: '', model: new Model() },
      onCheckpoint: () => {},
    })
  }

  /** Writes two funded profiles and a market that delays takers. */
  #begin(deadlineMs: number | null): void {
    const exchange = new Exchange(new OrderTable(64))
    const records: Uint8Array[] = []
    const market = marketSpec(1, { takerDelayMs: 6000, deadlineMs })
    const bodies: ControlBody[] = [
      { kind: 'rules', version: 1 },
      ...[1, 2].flatMap((profileId): ControlBody[] => [
        {
          kind: 'createProfile',
          profileId,
          profile: profileFields(profileId),
          token: token(profileId),
        },
        { kind: 'adjustBalance', profileId, collateralRaw: 100 * SHARE },
      ]),
      { kind: 'createMarket', marketId: 1, book: 1, market },
    ]
    for (const body of bodies) {
      const command = { ...body, seq: exchange.clearing.lastSeq + 1, nowMs: START_MS }
      exchange.apply(command)
      records.push(encodeCommand(command))
    }
    this.disk.write(records)
    this.disk.reportedSeq = this.disk.lastSeq
  }

  place(order: Partial<PlaceOrder>): void {
    const place = {
      ...blankPlace(),
      book: 1,
      ...TERMS,
      hashHigh: ++this.#hash,
      hashLow: 1,
      ...order,
    }
    const request = ownRequest(place, tokenNoOf(place.accountId))
    assert.equal(this.life.pipeline.sequencer.place(request, encodePlace(place)), null)
    this.settle()
  }

  /** Lets the thread and the disk do all their work. */
  settle(): void {
    const { journal, threads } = this.life
    for (const shard of this.life.shards.all) shard.send()
    journal.send()
    for (const thread of threads) while (thread.run(100) > 0) thread.show()
    this.life.receive()
    journal.commit(100)
    journal.report()
  }

  /** The commands after `START_MS`, each with its time from there. */
  story(): string[] {
    const reported: string[] = []
    const add = (record: Uint8Array) => {
      const command = decodeCommand(record)
      if (command.nowMs === START_MS) return
      const isCancel = command.kind === 'cancelOrders'
      const what = isCancel ? CANCEL_REASONS[command.reason] : command.kind
      reported.push(`${command.nowMs - START_MS} ${what}`)
    }
    for (const { records } of this.disk.batches) eachRecord(records, add)
    return reported
  }
}

const TERMS = { marketId: 1, accountId: 1, priceTicks: 500, sizeRaw: SHARE }
const token = (profileId: number) => ({
  tokenId: tokenIdOf(profileId),
  sealedSecret: new Uint8Array(4),
  label: null,
  scopes: ['trading' as const],
})

interface Row {
  readonly name: string
  readonly deadlineMs?: number
  readonly begin: (day: Day) => void
  readonly story: readonly string[]
}

const ROWS: readonly Row[] = [
  {
    name: 'an expiry',
    begin: (day) => day.place({ expirationSec: DUE_MS / 1000 - 1 }),
    story: ['6000 EXPIRED'],
  },
  {
    name: 'a release',
    begin: (day) => {
      day.place({ accountId: 2, outcome: 1 })
      day.place({})
    },
    story: ['6000 releaseOrder', '6000 mineBlock'],
  },
  {
    name: 'the end of a market',
    deadlineMs: DUE_MS,
    begin: (day) => day.place({}),
    story: ['6000 lockMarket', '6000 MARKET_LOCKED'],
  },
  {
    name: 'a heartbeat',
    begin: (day) => {
      day.place({})
      day.life.follow(day.life.heartbeats.beat(1, DUE_MS))
      day.settle()
    },
    story: ['6000 fireHeartbeats', '6000 HEARTBEAT'],
  },
]

for (const { name, deadlineMs = null, begin, story } of ROWS) {
  test(`${name} without space in the journal is stamped no sooner than its due time`, async () => {
    await keccakReady
    const day = new Day(deadlineMs)
    begin(day)
    const { journal, pipeline } = day.life
    journal.isRefusing = true
    day.clock.nowMs = DUE_MS
    pipeline.tick()
    day.clock.nowMs = DUE_MS - 1
    journal.isRefusing = false
    pipeline.tick()
    day.settle()
    day.clock.nowMs = DUE_MS
    pipeline.tick()
    day.settle()
    assert.deepEqual(day.story(), story)
    assert.equal(day.life.failure, null)
  })
}
