import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePurchase } from '../../../../engine/core/decide/money/curated-packs.ts'
import {
  type PackQuoteRequest,
  pricePack,
} from '../../../../engine/core/decide/money/pack-price.ts'
import {
  decideAccept,
  decideOffer,
  decidePack,
  type QuotedPack,
} from '../../../../engine/core/decide/money/packs.ts'
import { MOVE_LIMITS } from '../../../../engine/domain/moves/move-limits.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { REJECT, Reject, type RejectName } from '../../../../engine/domain/reject-precedence.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { quoteOf, restedLeg } from '../../../support/pack-quote.ts'

// The order of the gates of packs. Each table lists refusals in falling precedence and runs from
// its last row to its first, so each row breaks one thing more. No test makes as many packs as the
// exchange holds.

const UNIT = 1_000_000
const STAKE = 10 * UNIT

type Row = readonly [name: RejectName, breaks: () => void]

/** Each row breaks one thing more, and its refusal is answered. */
function climb(rows: readonly Row[], decide: () => unknown): void {
  assert.ok(!(decide() instanceof Reject), String(decide()))
  for (const [name, breaks] of [...rows].reverse()) {
    breaks()
    const decided = decide()
    assert.ok(decided instanceof Reject, name)
    assert.equal(decided.name, name)
  }
  const places = rows.map(([name]) => REJECT[name].number)
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
    'the gates stand in the order of the list',
  )
}

class Stage {
  readonly driver = new ExchangeDriver(64)
  readonly ann = this.driver.addAccount(10_000 * UNIT)
  readonly ben = this.driver.addAccount(10_000 * UNIT)
  readonly markets = [this.driver.addMarket(), this.driver.addMarket()]
  readonly once = { by: 'keyed', digest: 'a', bodyDigest: 'b', untilMs: 10 ** 15 } as const

  constructor() {
    this.driver.control({ kind: 'fundHouse', collateralRaw: 10 ** 12 })
  }

  get clearing() {
    return this.driver.clearing
  }

  request(ticks: number, changes: Partial<PackQuoteRequest> = {}): PackQuoteRequest {
    const asks = [{ ticks, sizeRaw: 10 ** 12 }]
    const legs = this.markets.map((marketId) => restedLeg(marketId, 0, asks))
    const isPaid = changes.offeredRaw === undefined
    const by = { offeredRaw: null, ownerId: this.ann, isPaid, closeMs: 0 }
    return { legs, stakeRaw: STAKE, ...by, ...changes }
  }

  priced(ticks: number, changes: Partial<PackQuoteRequest> = {}) {
    return pricePack(this.clearing, this.request(ticks, changes), this.driver.nowMs)
  }

  freeze(): void {
    this.driver.control({ kind: 'freezeProfile', profileId: this.ann, reason: 'a test' })
  }

  /** All calls of the profile are remembered, and it may make no more. */
  useCalls(): void {
    for (let made = 0; made < MOVE_LIMITS.callsOfProfileMax; made++) {
      const digest = `call ${made}`
      this.clearing.calls.made({ ...this.once, digest, profileId: this.ann, seq: 1 })
    }
  }

  fillPacks(): void {
    for (let made = 0; made < PACK_LIMITS.packsOfProfileMax; made++) {
      const legs = this.markets.map((marketId) => ({ marketId, outcome: 0, priceTicks: 500 }))
      const terms = { profileId: this.ann, stakeRaw: UNIT, payoutRaw: 2 * UNIT, legs }
      this.driver.control({ kind: 'createPack', ...terms })
    }
  }

  offer(profileId: number): number {
    const offering = { profileId, stakeMaxRaw: 20 * UNIT, payoutRaw: 30 * UNIT }
    const expiresMs = this.driver.nowMs + PACK_LIMITS.offerMs
    const legs = this.markets.map((marketId) => ({ marketId, outcome: 0, priceTicks: 500 }))
    this.driver.control({ kind: 'offerPack', ...offering, expiresMs, legs })
    return this.clearing.lastSeq
  }

  empty(): void {
    const collateralRaw = -this.clearing.ledger.freeRaw(this.ann)
    this.driver.control({ kind: 'adjustBalance', profileId: this.ann, collateralRaw })
  }
}

test('gates of a stake on the house', () => {
  const stage = new Stage()
  const { driver, once } = stage
  const staking = { profileId: stage.ann, stakeRaw: STAKE, once }
  let quoted: QuotedPack | null = quoteOf(stage.priced(500))
  let ticks = 500
  const rows: readonly Row[] = [
    ['PROFILE_FROZEN', () => stage.freeze()],
    ['CALL_LIMIT', () => stage.useCalls()],
    ['QUOTE_INVALID', () => (quoted = null)],
    ['QUOTE_USED', () => (quoted = quoted && { ...quoted, isUsed: true })],
    ['QUOTE_EXPIRED', () => (quoted = quoted && { ...quoted, expiresMs: driver.nowMs })],
    ['PACK_LIMIT', () => stage.fillPacks()],
    ['PACK_NOT_ELIGIBLE', () => (ticks = 950)],
    ['QUOTE_CHANGED', () => (ticks = 600)],
  ]
  climb(rows, () => decidePack(stage.clearing, staking, stage.priced(ticks), quoted, driver.nowMs))
})

test('gates of a purchase from the list', () => {
  const stage = new Stage()
  const { driver, once } = stage
  const legs = stage.markets.map((marketId) => ({ marketId, outcome: 0 }))
  driver.control({ kind: 'curatePack', name: 'Rain', legs })
  let curatedId = stage.clearing.lastSeq
  let [ticks, payoutMinRaw, deadlineMs] = [500, 36 * UNIT, Number.MAX_SAFE_INTEGER]
  const rows: readonly Row[] = [
    ['PROFILE_FROZEN', () => stage.freeze()],
    ['CALL_LIMIT', () => stage.useCalls()],
    ['PACK_NOT_FOUND', () => (curatedId = 0)],
    ['INTENT_EXPIRED', () => (deadlineMs = driver.nowMs)],
    ['PACK_LIMIT', () => stage.fillPacks()],
    ['PACK_NOT_ELIGIBLE', () => (ticks = 950)],
    ['PRICE_DRIFTED', () => (payoutMinRaw = 36 * UNIT + 1)],
  ]
  climb(rows, () => {
    const staking = { profileId: stage.ann, stakeRaw: STAKE, once }
    const purchase = { ...staking, curatedId, payoutMinRaw, deadlineMs }
    return decidePurchase(stage.clearing, purchase, stage.priced(ticks), driver.nowMs)
  })
})

test('gates of an offer', () => {
  const stage = new Stage()
  const terms = { profileId: stage.ann, stakeMaxRaw: 20 * UNIT, payoutRaw: 30 * UNIT }
  let ticks = 500
  const rows: readonly Row[] = [
    ['PROFILE_FROZEN', () => stage.freeze()],
    ['INSUFFICIENT_COLLATERAL', () => stage.empty()],
    ['PACK_NOT_ELIGIBLE', () => (ticks = 950)],
    [
      'OFFER_LIMIT',
      () => {
        for (let made = 0; made < PACK_LIMITS.offersOfMakerMax; made++) stage.offer(stage.ann)
      },
    ],
  ]
  const requested = { offeredRaw: terms.payoutRaw, stakeRaw: terms.stakeMaxRaw }
  climb(rows, () =>
    decideOffer(stage.clearing, terms, stage.priced(ticks, requested), stage.driver.nowMs),
  )
})

test('gates of a stake on an offer', () => {
  const stage = new Stage()
  const { driver, ann, once } = stage
  let [offerId, stakeRaw] = [stage.offer(stage.ben), STAKE]
  const rows: readonly Row[] = [
    ['PROFILE_FROZEN', () => stage.freeze()],
    ['CALL_LIMIT', () => stage.useCalls()],
    ['CANCEL_ONLY_MODE', () => closeTrading(driver)],
    ['INSUFFICIENT_COLLATERAL', () => stage.empty()],
    ['PACK_LIMIT', () => stage.fillPacks()],
    ['OFFER_NOT_FOUND', () => (offerId = 0)],
    ['OWN_OFFER', () => (offerId = stage.offer(ann))],
    ['STAKE_TOO_LOW', () => (stakeRaw = UNIT - 1)],
    ['STAKE_TOO_HIGH', () => (stakeRaw = 20 * UNIT + 1)],
  ]
  climb(rows, () => {
    const staking = { profileId: ann, stakeRaw, once }
    return decideAccept(stage.clearing, offerId, staking, { nowMs: driver.nowMs, closeMs: 0 })
  })
})

function closeTrading(driver: ExchangeDriver): void {
  const window = { windowId: 1, startsAtMs: driver.nowMs, endsAtMs: null, publicMessage: '' }
  driver.control({ kind: 'putTradingWindow', window: { ...window, mode: 'cancel_only' } })
}

test('a market that left memory is not active, and is not unknown', () => {
  const { driver, clearing, markets, ann } = new Stage()
  const [first, gone] = markets
  const payoutNumerators = [1, 0] as const
  driver.control({ kind: 'resolveMarkets', resolutions: [{ marketId: gone, payoutNumerators }] })
  driver.control({ kind: 'archiveMarket', marketId: gone })
  const leg = (marketId: number) => restedLeg(marketId, 0, [])
  const requested = {
    legs: [first, gone, gone].map(leg),
    stakeRaw: STAKE,
    ownerId: ann,
    offeredRaw: null,
    isPaid: false,
    closeMs: 0,
  }
  const { issues } = pricePack(clearing, requested, driver.nowMs)
  const ofMarkets = issues.filter(({ code }) => code !== 'NO_LIQUIDITY')
  assert.deepEqual(ofMarkets, [
    { code: 'DUPLICATE_MARKET', legIndex: 2 },
    { code: 'MARKET_NOT_ACTIVE', legIndex: 1 },
    { code: 'MARKET_NOT_ACTIVE', legIndex: 2 },
  ])
})

test('the reasons stand in the order of the rules, however many legs there are', () => {
  const stage = new Stage()
  const [leg] = stage.request(500).legs
  const { issues } = pricePack(
    stage.clearing,
    stage.request(500, { legs: Array.from({ length: 20 }, () => leg), stakeRaw: 0 }),
    stage.driver.nowMs,
  )
  const twice = Array.from({ length: 19 }, () => 'DUPLICATE_MARKET')
  const all = ['TOO_MANY_LEGS', 'STAKE_TOO_LOW', ...twice, 'MULTIPLIER_TOO_HIGH']
  assert.deepEqual(
    issues.map(({ code }) => code),
    all,
  )
})
