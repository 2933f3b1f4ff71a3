import { createHash } from 'node:crypto'
import {
  decideConvert,
  decideMerge,
  decideOnce,
  decideRedeem,
  decideSplit,
  decideWithdraw,
} from '../../../engine/core/decide/money/moves.ts'
import { decideFunds } from '../../../engine/core/decide/partners.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { eventsOfMove, type MoveEvent } from '../../../engine/core/moves/move-events.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { CallOnce, MoveBody } from '../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { moveBySeq } from '../../../persistence/query/read/portfolio/history.ts'
import { apiHeaders } from '../../auth/guard.ts'
import { checksumAddress } from '../../crypto/address.ts'
import { means, shownWith, text } from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { Call, Caller } from '../../messages/call.ts'
import { invalid, type Refusal } from '../../messages/refusal.ts'
import type { PrivateReads } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { Portfolio } from './portfolio.ts'
import type { RewardViews } from './rewards.ts'

// Runs a call that moves money once: the call is decided and stamped in one synchronous step, and
// answered once it is durable. The reply to a repeated call is read from the tables, so it is the
// first reply, whatever changed since.

/** The requester of a move, and the call. */
export interface MoveRequest {
  /** The owner of the money. */
  readonly owner: ProfileId
  readonly callerId: ProfileId
  readonly idempotencyKey: string | undefined
  /** The signature of the call; '' for an unsigned call. */
  readonly signature: string
}

/** A durable move. */
export interface Moved {
  /** Identifies its transaction on the chain. */
  readonly seq: Seq
  readonly event: MoveEvent
}

/** The result of a call's first run; null if not found, undefined on a read timeout. */
export type FirstMove = (request: MoveRequest, seq: Seq) => Promise<MoveEvent | null | undefined>

/** Queries the tables. */
export function firstMoveIn(reads: PrivateReads): FirstMove {
  return ({ callerId, owner }, seq) =>
    reads.read(moveBySeq, { seq, owner }, { profileId: callerId })
}

export type DecideMove = (nowMs: TimeMs, once: CallOnce | undefined) => MoveBody | Reject

export class MovesOnce {
  readonly #pipeline: Pipeline
  readonly #firstMove: FirstMove

  constructor(pipeline: Pipeline, firstMove: FirstMove) {
    this.#pipeline = pipeline
    this.#firstMove = firstMove
  }

  /** `requested` is the content that a repeat under the same key must match. */
  async make(
    request: MoveRequest,
    requested: readonly unknown[],
    decide: DecideMove,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const childrenOf = (groupId: MarketId) =>
      clearing.catalogue.childrenOf(groupId).map(({ marketId }) => marketId)
    let seq: Seq = 0
    let events: readonly MoveEvent[] = []
    const refused = await this.#pipeline.change((nowMs) => {
      const once = onceOf(request, requested, nowMs)
      const before = decideOnce(clearing, once, nowMs)
      if (before instanceof Reject) return before
      seq = before?.seq ?? clearing.lastSeq + 1
      if (before !== undefined) return null
      // The sub-account may have left since the call arrived.
      const restricted = decideFunds(clearing, request.callerId, request.owner)
      if (restricted !== null) return restricted
      const decided = decide(nowMs, once)
      if (!(decided instanceof Reject)) events = eventsOfMove(decided, childrenOf)
      return decided
    })
    if (refused !== null) return refused
    const event = events.at(0) ?? (await this.#firstMove(request, seq)) ?? null
    if (event === null) return REJECT.READ_TIMEOUT
    return event.txHash === undefined ? this.#named({ seq, event }) : { seq, event }
  }

  /** With the hash of its transaction, where it is one of an EVM chain. */
  async #named({ seq, event }: Moved): Promise<Moved | Reject> {
    const txHash = (await this.#pipeline.mining?.port.sentHash(seq)) ?? null
    const isLate = this.#pipeline.clearing.chainFunds.place !== null && txHash === null
    if (isLate) return REJECT.READ_TIMEOUT
    return { seq, event: txHash === null ? event : { ...event, txHash } }
  }
}

/** The record that prevents the call from being run twice; undefined for none. */
export function onceOf(
  { callerId, owner, idempotencyKey, signature }: MoveRequest,
  requested: readonly unknown[],
  nowMs: TimeMs,
): CallOnce | undefined {
  if (idempotencyKey !== undefined) {
    const digest = digestOf(`key\n${callerId}\n${idempotencyKey}`)
    const untilMs = nowMs + MOVE_LIMITS.idempotencyKeyMs
    return {
      by: 'keyed',
      digest,
      bodyDigest: digestOf(JSON.stringify([owner, requested])),
      untilMs,
    }
  }
  if (signature === '') return undefined
  const untilMs = nowMs + MOVE_LIMITS.signedCallMs
  return { by: 'signed', digest: digestOf(`signed\n${signature}`), bodyDigest: '', untilMs }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

// Shared by all calls that move money: the requester, and the idempotency key.

const KEY_MAX = MOVE_LIMITS.idempotencyKeyCodePointsMax
const BLANK = /^\s*$/

export const idempotencyKey = () =>
  means(
    optional(shownWith(text(KEY_MAX, 1), { pattern: '\\S' })),
    `Idempotency key, not blank, up to ${KEY_MAX} characters: a repeat gets the first reply.`,
  )

export interface MoneyCall {
  readonly owner: number
  readonly caller: Caller
  readonly call: Call
  readonly body: { readonly idempotencyKey?: string }
}

/** The requester; a refusal when the key is blank. */
export function requestOf(
  { owner, caller, call, body }: MoneyCall,
  { settings }: PortfolioServices,
): MoveRequest | Refusal {
  const { idempotencyKey: key } = body
  if (key !== undefined && BLANK.test(key)) {
    return invalid({ field: 'idempotencyKey', message: 'must not be blank' })
  }
  const { signature } = apiHeaders(call, settings.headerPrefixes)
  const isSigned = caller.via === 'hmac'
  const by = { callerId: caller.profileId, signature: isSigned ? signature : '' }
  return { owner, ...by, idempotencyKey: key }
}

// Money that profiles move outside trading (rules §6.2 to §6.5): pairs, redemptions, conversions
// and withdrawals.

export class Moves {
  readonly #pipeline: Pipeline
  readonly #once: MovesOnce

  constructor(pipeline: Pipeline, once: MovesOnce) {
    this.#pipeline = pipeline
    this.#once = once
  }

  split(request: MoveRequest, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['split', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideSplit(clearing, market, { profileId: request.owner, amountRaw, once })
    })
  }

  merge(request: MoveRequest, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['merge', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideMerge(clearing, market, { profileId: request.owner, amountRaw, once })
    })
  }

  redeem(request: MoveRequest, conditionId: string): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['redeem', conditionId], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideRedeem(clearing, market, { profileId: request.owner, once })
    })
  }

  /** The conditions are those whose NO shares the owner gives. */
  convert(
    request: MoveRequest,
    conditionIds: readonly string[],
    amountRaw: number,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['convert', conditionIds, amountRaw], (_nowMs, once) => {
      const chosen: Market[] = []
      for (const conditionId of conditionIds) {
        const market = clearing.catalogue.byCondition(conditionId)
        if (market === undefined) return REJECT.MARKET_NOT_FOUND
        chosen.push(market)
      }
      const groupId = chosen[0]?.groupId
      if (groupId === undefined) return REJECT.MARKET_NOT_GROUP
      const group = clearing.catalogue.existing(groupId)
      return decideConvert(clearing, group, chosen, { profileId: request.owner, amountRaw, once })
    })
  }

  /** `destination` is undefined for the caller's default: its smart wallet, or else its account. */
  withdraw(
    request: MoveRequest,
    collateralRaw: number,
    destination: string | undefined,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const params = ['withdraw', collateralRaw, destination?.toLowerCase() ?? '']
    return this.#once.make(request, params, (_nowMs, once) => {
      const to = this.#destinationOf(request.callerId, destination)
      if (to === undefined) return REJECT.DESTINATION_NOT_ALLOWED
      const wanted = { profileId: request.owner, collateralRaw, destination: to, once }
      return decideWithdraw(clearing, wanted)
    })
  }

  /** The money of a caller's profiles may only be sent to the caller's own or listed addresses. */
  #destinationOf(callerId: ProfileId, wanted: string | undefined): string | undefined {
    const { accounts } = this.#pipeline.clearing
    const caller = accounts.byId(callerId)
    assert(caller !== undefined, 'a proven caller has a profile')
    const { account, smartWallet } = caller
    if (wanted === undefined) return eip55(smartWallet ?? account)
    const listed = accounts.withdrawalAddresses.find(callerId, wanted)?.address
    const own = [account, smartWallet, listed].find((address) => {
      return address?.toLowerCase() === wanted.toLowerCase()
    })
    return own ? eip55(own) : undefined
  }
}

function eip55(address: string): string {
  return checksumAddress(address.toLowerCase())
}

/** What the routes of this folder need. */
export interface PortfolioServices extends SharedServices {
  readonly moves: Moves
  readonly portfolio: Portfolio
  readonly rewards: RewardViews
}
