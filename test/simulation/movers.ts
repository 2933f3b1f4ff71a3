// What profiles of a simulated world do with their money outside trading: pairs, redemptions,
// conversions and withdrawals, now and then by a call that came before.

import assert from 'node:assert/strict'
import { Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'
import type { MoveRequest } from '../../server/api/portfolio/services.ts'
import type { Life } from './life.ts'
import { digestOfCall } from './move-model.ts'
import type { Act, Step } from './script.ts'

/** The calls of a world that may come again, whatever crashed meanwhile. */
const SENT_MAX = 200

export type MoveAct = Extract<Act, 'split' | 'merge' | 'redeem' | 'convert' | 'payOut'>

/** One call, as its client keeps it. */
export interface SentMove {
  readonly act: MoveAct
  readonly request: MoveRequest
  readonly marketIds: readonly number[]
  readonly amountRaw: number
}

/** Why each refusal is right, by the model alone. */
type Reasons = Readonly<Partial<Record<RejectName, boolean>>>

export class Movers {
  readonly #life: Life
  readonly #sent: SentMove[]

  constructor(life: Life, sent: SentMove[]) {
    this.#life = life
    this.#sent = sent
  }

  /** A new call, or now and then one that came before. */
  move(act: MoveAct, step: Step, index: number): void {
    const again = this.#sent[Math.floor(step.dice[0] * this.#sent.length)]
    if (again !== undefined && this.#isThere(again) && step.dice[1] > 0.9) {
      this.#send(again)
      return
    }
    const call = this.#call(act, step, index)
    this.#sent.push(call)
    if (this.#sent.length > SENT_MAX) this.#sent.shift()
    this.#send(call)
  }

  /** A crash may have taken a profile or a market back that was never published. */
  #isThere({ request, marketIds }: SentMove): boolean {
    const { model, pipeline } = this.#life
    const { length } = model.markets
    if (request.owner > pipeline.clearing.accounts.count) return false
    return marketIds.every((marketId) => marketId <= length)
  }

  #call(act: MoveAct, { dice }: Step, index: number): SentMove {
    const { model, pipeline } = this.#life
    const owner = 1 + Math.floor(dice[0] * pipeline.clearing.accounts.count)
    const idempotencyKey = index % 3 === 0 ? `key of step ${index}` : undefined
    const signature = `signature of step ${index}`
    const request = { owner, callerId: owner, idempotencyKey, signature }
    const marketIds = act === 'convert' ? this.#chosen(dice) : [this.#marketOf(owner, dice)]
    const { free } = model.slow.cash(owner)
    const bounds: Readonly<Record<MoveAct, () => bigint>> = {
      split: () => free / 3n,
      payOut: () => (dice[0] < 0.5 ? free : free / 3n),
      merge: () => this.#held(owner, marketIds[0]).reduce(least),
      convert: () => marketIds.map((each) => this.#held(owner, each)[1]).reduce(least),
      redeem: () => 0n,
    }
    return { act, request, marketIds, amountRaw: amountUpTo(bounds[act](), dice[1]) }
  }

  /** Free YES and NO of an account. */
  #held(owner: number, marketId: number): [bigint, bigint] {
    const { slow } = this.#life.model
    return [slow.shares(owner, marketId, 'yes').free, slow.shares(owner, marketId, 'no').free]
  }

  /** A market that the account holds shares of, or any market. */
  #marketOf(owner: number, dice: Step['dice']): number {
    const { ledger } = this.#life.pipeline.clearing
    const held: number[] = []
    for (let row = 1; row < ledger.rows.end; row++) {
      const isOwn = ledger.rows.isLive(row) && ledger.rows.accountOf(row) === owner
      if (isOwn) held.push(ledger.rows.marketOf(row))
    }
    const round = Math.floor(dice[1] * 7919)
    if (held.length > 0 && dice[1] < 0.8) return held[round % held.length]
    return 1 + (round % this.#life.model.markets.length)
  }

  /** Some children of a group that is in memory; else a market of its own. */
  #chosen(dice: Step['dice']): number[] {
    const { venue } = this.#life.model
    const groups = venue.all.flatMap(({ kind, isArchived }, index) => {
      return kind === 'group' && !isArchived ? [index + 1] : []
    })
    const groupId = groups[Math.floor(dice[1] * groups.length)]
    if (groupId === undefined) return [1]
    const mask = 1 + Math.floor(dice[0] * 14)
    const children = venue.childrenOf(groupId)
    const chosen = children.filter((_child, index) => (mask & (1 << index)) !== 0)
    return chosen.length > 0 ? chosen : [children[0]]
  }

  #send(call: SentMove): void {
    // The gates read main's state at this instant, and the model is equal to it.
    const reasons = this.#reasons(call)
    const answer = this.#answer(call)
    this.#life.reportsLater(answer)
    const compare = (result: unknown) => {
      if (!(result instanceof Reject) || result.name === 'OVERLOADED') return
      const reported = `the model knows no reason for ${result.name} to ${call.act}`
      assert(reasons[result.name] === true, reported)
    }
    this.#life.follow(answer.then(compare))
  }

  #answer({ act, request, marketIds, amountRaw }: SentMove): Promise<unknown> {
    const { moves, model } = this.#life
    const named = marketIds.map((marketId) => model.markets[marketId - 1].conditionId)
    const [conditionId, ...others] = named
    switch (act) {
      case 'split':
        return moves.split(request, conditionId, amountRaw)
      case 'merge':
        return moves.merge(request, conditionId, amountRaw)
      case 'redeem':
        return moves.redeem(request, conditionId)
      case 'convert':
        return moves.convert(request, [conditionId, ...others], amountRaw)
      case 'payOut': {
        const account = this.#life.model.partners.profiles.get(request.callerId)?.account
        return moves.withdraw(request, amountRaw, account)
      }
    }
  }

  #reasons({ act, request, marketIds, amountRaw }: SentMove): Reasons {
    const { model, pipeline } = this.#life
    const { slow, venue, controls, chain } = model
    const amount = BigInt(amountRaw)
    const { free } = slow.cash(request.owner)
    const owed = chain.owed(request.owner, slow)
    const isMade = (model.calls.get(digestOfCall(request)) ?? 0) > pipeline.sequencer.nowMs()
    const isKeyed = request.idempotencyKey !== undefined
    const always = {
      DUPLICATE_CALL: isMade && !isKeyed,
      // The tables of a simulated world give no first reply.
      READ_TIMEOUT: isMade && isKeyed,
      PROFILE_FROZEN: controls.frozen.has(request.owner),
      INSUFFICIENT_COLLATERAL: free < amount,
    }
    if (act === 'payOut') {
      const isOwed = free - owed < amount
      const isUnmined = free - owed - chain.unmined(request.owner) < amount
      return { ...always, SHARES_OWED: isOwed, NOT_MINED_YET: !isOwed && isUnmined }
    }
    const named = marketIds.map((marketId) => model.markets[marketId - 1])
    const children = named.flatMap(({ groupId }) => venue.childrenOf(groupId))
    const ofPairs = act === 'convert' ? children : marketIds
    const lacks = (marketId: number) => {
      const [yes, no] = this.#held(request.owner, marketId)
      return no < amount || (act === 'merge' && yes < amount)
    }
    return {
      ...always,
      MARKET_NOT_FOUND: named.some(({ kind, isArchived }) => kind === 'group' || isArchived),
      MARKET_NOT_GROUP: named[0].groupId === 0,
      MARKET_RESOLVED: ofPairs.some((each) => venue.status(each) === 'RESOLVED'),
      MARKET_NOT_RESOLVED: venue.status(marketIds[0]) !== 'RESOLVED',
      MARKET_STATUS: ofPairs.some((each) => {
        const { book, isFailed } = model.markets[each - 1]
        return book === 0 || isFailed
      }),
      PAYOUT_NOT_POSTED: !venue.paid.has(marketIds[0]),
      NOTHING_TO_REDEEM: this.#held(request.owner, marketIds[0]).every((raw) => raw === 0n),
      INSUFFICIENT_SHARES: marketIds.some(lacks),
    }
  }
}

function least(low: bigint, each: bigint): bigint {
  return each < low ? each : low
}

/** Up to the bound, now and then a little more. */
function amountUpTo(bound: bigint, dice: number): number {
  const part = bound > 0n ? (bound * BigInt(Math.ceil(dice * 1000))) / 980n : 0n
  return Math.max(1, Math.min(Number(part), Number.MAX_SAFE_INTEGER))
}
