// Money that profiles move outside trading (rules §6.2 to §6.5): pairs, redemptions, conversions
// and withdrawals. Each is one command, decided and stamped in one synchronous stretch. A method
// answers once the command is durable. The reply to a call that came before is read from the
// tables, so it is the first reply, whatever changed since.

import { createHash } from 'node:crypto'
import {
  decideConvert,
  decideMerge,
  decideOnce,
  decideRedeem,
  decideSplit,
  decideWithdraw,
} from '../../../engine/core/decide/moves.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { factsOfMove, type MoveFact } from '../../../engine/core/moves/move-facts.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { CallOnce, MoveBody } from '../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { moveBySeq } from '../../../persistence/query/read/portfolio/moves.ts'
import { checksumAddress } from '../../crypto/address.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PrivateReads } from '../private-reads.ts'

/** Who asks for a move, and by which call. */
export interface MoveAsk {
  /** Whose money moves. */
  readonly owner: ProfileId
  readonly callerId: ProfileId
  readonly idempotencyKey: string | undefined
  /** The signature of the call; '' for a call that is not signed. */
  readonly signature: string
}

/** A move that is durable. */
export interface Moved {
  /** Names its transaction on the chain. */
  readonly seq: Seq
  readonly fact: MoveFact
}

/** What a call became when it came first; null or undefined without an answer in time. */
export type FirstMove = (ask: MoveAsk, seq: Seq) => Promise<MoveFact | null | undefined>

/** Asks the tables. */
export function firstMoveIn(reads: PrivateReads): FirstMove {
  return ({ callerId, owner }, seq) =>
    reads.read(moveBySeq, { seq, owner }, { profileId: callerId })
}

type Decide = (nowMs: TimeMs, once: CallOnce | undefined) => MoveBody | Reject

export class Moves {
  readonly #pipeline: Pipeline
  readonly #firstMove: FirstMove

  constructor(pipeline: Pipeline, firstMove: FirstMove) {
    this.#pipeline = pipeline
    this.#firstMove = firstMove
  }

  split(ask: MoveAsk, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#move(ask, ['split', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideSplit(clearing, market, { profileId: ask.owner, amountRaw, once })
    })
  }

  merge(ask: MoveAsk, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#move(ask, ['merge', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideMerge(clearing, market, { profileId: ask.owner, amountRaw, once })
    })
  }

  redeem(ask: MoveAsk, conditionId: string): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#move(ask, ['redeem', conditionId], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideRedeem(clearing, market, { profileId: ask.owner, once })
    })
  }

  /** The conditions are those whose NO the owner gives. */
  convert(
    ask: MoveAsk,
    conditionIds: readonly string[],
    amountRaw: number,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#move(ask, ['convert', conditionIds, amountRaw], (_nowMs, once) => {
      const chosen: Market[] = []
      for (const conditionId of conditionIds) {
        const market = clearing.catalogue.byCondition(conditionId)
        if (market === undefined) return REJECT.MARKET_NOT_FOUND
        chosen.push(market)
      }
      const groupId = chosen[0]?.groupId
      if (groupId === undefined) return REJECT.MARKET_NOT_GROUP
      const group = clearing.catalogue.existing(groupId)
      return decideConvert(clearing, group, chosen, { profileId: ask.owner, amountRaw, once })
    })
  }

  /** `destination` is undefined for the caller's own: its smart wallet, or else its account. */
  withdraw(
    ask: MoveAsk,
    collateralRaw: number,
    destination: string | undefined,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const asked = ['withdraw', collateralRaw, destination?.toLowerCase() ?? '']
    return this.#move(ask, asked, (_nowMs, once) => {
      const to = this.#destinationOf(ask.callerId, destination)
      if (to === undefined) return REJECT.DESTINATION_NOT_ALLOWED
      const wish = { profileId: ask.owner, collateralRaw, destination: to, once }
      return decideWithdraw(clearing, wish)
    })
  }

  /** Only an address of the caller, or one that it listed, may get the money of its profiles. */
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

  async #move(ask: MoveAsk, asked: readonly unknown[], decide: Decide): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const childrenOf = (groupId: MarketId) =>
      clearing.catalogue.childrenOf(groupId).map(({ marketId }) => marketId)
    let seq: Seq = 0
    let facts: readonly MoveFact[] = []
    const refused = await this.#pipeline.change((nowMs) => {
      const once = onceOf(ask, asked, nowMs)
      const before = decideOnce(clearing, once, nowMs)
      if (before instanceof Reject) return before
      seq = before?.seq ?? clearing.lastSeq + 1
      if (before !== undefined) return null
      // A frozen partner acts for nobody.
      if (clearing.frozen.isFrozen(ask.callerId)) return REJECT.PROFILE_FROZEN
      const decided = decide(nowMs, once)
      if (!(decided instanceof Reject)) facts = factsOfMove(decided, childrenOf)
      return decided
    })
    if (refused !== null) return refused
    const fact = facts.at(0) ?? (await this.#firstMove(ask, seq)) ?? null
    return fact === null ? REJECT.READ_TIMEOUT : { seq, fact }
  }
}

function eip55(address: string): string {
  return checksumAddress(address.toLowerCase())
}

/** What keeps the call from being made twice; undefined when nothing does. */
function onceOf(
  { callerId, owner, idempotencyKey, signature }: MoveAsk,
  asked: readonly unknown[],
  nowMs: TimeMs,
): CallOnce | undefined {
  if (idempotencyKey !== undefined) {
    const digest = digestOf(`key\n${callerId}\n${idempotencyKey}`)
    const untilMs = nowMs + MOVE_LIMITS.idempotencyKeyMs
    return { by: 'keyed', digest, bodyDigest: digestOf(JSON.stringify([owner, asked])), untilMs }
  }
  if (signature === '') return undefined
  const untilMs = nowMs + MOVE_LIMITS.signedCallMs
  return { by: 'signed', digest: digestOf(`signed\n${signature}`), bodyDigest: '', untilMs }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
