// Leaderboards in `make bench-reads`: an exchange of many profiles beside one of a hundredth. Every
// row comes from commands that the core applied and the follower wrote.

import { assert } from '../../engine/domain/assert.ts'
import type { Seal } from '../../persistence/seal.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { ExchangeDriver } from '../../test/support/exchange-driver.ts'
import { Random } from '../../test/support/random.ts'
import { ServerProcess } from '../../test/support/server-process.ts'
import { profileFields } from '../../test/support/specs.ts'
import { Caller } from '../http/calls.ts'
import { withFolder } from '../passes/folder.ts'
import { progress } from '../report/progress.ts'
import type { Row } from '../report/report.ts'
import { inTurns, Rounds, type Side } from './turns.ts'
import { sealedToken, writeStory } from './written-folder.ts'

export interface BoardsPlan {
  /** Profiles of the large exchange; the small one has a hundredth. */
  readonly profiles: number
  /** Trades of each profile. */
  readonly trades: number
  readonly rounds: number
  readonly calls: number
}

const SHARE = 1_000_000
const DEPOSIT_RAW = 10 ** 9
const MAKER_RAW = 9 * 10 ** 14
const HISTORY_MS = 20 * 24 * 3_600_000
const MARKETS = 16
/** Shares in one trade. */
const TAKEN_MAX = 4
const MAKER = 1
const SMALL_PART = 100
const SERVER_ARGS = ['--no-rate-limit', '--stop-deadline', '120']
const WAIT_MS = 600_000
const LOOK_MS = 250

interface BoardRead {
  readonly name: string
  readonly path: (world: World) => string
}

interface World {
  readonly random: Random
  readonly profiles: number
}

const ACCOUNT = ({ random, profiles }: World) =>
  profileFields(MAKER + 1 + random.below(profiles)).account

const READS: readonly BoardRead[] = [
  { name: 'board by profit', path: () => '/leaderboard/pnl' },
  { name: 'board by profit of a day', path: () => '/leaderboard/pnl?timeframe=24h' },
  { name: 'board by volume', path: () => '/leaderboard/volume?timeframe=7d' },
  {
    name: 'board of a market page',
    path: () => '/leaderboard/pnl?scope=category&marketPageId=__home__',
  },
  { name: 'biggest positions', path: () => '/leaderboard/pnl/unrealized/biggest-positions' },
  {
    name: 'biggest positions by profit',
    path: () => '/leaderboard/pnl/unrealized/biggest-positions?metric=pnl',
  },
  {
    name: 'biggest positions of a market page',
    path: () => '/leaderboard/pnl/unrealized/biggest-positions?marketPageId=__home__',
  },
  { name: 'accuracy', path: (world) => `/user-stats/accuracy/${ACCOUNT(world)}` },
  { name: 'traded volume', path: (world) => `/portfolio/${ACCOUNT(world)}/traded-volume` },
]

interface Made {
  readonly driver: ExchangeDriver
  readonly seal: Seal
}

function addProfile({ driver, seal }: Made, profileId: number, collateralRaw: number): void {
  const profile = profileFields(profileId)
  driver.rare({ kind: 'createProfile', profileId, profile, token: sealedToken(seal, profileId) })
  driver.deposit(profileId, collateralRaw)
}

/** Profiles trade with one maker, at hours all over the history. */
function* story({ profiles, trades }: BoardsPlan, seal: Seal): Iterable<Uint8Array> {
  const nowMs = Date.now()
  const driver = new ExchangeDriver(1 << 14)
  const world = { driver, seal }
  const random = new Random(1)
  let records: Uint8Array[] = []
  driver.onCommand = (command) => records.push(encodeCommand(command))
  const taken = () => {
    const all = records
    records = []
    return all
  }
  driver.nowMs = nowMs - HISTORY_MS
  driver.rare({ kind: 'rules', version: 1 })
  addProfile(world, MAKER, MAKER_RAW)
  for (let at = 0; at < MARKETS; at++) {
    const marketId = driver.addMarket()
    const wish = { account: MAKER, marketId, side: 0, type: 'GTC' } as const
    // The most that all profiles may take of one market.
    const sizeRaw = Math.ceil(profiles / MARKETS) * trades * TAKEN_MAX * SHARE
    driver.place({ ...wish, outcome: 1, priceTicks: 500, sizeRaw })
    driver.place({ ...wish, outcome: 0, priceTicks: 480, sizeRaw })
  }
  for (let at = 0; at < profiles; at++) {
    addProfile(world, MAKER + 1 + at, DEPOSIT_RAW)
    yield* taken()
  }
  for (let round = 0; round < trades; round++) {
    for (let at = 0; at < profiles; at++) {
      const done = (round * profiles + at) / (trades * profiles)
      driver.nowMs = nowMs - HISTORY_MS + Math.floor(done * HISTORY_MS)
      const buys = round % 2 === 0
      const [side, priceTicks] = buys ? [0, 500] : [1, 480]
      const sizeRaw = (buys ? 2 : 1) * SHARE
      const marketId = 1 + ((at + (round >> 1)) % MARKETS)
      const placed = driver.place({
        ...{ account: MAKER + 1 + at, marketId, outcome: 0, type: 'FAK' },
        ...{ side, priceTicks, sizeRaw: sizeRaw * (buys ? random.between(1, 2) : 1) },
      })
      assert(placed.result === 'FILLED', 'a fill is made')
      yield* taken()
    }
    progress(`boards: ${(round + 1) * profiles} of ${profiles * trades} trades`)
  }
}

/** The first pass after a start makes the boards: it has ended when all profiles are on one. */
async function whenProjected(baseUrl: string, profiles: number): Promise<void> {
  const untilMs = performance.now() + WAIT_MS
  for (;;) {
    const reply = await fetch(`${baseUrl}/leaderboard/pnl?limit=1`)
    const biggest = await fetch(`${baseUrl}/leaderboard/pnl/unrealized/biggest-positions?limit=1`)
    const { totalRows } = Object(await reply.json())
    const { state } = Object(await biggest.json())
    if (totalRows > profiles && state === 'READY') return
    assert(performance.now() < untilMs, 'the boards are made in time')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

async function withSide<T>(
  plan: BoardsPlan,
  work: (side: Side<BoardRead>) => Promise<T>,
): Promise<T> {
  const { profiles, calls } = plan
  return withFolder(async (dataDir) => {
    writeStory(dataDir, (seal) => story(plan, seal))
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    const caller = new Caller(server.baseUrl)
    try {
      await whenProjected(server.baseUrl, profiles)
      const world = { random: new Random(1), profiles }
      return await work({
        name: `${profiles} profiles`,
        rounds: new Rounds(),
        round: (read) => caller.round(() => read.path(world), calls),
      })
    } finally {
      caller.close()
      await server.stop()
    }
  })
}

export function boardRows(plan: BoardsPlan): Promise<Row[]> {
  const small = { ...plan, profiles: Math.max(1, plan.profiles / SMALL_PART) }
  const turns = { reads: READS, rounds: plan.rounds, kindOf: () => 'board' }
  return withSide(small, (few) => withSide(plan, (many) => inTurns(few, many, turns)))
}
