import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { MOVE_LIMITS } from '../../../../engine/domain/moves/move-limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { DAY_MS } from '../../../../engine/domain/units.ts'
import type { ControlBody } from '../../../../server/exchange/sequencer/sequencer.ts'
import { Redemptions } from '../../../../server/exchange/settlement/redemptions.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { buy, fill, openForTest, tokenOf } from '../../../support/open-pipeline.ts'
import { marketSpec, profileFields } from '../../../support/specs.ts'

// What the exchange redeems by itself behind a payout (rules §6.2).

const SHARE = 1_000_000
const DAYS = 30
const START_MS = 1_800_000_000_000

const TERMS = { outcome: OUTCOME.YES, priceTicks: 500, sizeRaw: 1000 }
const YES_BID = { ...TERMS, side: SIDE.BUY, type: 'GTC' } as const
const YES_SALE = { ...TERMS, side: SIDE.SELL, type: 'FAK' } as const

type Exchange = Awaited<ReturnType<typeof openForTest>>

class World {
  readonly clock: { nowMs: number }
  readonly dataDir: string
  exchange: Exchange

  private constructor(exchange: Exchange, clock: { nowMs: number }, dataDir: string) {
    this.exchange = exchange
    this.clock = clock
    this.dataDir = dataDir
  }

  /** One market, and as many profiles with collateral. */
  static async open(profiles: number): Promise<World> {
    const clock = { nowMs: START_MS }
    const dataDir = newFolder()
    const exchange = await openForTest(dataDir, clock, 0, { blockMs: 0, autoRedeemDays: DAYS })
    const world = new World(exchange, clock, dataDir)
    await fill(exchange, 100 * SHARE)
    const changes: ControlBody[] = []
    for (let profileId = 2; profileId <= profiles; profileId++) {
      const profile = profileFields(profileId)
      const token = tokenOf(exchange, profileId)
      changes.push({ kind: 'createProfile', profileId, profile, token })
      changes.push({ kind: 'adjustBalance', profileId, collateralRaw: 100 * SHARE })
    }
    await Promise.all(changes.map((change) => exchange.pipeline.change(() => change)))
    return world
  }

  async reopen(): Promise<void> {
    await this.exchange.stop()
    const options = { blockMs: 0, autoRedeemDays: DAYS }
    this.exchange = await openForTest(this.dataDir, this.clock, 0, options)
  }

  get ledger() {
    return this.exchange.pipeline.clearing.ledger
  }

  get rowCount(): number | undefined {
    return this.exchange.pipeline.clearing.catalogue.byId(1)?.rowCount
  }

  async change(...bodies: ControlBody[]): Promise<void> {
    const { pipeline } = this.exchange
    await Promise.all(bodies.map((body) => pipeline.change(() => body)))
  }

  split(profileId: number, amountRaw: number) {
    return { kind: 'splitPosition' as const, profileId, marketId: 1, amountRaw }
  }

  /** A profile sells shares of one outcome to another, at half a unit each. */
  async sell(from: number, to: number, outcome: number, sizeRaw: number): Promise<void> {
    const terms = { outcome, priceTicks: 500, sizeRaw }
    for (const [accountId, side] of [[from, SIDE.SELL] as const, [to, SIDE.BUY] as const]) {
      const hash = this.exchange.pipeline.clearing.lastSeq + 1000
      assert.equal(buy(this.exchange, hash, { ...terms, accountId, side }), null)
      await this.exchange.pipeline.whenIdle()
    }
  }

  resolve(payoutNumerators: readonly [number, number]): Promise<void> {
    const resolutions = [{ marketId: 1, payoutNumerators }]
    return this.change({ kind: 'resolveMarkets', resolutions })
  }

  /** Lets what is due happen until nothing is due within this time. */
  async pass(ms: number): Promise<void> {
    this.clock.nowMs += ms
    for (let round = 0; round < 8; round++) {
      this.exchange.pipeline.tick()
      await this.exchange.pipeline.whenIdle()
      this.clock.nowMs += Math.max(LIMITS.payoutEveryMs, MOVE_LIMITS.sweepEveryMs)
    }
  }
}

test('behind a payout the exchange burns what pays nothing, and winners keep theirs', async () => {
  const world = await World.open(3)
  await world.change(world.split(1, 10 * SHARE))
  await world.sell(1, 2, OUTCOME.NO, 4 * SHARE)
  await world.sell(1, 3, OUTCOME.YES, 2 * SHARE)
  await world.resolve([1, 0])
  await world.pass(0)
  // Profile 2 held only NO. The NO of profile 1 go when it redeems its YES.
  assert.equal(world.rowCount, 2)
  assert.equal(world.ledger.freeSharesRaw(2, 1, OUTCOME.NO), 0)
  assert.equal(world.ledger.freeSharesRaw(1, 1, OUTCOME.YES), 8 * SHARE)
  assert.equal(world.exchange.pipeline.mining?.nextDueMs, redeemMs(world), 'nothing else is due')
})

/** When the exchange redeems what is left of the market. */
function redeemMs({ exchange }: World): number | undefined {
  return exchange.pipeline.clearing.catalogue.byId(1)?.redeemAtMs
}

test('shares of the fee account are redeemed behind the payout', async () => {
  const world = await World.open(3)
  const { pipeline } = world.exchange
  const market = marketSpec(2, { feeEnabled: true })
  await world.change({ kind: 'createMarket', marketId: 2, book: 2, market })
  await world.change({ ...world.split(2, 10 * SHARE), marketId: 2 })
  const terms = { marketId: 2, outcome: OUTCOME.YES, priceTicks: 500, sizeRaw: 10 * SHARE }
  const sell = { ...terms, accountId: 2, side: SIDE.SELL }
  assert.equal(buy(world.exchange, 1000, sell, { signedFeeBps: 300 }), null)
  assert.equal(buy(world.exchange, 1001, { ...terms, accountId: 3 }, { signedFeeBps: 300 }), null)
  await pipeline.whenIdle()
  // 3% of the shares that the taker bought (rules §3.1).
  assert.equal(world.ledger.freeSharesRaw(FEE_ACCOUNT, 2, OUTCOME.YES), 300_000)
  const resolutions = [{ marketId: 2, payoutNumerators: [1, 0] as const }]
  await world.change({ kind: 'resolveMarkets', resolutions })
  await world.pass(0)
  assert.equal(world.ledger.freeRaw(FEE_ACCOUNT), 300_000)
  assert.equal(world.ledger.rows.find(FEE_ACCOUNT, 2), 0)
})

test('after its days the exchange redeems what is left, also over a restart', async () => {
  const world = await World.open(2)
  await world.change(world.split(1, 10 * SHARE))
  await world.sell(1, 2, OUTCOME.YES, 4 * SHARE)
  await world.resolve([1, 0])
  await world.pass(0)
  const before = world.ledger.freeRaw(2)
  assert.equal(world.rowCount, 2)
  await world.reopen()
  await world.pass(DAYS * DAY_MS - 60_000)
  assert.equal(world.rowCount, 2, 'it is not time yet')
  await world.pass(60_000)
  assert.equal(world.ledger.freeRaw(2), before + 4 * SHARE)
  assert.equal(world.rowCount, undefined, 'the market left memory')
  assert.equal(world.exchange.pipeline.mining?.nextDueMs, Number.POSITIVE_INFINITY)
})

test('a market with many positions is swept in bounded commands', async () => {
  const many = 2 * MOVE_LIMITS.redeemedPositionsMax + 10
  const world = await World.open(many)
  const everyone = Array.from({ length: many }, (_none, index) => world.split(index + 1, SHARE))
  await world.change(...everyone)
  await world.resolve([1, 0])
  const { sequencer } = world.exchange.pipeline
  const change = sequencer.change.bind(sequencer)
  const sizes: number[] = []
  sequencer.change = (decide) =>
    change((nowMs) => {
      const decided = decide(nowMs)
      if (isRedemption(decided)) sizes.push(decided.positions.length)
      return decided
    })
  await world.pass(0)
  assert.deepEqual(sizes, [], 'all of them pay')
  await world.pass(DAYS * DAY_MS)
  const whole = MOVE_LIMITS.redeemedPositionsMax
  assert.deepEqual(sizes, [whole, whole, 10])
  assert.equal(world.ledger.rows.count, 0)
})

test('rows of other markets that come during a sweep hide no row of its market', () => {
  const driver = new ExchangeDriver()
  const { clearing } = driver
  const [paidFirst, paid, other] = [driver.addMarket(), driver.addMarket(), driver.addMarket()]
  const split = (profileId: number, marketId: number) =>
    driver.control({ kind: 'splitPosition', profileId, marketId, amountRaw: 1000 })
  const profiles = Array.from({ length: 2 * MOVE_LIMITS.sweptRowsMax }, () =>
    driver.addAccount(10_000),
  )
  // The first row belongs to the market that is paid out last.
  split(profiles[0], paid)
  for (const profileId of profiles) split(profileId, paidFirst)
  const payOut = (marketId: number) => {
    driver.control({
      kind: 'resolveMarkets',
      resolutions: [{ marketId, payoutNumerators: [1, 0] }],
    })
    driver.control({ kind: 'postPayouts', marketIds: [marketId] })
    redemptions.paidOut(clearing.catalogue.existing(marketId))
  }
  const redemptions = new Redemptions({
    clearing,
    sequencer: {
      nowMs: () => driver.nowMs,
      change: (decide) => {
        const body = decide(driver.nowMs)
        assert(body !== null && !(body instanceof Reject))
        driver.control(body)
        return { seq: clearing.lastSeq, reject: null }
      },
    },
  })
  const round = () => {
    driver.nowMs += MOVE_LIMITS.sweepEveryMs
    redemptions.tick()
  }
  // Its YES move to another profile: what is left pays nothing, so it is redeemed at once.
  const row = clearing.ledger.rows.find(profiles[0], paid)
  driver.place({ ...YES_BID, account: profiles[1], marketId: paid })
  driver.place({ ...YES_SALE, account: profiles[0], marketId: paid })
  payOut(paidFirst)
  round()
  payOut(paid)
  for (const profileId of profiles) split(profileId, other)
  for (let rounds = 0; redemptions.nextDueMs !== Number.POSITIVE_INFINITY; rounds++) {
    assert(rounds < 20, 'a sweep ends')
    round()
  }
  assert.equal(clearing.ledger.rows.find(profiles[0], paid), 0, `row ${row} was looked at`)
  driver.holds()
})

type Redemption = Extract<ControlBody, { kind: 'redeemPositions' }>

function isRedemption(decided: unknown): decided is Redemption {
  return (
    typeof decided === 'object' &&
    decided !== null &&
    Object.entries(decided).some(([name, value]) => name === 'kind' && value === 'redeemPositions')
  )
}
