import type { Clearing } from '../../../../engine/core/clearing.ts'
import {
  curationIssues,
  decideCuratedRemoval,
  decidePurchase,
  gateCuration,
} from '../../../../engine/core/decide/money/curated-packs.ts'
import {
  type PackQuoteRequest,
  pricePack,
} from '../../../../engine/core/decide/money/pack-price.ts'
import {
  decideAccept,
  decideEndOffer,
  decideOffer,
  decidePack,
} from '../../../../engine/core/decide/money/packs.ts'
import { decideFunding } from '../../../../engine/core/decide/money/rewards.ts'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { countedResults, paidRawOf } from '../../../../engine/core/packs/packs.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import { HOUSE_ACCOUNT } from '../../../../engine/domain/ids.ts'
import type { PackBody } from '../../../../engine/domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { quoteOf, restedLeg } from '../../../support/pack-quote.ts'
import type { Random } from '../../../support/random.ts'

// Random packs for flows that mix everything that moves money.

const { stakeMinRaw, stakeMaxRaw } = PACK_LIMITS
const DEEP_RAW = 10 ** 10

interface Play {
  readonly clearing: Clearing
  readonly random: Random
  readonly nowMs: number
  readonly account: () => number
  readonly apply: (body: PackBody) => void
}

function wanted({ random }: Play, markets: readonly Market[]): PackQuoteRequest {
  const chosen = markets.filter(() => random.chance(0.5)).slice(0, random.between(2, 4))
  const legs = chosen.map(({ marketId }) => {
    const asks = [{ ticks: random.between(100, 900), sizeRaw: DEEP_RAW }]
    return restedLeg(marketId, random.below(2), asks)
  })
  const stakeRaw = random.between(stakeMinRaw, stakeMaxRaw)
  return { legs, stakeRaw, offeredRaw: null, ownerId: null, isPaid: false, closeMs: 0 }
}

function acceptance(
  { clearing, random, nowMs, account }: Play,
  { offerId, stakeMaxRaw }: { readonly offerId: number; readonly stakeMaxRaw: number },
): PackBody | Reject {
  const stakeRaw = stakeMinRaw + random.spread(stakeMaxRaw - stakeMinRaw)
  const accepting = { profileId: account(), stakeRaw }
  return decideAccept(clearing, offerId, accepting, { nowMs, closeMs: 0 })
}

/** One act of one account, if the gates let it. `markets` are open ones with books. */
export function playPack(play: Play, markets: readonly Market[]): void {
  const { clearing, random, nowMs, account } = play
  const profileId = account()
  const offers = [...clearing.packs.offers()]
  // Mostly one that still stands; else one of all, so that what expired is ended too.
  const standing = offers.filter(({ expiresMs }) => expiresMs > nowMs)
  const from = standing.length > 0 && random.chance(0.8) ? standing : offers
  const offer = from.length === 0 ? undefined : random.pick(from)
  const act = (decided: PackBody | Reject) => {
    if (!(decided instanceof Reject)) play.apply(decided)
  }
  const dice = random.next()
  if (dice < 0.1) {
    const collateralRaw = random.chance(0.3) ? -random.spread(10 ** 8) : random.spread(10 ** 9)
    if (collateralRaw !== 0 && decideFunding(clearing, HOUSE_ACCOUNT, collateralRaw) === null) {
      play.apply({ kind: 'fundHouse', collateralRaw })
    }
  } else if (dice < 0.5) {
    const requested = { ...wanted(play, markets), ownerId: profileId, isPaid: true }
    const priced = pricePack(clearing, requested, nowMs)
    const staking = { profileId, stakeRaw: requested.stakeRaw }
    act(decidePack(clearing, staking, priced, quoteOf(priced), nowMs))
  } else if (dice < 0.75) {
    const requested = wanted(play, markets)
    const payoutRaw = requested.stakeRaw + 1 + random.spread(requested.stakeRaw * 19)
    const priced = pricePack(clearing, { ...requested, offeredRaw: payoutRaw }, nowMs)
    const offering = { profileId, stakeMaxRaw: requested.stakeRaw, payoutRaw }
    act(decideOffer(clearing, offering, priced, nowMs))
    // A flow may leap over the minute in which the offer stands.
    const newest = [...clearing.packs.offers()].at(-1)
    if (newest !== undefined && random.chance(0.5)) act(acceptance(play, newest))
  } else if (offer !== undefined && dice < 0.9) act(acceptance(play, offer))
  else if (offer !== undefined) act(decideEndOffer(clearing, offer.offerId, offer.makerId))
}

/** One act of operators on the list of packs, or a purchase from it, if the gates let it. */
export function playCurated(play: Play, markets: readonly Market[]): void {
  const { clearing, random, nowMs, account } = play
  const listed = [...clearing.packs.curated.all()]
  const dice = random.next()
  if (listed.length === 0 || dice < 0.3) {
    const name = `Pack ${random.below(40)}`
    const legs = wanted(play, markets).legs.flatMap(({ marketId, outcome }) =>
      marketId === undefined ? [] : [{ marketId, outcome }],
    )
    const issues = curationIssues(clearing, legs, nowMs)
    const isPack = legs.length >= PACK_LIMITS.legsMin
    if (!isPack || gateCuration(clearing, name, issues) !== null) return
    play.apply({ kind: 'curatePack', name, legs })
    return
  }
  const { packId: curatedId, legs } = random.pick(listed)
  if (dice < 0.4) {
    const removal = decideCuratedRemoval(clearing, curatedId)
    if (!(removal instanceof Reject)) play.apply(removal)
    return
  }
  const [profileId, stakeRaw] = [account(), random.between(stakeMinRaw, stakeMaxRaw)]
  const requested = legs.map(({ marketId, outcome }) => {
    return restedLeg(marketId, outcome, [{ ticks: random.between(100, 900), sizeRaw: DEEP_RAW }])
  })
  const by = { offeredRaw: null, ownerId: profileId, isPaid: true, closeMs: 0 }
  const priced = pricePack(clearing, { stakeRaw, legs: requested, ...by }, nowMs)
  const terms = { curatedId, payoutMinRaw: stakeRaw, deadlineMs: nowMs + 1 }
  const decided = decidePurchase(clearing, { profileId, stakeRaw, ...terms }, priced, nowMs)
  if (!(decided instanceof Reject)) play.apply(decided)
}

/** Every resolved market counts for the packs that have a leg of it, a few packs at a time. */
export function countPacks({ clearing, random, apply }: Omit<Play, 'nowMs' | 'account'>): void {
  const { packs, catalogue } = clearing
  while (packs.due.size > 0) {
    const [marketId] = packs.due
    const market = catalogue.existing(marketId)
    const counted = [...packs.ofMarket(marketId)].slice(0, random.between(1, 3)).map((packId) => {
      const pack = packs.byId(packId)
      assert(pack !== undefined, 'a market names packs that are not over')
      return { packId, paidRaw: paidRawOf(pack, countedResults(pack, market)) }
    })
    apply({ kind: 'countPacks', marketId, packs: counted })
  }
}
