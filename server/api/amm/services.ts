import type { Clearing } from '../../../engine/core/clearing.ts'
import { decideShares } from '../../../engine/core/decide/money/pool-shares.ts'
import {
  type ApprovalStatus,
  approvalOf,
  decideApproval,
  decideBuy,
  decideDrain,
  decideFund,
  decideSell,
} from '../../../engine/core/decide/money/pools.ts'
import { decideFunds } from '../../../engine/core/decide/partners.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import type { BothRaw, PoolBody, PoolSide } from '../../../engine/domain/moves/move-command.ts'
import { REJECT, Reject, type RejectName } from '../../../engine/domain/reject-precedence.ts'
import type { CollateralRaw, SizeRaw } from '../../../engine/domain/units.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { parseAddress } from '../../crypto/address.ts'
import type { Buckets } from '../../edge/http/access/rate-limit.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { Call, Caller } from '../../messages/call.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import { ownRateRefusal } from '../own-rate.ts'
import type { Moved, MoveRequest, MovesOnce, PortfolioServices } from '../portfolio/services.ts'
import { requesterOf } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Trades with pools, the approvals that they need, and pool providers (rules §7). A method resolves
// once its command is durable.

/** A trade that an account requests from a pool. */
export interface PoolRequest {
  readonly marketId: MarketId
  readonly outcome: number
  /** The collateral to spend, or to receive for shares. */
  readonly collateralRaw: CollateralRaw
  /** The amount as requested; a repeat under the same key must name it again. */
  readonly amount: string
  readonly slippageBps: number
  /** The minimum shares to receive, or the maximum to give; undefined for no limit. */
  readonly limitRaw: bigint | undefined
}

/** A trade that was not made, because the shares that the pool computed are beyond the limit. */
export interface BeyondLimit {
  readonly computedRaw: SizeRaw
}

export interface ApprovalRequest {
  readonly marketId: MarketId
  readonly owner: ProfileId
  readonly callerId: ProfileId
  readonly side: PoolSide
}

/** `seq` is the command that approved; 0 until there is one. */
export interface Approval {
  readonly status: ApprovalStatus
  readonly seq: Seq
}

/** The result of a funding or a withdrawal. */
export interface ProviderChange {
  /** The pool share that was added or removed. */
  readonly liquidityRaw: SizeRaw
  readonly sharesRaw: BothRaw
  /** Collateral that the provider received. */
  readonly feesRaw: CollateralRaw
}

export class PoolTrades {
  readonly #pipeline: Pipeline
  readonly #once: MovesOnce

  constructor(pipeline: Pipeline, once: MovesOnce) {
    this.#pipeline = pipeline
    this.#once = once
  }

  get #clearing(): Clearing {
    return this.#pipeline.clearing
  }

  #marketOf(marketId: MarketId): Market | undefined {
    return this.#clearing.catalogue.byId(marketId)
  }

  buy(request: MoveRequest, wanted: PoolRequest): Promise<Moved | BeyondLimit | Reject> {
    return this.#trade('buy', request, wanted, decideBuy)
  }

  sell(request: MoveRequest, wanted: PoolRequest): Promise<Moved | BeyondLimit | Reject> {
    return this.#trade('sell', request, wanted, decideSell)
  }

  async #trade(
    what: 'buy' | 'sell',
    request: MoveRequest,
    { marketId, outcome, collateralRaw, amount, slippageBps, limitRaw }: PoolRequest,
    decide: typeof decideBuy,
  ): Promise<Moved | BeyondLimit | Reject> {
    const limit = limitRaw === undefined ? [] : [String(limitRaw)]
    const requested = [what, marketId, outcome, amount, slippageBps, ...limit]
    let computedRaw = 0
    const made = await this.#once.make(request, requested, (nowMs, once) => {
      const market = this.#marketOf(marketId)
      if (market === undefined) return REJECT.POOL_CLOSED
      const wanted = { profileId: request.owner, outcome, collateralRaw, slippageBps, once }
      const decided = decide(this.#clearing, market, wanted, nowMs)
      if (decided instanceof Reject || limitRaw === undefined) return decided
      computedRaw = decided.sharesRaw
      return decideShares(decided, limitRaw) ?? decided
    })
    return made === REJECT.POOL_SHARES_BEYOND ? { computedRaw } : made
  }

  async approval({ marketId, owner, side }: ApprovalRequest): Promise<Approval> {
    const market = this.#marketOf(marketId)
    if (market === undefined) return { status: 'missing', seq: 0 }
    const found = approvalOf(this.#clearing, market, owner, side)
    await this.#pipeline.durable()
    return found
  }

  /** Approves what is not approved yet. */
  async approve(wanted: ApprovalRequest): Promise<Approval | Reject> {
    const { marketId, owner, callerId, side } = wanted
    let found: Approval = { status: 'missing', seq: 0 }
    const refused = await this.#pipeline.change((nowMs) => {
      const market = this.#marketOf(marketId)
      if (market === undefined) return REJECT.POOL_CLOSED
      const restricted = decideFunds(this.#clearing, callerId, owner)
      if (restricted !== null) return restricted
      const decided = decideApproval(this.#clearing, market, { profileId: owner, side }, nowMs)
      found =
        decided === null
          ? approvalOf(this.#clearing, market, owner, side)
          : { status: 'submitted', seq: this.#clearing.lastSeq + 1 }
      return decided
    })
    return refused ?? found
  }

  /** A profile adds collateral to a pool. The hints apply only to an empty pool. */
  fund(
    published: PublishedMarket,
    request: {
      readonly profileId: ProfileId
      readonly collateralRaw: number
      readonly hints: BothRaw
    },
    by?: string,
  ): Promise<ProviderChange | Reject> {
    return this.#provide(published, by, (market) => decideFund(this.#clearing, market, request))
  }

  /** A profile withdraws a part of a pool; its whole share if no amount is given. */
  drain(
    published: PublishedMarket,
    request: { readonly profileId: ProfileId; readonly liquidityRaw?: number | undefined },
    by?: string,
  ): Promise<ProviderChange | Reject> {
    const { profileId, liquidityRaw } = request
    return this.#provide(published, by, (market) => {
      return decideDrain(this.#clearing, market, profileId, liquidityRaw)
    })
  }

  async #provide(
    published: PublishedMarket,
    by: string | undefined,
    decide: (market: Market) => PoolBody | Reject,
  ): Promise<ProviderChange | Reject> {
    let made: ProviderChange | null = null
    const refused = await this.#pipeline.change(() => {
      const market = this.#marketOf(published.market.marketId)
      const decided = market === undefined ? REJECT.MARKET_RESOLVED : decide(market)
      if (!(decided instanceof Reject)) made = changeOf(decided)
      return decided
    }, by)
    return refused ?? made ?? REJECT.MARKET_STATUS
  }
}

function changeOf(body: PoolBody): ProviderChange | null {
  if (body.kind === 'drainPool') return body
  if (body.kind !== 'fundPool') return null
  const { liquidityRaw, collateralRaw, keptRaw } = body
  const sharesRaw = [collateralRaw - keptRaw[0], collateralRaw - keptRaw[1]] as const
  return { liquidityRaw, sharesRaw, feesRaw: 0 }
}

/** What the routes of this folder need. */
export interface PoolServices
  extends SharedServices,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'> {
  readonly pools: PoolTrades
  /** Rate limit of each profile's pool calls; null for no limit. */
  readonly poolCalls: Buckets<ProfileId> | null
}

// Shared by all pool calls: how they name a market, and their rate limit (rules §7.5).

const SHAPED_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const MARKET_CHARACTERS_MAX = 255

export const market = () =>
  means(
    text(MARKET_CHARACTERS_MAX, 1),
    'Slug of the market, or the checksummed address of its pool.',
  )
const proofs = () => eitherOf(hmac('trading', 'delegated_signing'), sessionOrIdentity())
/** For calls that move money, or let a pool move it. */
export const auth = () => proofs().forServerWallets()
/** For calls that only read. */
export const readAuth = () => proofs().forSubAccounts()
export const ofBody = (body: { onBehalfOf?: number }) => body.onBehalfOf

export const COMMON: readonly RejectName[] = [
  'OVERLOADED',
  'VALIDATION',
  'RATE_LIMITED',
  'PROFILE_FROZEN',
  'MARKET_NOT_FOUND',
  'MARKET_NOT_POOL',
  'READ_TIMEOUT',
]
export const TRADING: readonly RejectName[] = [
  'POST_ONLY_MODE',
  'CANCEL_ONLY_MODE',
  'TRADING_DISABLED',
  'POOL_CLOSED',
  'POSITION_LIMIT',
  'AMOUNT_TOO_SMALL',
  'CAPACITY',
  'POOL_CAPACITY',
]

export interface Requested {
  readonly owner: number
  readonly caller: Caller
  readonly call: Call
  readonly body: { readonly market: string }
}

/** The market that a call names, or the refusal of the call. */
export async function marketOf(
  requested: Requested,
  services: PoolServices,
): Promise<PublishedMarket | Refusal> {
  const { owner, body } = requested
  const { poolCalls, pipeline, archive } = services
  // Separately per child of a partner: one purchase by the public client takes up to ten calls.
  const tooOften = ownRateRefusal(poolCalls, owner)
  if (tooOften !== null) return tooOften
  if (SHAPED_ADDRESS.test(body.market)) {
    if (parseAddress(body.market) === undefined) {
      return invalid({ field: 'market', message: WRONG_CHECKSUM })
    }
    return pipeline.published.byAddress(body.market) ?? refuse('MARKET_NOT_FOUND')
  }
  const found = await archive.bySlug(body.market, requesterOf(requested))
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  return kindOf(found.market) === 'amm' ? found : refuse('MARKET_NOT_POOL')
}
