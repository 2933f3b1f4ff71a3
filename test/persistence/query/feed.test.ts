import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOVE_KINDS } from '../../../engine/domain/moves/move-command.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { FEATURED_RAW } from '../../../persistence/follower/tables/featured.ts'
import {
  AUDIENCES,
  EXAMINED_MAX,
  type FeedEntry,
  type FeedParams,
  type FeedPlace,
  feed,
} from '../../../persistence/query/read/feeds/feed.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Pages of feeds against a plain list of all that happened.

const FIRST: FeedPlace = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
const FOLLOWER = 1
const OWNERS = 12
const TRADE = `INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side,
  outcome, shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq, is_busted,
  fills)
VALUES (?, ?, 0, 0, ?, ?, ?, ?, ?, 0, 500, ?, ?, ?, '[]')`
const MOVE = 'INSERT INTO moves VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, NULL)'

const PACK = `INSERT INTO packs (pack_id, owner, stake_raw, payout_raw, made_ms, status)
VALUES (?, ?, 1, ?, ?, 0)`
const END_PACK = 'UPDATE packs SET status = 1, ended_ms = ?, ended_seq = ? WHERE pack_id = ?'

interface Happened extends FeedPlace {
  readonly atMs: number
  readonly text: string
  /** 0 for a resolution. */
  readonly owner: number
  readonly amountRaw: number
  readonly isBusted: boolean
}

interface World {
  readonly db: Connection
  /** Newest first. */
  readonly all: readonly Happened[]
  readonly followed: ReadonlySet<number>
}

type Row = Omit<Happened, 'seq' | 'leg' | 'atMs' | 'text'> & {
  readonly marketId: number
  readonly side: number
  readonly outcome: number
  readonly sharesRaw: number
}

class Writing {
  readonly db = openInMemory(READ_SCHEMA.migrations)
  readonly all: Happened[] = []
  readonly #trade = this.db.prepare(TRADE)
  readonly #move = this.db.prepare(MOVE)
  readonly #pack = this.db.prepare(PACK)
  readonly #end = this.db.prepare(END_PACK)
  readonly #open: { packId: number; owner: number; payoutRaw: number }[] = []
  readonly #resolve = this.db.prepare('INSERT INTO resolutions VALUES (?, ?, ?)')
  seq = 0
  nowMs = 1_700_000_000_000

  traded(row: Row): void {
    const { marketId, owner, side, outcome, sharesRaw, amountRaw, isBusted } = row
    const { seq, nowMs } = this
    const what = [marketId, owner, side, outcome, sharesRaw, amountRaw]
    this.#trade.run(seq, ...what, nowMs, seq, isBusted ? 1 : 0)
    this.#reported(`${what.join(' ')}`, 0, { owner, amountRaw, isBusted })
  }

  pooled(row: Row): void {
    const { marketId, owner, side, outcome, sharesRaw, amountRaw } = row
    const signed = side === 0 ? sharesRaw : -sharesRaw
    const [yesRaw, noRaw] = outcome === 0 ? [signed, 0] : [0, signed]
    const kind = MOVE_KINDS.indexOf(side === 0 ? 'BUY' : 'SELL')
    const paidRaw = side === 0 ? -amountRaw : amountRaw
    this.#move.run(this.seq, owner, kind, marketId, yesRaw, noRaw, paidRaw, this.nowMs)
    const what = [marketId, owner, side, outcome, sharesRaw, amountRaw]
    this.#reported(what.join(' '), 0, { owner, amountRaw, isBusted: false })
  }

  /** A move that no feed shows. */
  split(owner: number): void {
    const kind = MOVE_KINDS.indexOf('SPLIT')
    this.#move.run(this.seq, owner, kind, 1, 5, 5, -FEATURED_RAW, this.nowMs)
  }

  staked(owner: number, payoutRaw: number): void {
    this.#pack.run(this.seq, owner, payoutRaw, this.nowMs)
    this.#reported(`pack ${this.seq} made`, 0, { owner, amountRaw: payoutRaw, isBusted: false })
    this.#open.push({ packId: this.seq, owner, payoutRaw })
  }

  /** One command may end many packs; they are listed by their ids. */
  ended(count: number): void {
    for (const { packId, owner, payoutRaw } of this.#open.splice(0, count)) {
      this.#end.run(this.nowMs, this.seq, packId)
      this.#reported(`pack ${packId} ended`, packId, {
        owner,
        amountRaw: payoutRaw,
        isBusted: false,
      })
    }
  }

  resolved(marketId: number): void {
    this.#resolve.run(this.seq, marketId, this.nowMs)
    this.#reported(`resolved ${marketId}`, marketId, { owner: 0, amountRaw: 0, isBusted: false })
  }

  #reported(
    text: string,
    leg: number,
    more: Pick<Happened, 'owner' | 'amountRaw' | 'isBusted'>,
  ): void {
    this.all.unshift({ seq: this.seq, leg, atMs: this.nowMs, text, ...more })
  }
}

function randomRow(random: Random): Row {
  const around = FEATURED_RAW + random.between(-1, 1)
  return {
    marketId: random.between(1, 5),
    owner: random.between(1, OWNERS),
    side: random.below(2),
    outcome: random.below(2),
    sharesRaw: random.between(1, 10 ** 9),
    amountRaw: random.chance(0.3) ? around : random.between(1, 2 * FEATURED_RAW),
    isBusted: random.chance(0.15),
  }
}

function worldOf(random: Random, steps: number): World {
  const made = new Writing()
  for (let step = 0; step < steps; step++) {
    made.seq += random.between(1, 4)
    made.nowMs += random.below(3) * 1000
    const dice = random.next()
    if (dice < 0.6) made.traded(randomRow(random))
    else if (dice < 0.8) made.pooled(randomRow(random))
    else if (dice < 0.9) made.split(random.between(1, OWNERS))
    else if (dice < 0.93) made.staked(random.between(1, OWNERS), randomRow(random).amountRaw)
    else if (dice < 0.95) made.ended(random.between(1, 3))
    // One command may resolve the markets of a group.
    else for (let market = 1; market <= random.between(1, 3); market++) made.resolved(market)
  }
  const followed = new Set<number>()
  const follow = made.db.prepare('INSERT INTO follows VALUES (?, ?, ?)')
  for (let owner = 2; owner <= OWNERS; owner++) {
    if (random.chance(0.4)) followed.add(owner)
    follow.run(owner, FOLLOWER, owner)
  }
  for (const owner of followed) follow.run(FOLLOWER, owner, owner)
  return { db: made.db, all: made.all, followed }
}

function textOf(entry: FeedEntry): string {
  if (entry.what === 'RESOLVED') return `resolved ${entry.marketId}`
  if ('pack' in entry) {
    return `pack ${entry.packId} ${entry.what === 'PACK_MADE' ? 'made' : 'ended'}`
  }
  const { marketId, owner, side, outcome, sharesRaw, collateralRaw } = entry
  return [marketId, owner, side, outcome, sharesRaw, collateralRaw].join(' ')
}

/** The whole list of an audience, the slow way. */
function plain({ all, followed }: World, { audience, fromMs }: FeedParams): string[] {
  const shown = all.filter(({ owner, amountRaw, isBusted, atMs }) => {
    if (isBusted || atMs < fromMs) return false
    if (audience === 'following') return followed.has(owner)
    return audience === 'all' || owner === 0 || amountRaw >= FEATURED_RAW
  })
  return shown.map(({ seq, leg, text }) => `${seq}.${leg} ${text}`)
}

test('the pages of each audience are the plain list, whatever their length', () => {
  const random = new Random(freshSeed())
  for (let round = 0; round < 6; round++) {
    const world = worldOf(random, 400)
    const request = feed.open(world.db)
    for (const audience of AUDIENCES) {
      const oldest = world.all.at(-1)?.atMs ?? 0
      const newest = world.all[0].atMs
      const fromMs = random.pick([0, random.between(oldest, newest), newest + 1])
      const params = { audience, follower: FOLLOWER, fromMs, limit: random.between(1, 30) }
      const reported: string[] = []
      let before: FeedPlace | null = FIRST
      while (before !== null) {
        const page = request({ ...params, before })
        assert.ok(page.entries.length <= params.limit)
        reported.push(...page.entries.map((each) => `${each.seq}.${each.leg} ${textOf(each)}`))
        before = page.next
      }
      assert.deepEqual(
        reported,
        plain(world, { ...params, before: FIRST }),
        `${audience} ${fromMs}`,
      )
    }
  }
})

test('a page looks at a bounded number of rows, and its cursor goes on from there', () => {
  const made = new Writing()
  const row = { marketId: 1, side: 0, outcome: 0, sharesRaw: 10, amountRaw: 5, isBusted: false }
  const followedAt = [1, EXAMINED_MAX + 5, 2 * EXAMINED_MAX + 7]
  for (made.seq = 1; made.seq <= 2 * EXAMINED_MAX + 10; made.seq++) {
    made.traded({ ...row, owner: followedAt.includes(made.seq) ? 3 : 2 })
  }
  made.db.prepare('INSERT INTO follows VALUES (?, 3, 1)').run(FOLLOWER)
  const request = feed.open(made.db)
  const params = { audience: 'following', follower: FOLLOWER, limit: 30, fromMs: 0 } as const
  const seqs: number[][] = []
  let before: FeedPlace | null = FIRST
  while (before !== null) {
    const page = request({ ...params, before })
    seqs.push(page.entries.map(({ seq }) => seq))
    before = page.next
  }
  assert.deepEqual(seqs, [[2 * EXAMINED_MAX + 7], [EXAMINED_MAX + 5], [1]])
})

test('a run of trades that were taken back is passed in bounded pages', () => {
  const made = new Writing()
  const row = { marketId: 1, owner: 2, side: 0, outcome: 0, sharesRaw: 10 }
  for (made.seq = 1; made.seq <= EXAMINED_MAX + 1; made.seq++) {
    made.traded({ ...row, amountRaw: FEATURED_RAW, isBusted: made.seq > 1 })
  }
  const request = feed.open(made.db)
  for (const audience of ['all', 'featured'] as const) {
    const params = { audience, follower: 0, limit: 30, fromMs: 0 }
    const first = request({ ...params, before: FIRST })
    assert.deepEqual([first.entries.length, first.next], [0, { seq: 2, leg: 0 }])
    const second = request({ ...params, before: first.next ?? FIRST })
    assert.deepEqual([second.entries.map(({ seq }) => seq), second.next], [[1], null])
  }
})

test('an entry names its trader, as the tables show it', () => {
  const made = new Writing()
  made.seq = 1
  const row = { marketId: 1, side: 0, outcome: 0, sharesRaw: 10, amountRaw: 5, isBusted: false }
  made.traded({ ...row, owner: 2 })
  made.seq = 2
  made.traded({ ...row, owner: 3 })
  made.db
    .prepare(
      `INSERT INTO profiles (profile_id, account, username, client, scopes, created_ms)
       VALUES (2, '0xaa', 'alice', 'eoa', '[]', 1)`,
    )
    .run()
  const request = feed.open(made.db)
  const { entries } = request({ audience: 'all', follower: 0, before: FIRST, limit: 5, fromMs: 0 })
  const traders = entries.map((each) => each.what === 'TRADE' && (each.trader?.username ?? null))
  assert.deepEqual(traders, [null, 'alice'])
})
