import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { LEG_RESULTS, type LegResult } from '../../../../engine/core/packs/packs.ts'
import type { Command } from '../../../../engine/domain/command.ts'
import { openReadOnly } from '../../../../persistence/database.ts'
import { Follower } from '../../../../persistence/follower/follower.ts'
import { PACK_STATUSES, type PackStatus } from '../../../../persistence/follower/packs/packs.ts'
import { countPacks, playCurated, playPack } from '../../../engine/core/packs/pack-play.ts'
import { keyed, newFolder } from '../../../support/data-folder.ts'
import { fillJournal } from '../../../support/journal-fill.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { recordedDriver } from '../../../support/recorded-driver.ts'

// The tables of packs: what random packs, offers and resolutions leave there, before and after a
// restart, against a plain list of what happened and against the packs in memory.

const UNIT = 1_000_000
const ACCOUNTS = 5
const MARKETS = 6
const STEPS = 1200
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [2, 3],
] as const

interface Reported {
  readonly row: readonly [owner: number, maker: number | null, stake: number, payout: number]
  readonly curatedId: number | null
  readonly madeMs: number
  readonly legs: { marketId: number; outcome: number; ticks: number; result: LegResult }[]
  status: PackStatus
  paidRaw: number | null
  endedMs: number | null
}

class Story {
  readonly reported = new Map<number, Reported>()
  /** Packs that were ever on the list of operators. */
  readonly curated: unknown[][] = []
  readonly made = recordedDriver()
  /** Where a follower is stopped and another goes on. */
  readonly stopSeqs: number[] = []
  readonly #random: Random
  #markets: number[] = []

  constructor(random: Random) {
    this.#random = random
    const { driver } = this.made
    for (let account = 0; account < ACCOUNTS; account++) driver.addAccount(10_000 * UNIT)
    driver.control({ kind: 'fundHouse', collateralRaw: 10_000 * UNIT })
    for (let step = 0; step < STEPS; step++) this.#step()
    driver.holds()
  }

  #step(): void {
    const random = this.#random
    const { driver } = this.made
    const { clearing } = driver
    driver.nowMs += random.below(2000)
    while (this.#markets.length < MARKETS) this.#markets.push(driver.addMarket())
    const apply = (body: Parameters<Parameters<typeof playPack>[0]['apply']>[0]) => {
      this.#report({ ...body, seq: clearing.lastSeq + 1, nowMs: driver.nowMs })
    }
    if (random.chance(0.05)) {
      const [marketId] = this.#markets.splice(random.below(MARKETS), 1)
      const payoutNumerators = random.pick(PAYOUTS)
      driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] })
      countPacks({ clearing, random, apply })
    } else {
      const account = () => 1 + random.below(ACCOUNTS)
      const markets = this.#markets.map((marketId) => clearing.catalogue.existing(marketId))
      const play = { clearing, random, nowMs: driver.nowMs, account, apply }
      if (random.chance(0.2)) playCurated(play, markets)
      else playPack(play, markets)
    }
    if (random.chance(0.005)) this.stopSeqs.push(clearing.lastSeq)
  }

  /** Applies a command, and notes by itself what it means. */
  #report(command: Command): void {
    const { driver } = this.made
    const { packs, catalogue } = driver.clearing
    const offer = command.kind === 'acceptPackOffer' ? packs.offer(command.offerId) : undefined
    driver.apply(command)
    if (command.kind === 'curatePack') {
      const pairs = command.legs.map(({ marketId, outcome }) => [marketId, outcome])
      this.curated.push([command.seq, command.name, JSON.stringify(pairs), command.nowMs])
    }
    if (command.kind === 'createPack' || command.kind === 'acceptPackOffer') {
      const { seq, nowMs: madeMs, profileId, stakeRaw, payoutRaw } = command
      const legs = (command.kind === 'createPack' ? command.legs : (offer?.legs ?? [])).map(
        ({ marketId, outcome, priceTicks: ticks }) => {
          return { marketId, outcome, ticks, result: 'PENDING' as const }
        },
      )
      const row = [profileId, offer?.makerId ?? null, stakeRaw, payoutRaw] as const
      const open = { status: 'ACTIVE' as const, paidRaw: null, endedMs: null }
      const { curatedId = null } = command.kind === 'createPack' ? command : {}
      this.reported.set(seq, { row, curatedId, madeMs, legs, ...open })
    }
    if (command.kind !== 'countPacks') return
    const parts = catalogue.existing(command.marketId).payoutNumerators ?? [0, 0]
    for (const { packId, paidRaw } of command.packs) {
      const pack = this.reported.get(packId)
      assert(pack !== undefined)
      for (const leg of pack.legs.filter(({ marketId }) => marketId === command.marketId)) {
        leg.result = parts.includes(0) ? (parts[leg.outcome] > 0 ? 'WON' : 'LOST') : 'VOID'
      }
      if (paidRaw === null) continue
      const isLost = pack.legs.some(({ result }) => result === 'LOST')
      Object.assign(pack, { status: isLost ? 'LOST' : 'WON', paidRaw, endedMs: command.nowMs })
    }
  }
}

function tablesOf(dataDir: string) {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const all = (sql: string): unknown[][] => connection.prepare<[], unknown[]>(sql).raw().all()
  const tables = {
    packs: all(`SELECT pack_id, owner, maker, stake_raw, payout_raw, made_ms, status, paid_raw,
      ended_ms, curated_id FROM packs ORDER BY pack_id`),
    legs: all(`SELECT pack_id, position, market_id, outcome, price_ticks, result FROM pack_legs
      ORDER BY pack_id, position`),
    curated: all('SELECT pack_id, name, legs, made_ms FROM curated_packs ORDER BY pack_id'),
    ofList: all('SELECT owner, count FROM curated_counts ORDER BY owner'),
    counts: all('SELECT owner, status, count FROM pack_counts WHERE count <> 0 ORDER BY 1, 2'),
  }
  connection.close()
  return tables
}

function expectedOf({ reported, curated }: Story) {
  const packs = [...reported].map(
    ([packId, { row, madeMs, status, paidRaw, endedMs, curatedId }]) => {
      const ended = [paidRaw, endedMs, curatedId]
      return [packId, ...row, madeMs, PACK_STATUSES.indexOf(status), ...ended]
    },
  )
  const legs = [...reported].flatMap(([packId, pack]) =>
    pack.legs.map(({ marketId, outcome, ticks, result }, position) => {
      const number = LEG_RESULTS.indexOf(result)
      return [packId, position, marketId, outcome, ticks, number]
    }),
  )
  const counts: number[][] = []
  const ofList: number[][] = []
  for (let owner = 1; owner <= ACCOUNTS; owner++) {
    const bought = [...reported.values()].filter((each) => {
      return each.row[0] === owner && each.curatedId !== null
    })
    if (bought.length > 0) ofList.push([owner, bought.length])
    for (const [number, status] of PACK_STATUSES.entries()) {
      const own = [...reported.values()].filter((each) => {
        return each.row[0] === owner && each.status === status
      })
      if (own.length > 0) counts.push([owner, number, own.length])
    }
  }
  return { packs, legs, counts, curated, ofList }
}

test('the tables of packs are what happened, also after restarts', () => {
  const story = new Story(new Random(freshSeed()))
  const { driver, records } = story.made
  const dataDir = newFolder()
  fillJournal(dataDir, records)
  for (const seq of [...story.stopSeqs, driver.clearing.lastSeq]) {
    const follower = new Follower(keyed(dataDir))
    // Several chunks in each life.
    for (let upTo = seq - 40; upTo <= seq; upTo += 20) while (follower.step(upTo));
    follower.close()
  }
  const tables = tablesOf(dataDir)
  assert.deepEqual(tables, expectedOf(story))
  const active = tables.packs.filter((row) => row[6] === PACK_STATUSES.indexOf('ACTIVE'))
  const inMemory = [...driver.clearing.packs.all()].map(({ packId }) => packId)
  assert.deepEqual(
    active.map(([packId]) => packId),
    inMemory.sort((a, b) => a - b),
  )
  for (const { packId, results } of driver.clearing.packs.all()) {
    const rows: unknown[][] = tables.legs.filter(([each]) => each === packId)
    assert.deepEqual(
      rows.map((row) => row[5]),
      results.map((result) => LEG_RESULTS.indexOf(result)),
    )
  }
  const all = [...story.reported.values()]
  assert(
    all.some(({ curatedId }) => curatedId !== null),
    'packs of the list are bought',
  )
  for (const status of ['WON', 'LOST'])
    assert(
      all.some((each) => each.status === status),
      status,
    )
  assert(
    all.some(({ row }) => row[1] !== null),
    'makers fund packs',
  )
  assert(
    all.some(({ legs }) => legs.some(({ result }) => result === 'VOID')),
    'legs are void',
  )
})
