// What operators of a simulated world do: to money, markets, modes and settlement.

import assert from 'node:assert/strict'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT, Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'
import { rejectName } from '../support/reject-name.ts'
import { marketSpec } from '../support/specs.ts'
import type { Life } from './life.ts'
import { marketOfTrack } from './orders.ts'
import type { Setting, Step } from './script.ts'

/** Markets that take orders at once. */
export const OPEN_MAX = 40
const MODES = ['post_only', 'cancel_only', 'disabled'] as const

export class Operators {
  readonly #setting: Setting
  readonly #life: Life

  constructor(setting: Setting, life: Life) {
    this.#setting = setting
    this.#life = life
  }

  /** Any account, sub-accounts too. */
  #account(dice: number): number {
    return 1 + Math.floor(dice * this.#life.pipeline.clearing.accounts.count)
  }

  /**
   * Deposits a random amount, now and then more than the exchange takes. Withdraws all that is
   * free, a part of it, or up to a tenth more.
   */
  adjust({ act, dice }: Step): void {
    const { changes, model, journal } = this.#life
    const poor = [...model.partners.subAccounts.keys()].find((each) => {
      return model.slow.cash(each).free < 1_000_000_000n
    })
    const isNeeded = act === 'deposit' && dice[0] < 0.7 && poor !== undefined
    const profileId = isNeeded ? poor : this.#account(dice[0])
    const free = model.slow.cash(profileId).free
    let amount = BigInt(Math.ceil(10 ** (isNeeded ? 10 + dice[1] * 3 : dice[1] * 12)))
    if (act === 'withdraw' && free < 0n) amount = 1n
    else if (act === 'withdraw')
      amount = dice[1] < 0.1 ? free : (free * BigInt(Math.ceil(dice[1] * 99))) / 90n
    else if (dice[1] > 0.97) amount = BigInt(LIMITS.fundedRawMax)
    if (amount === 0n) return
    const isShort = act === 'withdraw' && amount > free
    const isMuch = model.slow.deposits - model.withdrawals + amount > BigInt(LIMITS.fundedRawMax)
    const isTooMuch = act === 'deposit' && isMuch
    const held = act === 'withdraw' ? this.#heldBack(profileId, free - amount) : 'NONE'
    const expected = isShort ? 'INSUFFICIENT_COLLATERAL' : isTooMuch ? 'BALANCE_LIMIT' : held
    const isLow = journal.freeBytes() < 1 << 20
    const answer = changes.adjustBalance(profileId, Number(act === 'withdraw' ? -amount : amount))
    const after = model.slow.cash(profileId).free
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      if (result instanceof Reject) assert.equal(rejectName(result), expected)
      else assert.equal(BigInt(result.freeRaw), after, 'the balance after the change')
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Why a debit that leaves so much free is refused although there is enough. */
  #heldBack(profileId: number, left: bigint): RejectName | 'NONE' {
    const { chain, slow } = this.#life.model
    const owed = chain.owed(profileId, slow)
    if (left < owed) return 'SHARES_OWED'
    return left < owed + chain.unmined(profileId) ? 'NOT_MINED_YET' : 'NONE'
  }

  /** The next trades or approvals are retried or fail. */
  fault({ dice }: Step): void {
    const next = 1 + Math.floor(dice[0] * 4)
    const outcome = dice[1] < 0.5 ? 'RETRYING' : 'FAILED'
    this.#life.chain.arm(dice[0] < 0.2 ? { nextApprovals: next } : { next }, outcome)
  }

  /** Opens the next market of the next track; some have a deadline, some take no fees. */
  open({ dice }: Step): void {
    const { changes, model, pipeline } = this.#life
    const marketId = model.markets.length + 1
    if (pipeline.clearing.catalogue.openBooks().length >= OPEN_MAX) return
    const nowMs = pipeline.sequencer.nowMs()
    const deadlineMs = dice[0] < 0.3 ? nowMs + Math.floor(dice[1] * 120_000) : null
    const takerDelayMs = dice[1] < 0.3 ? 1 + Math.floor(dice[0] * 2000) : 0
    const exchangeAddress = `0x${String(1 + Math.floor(dice[1] * 3)).repeat(40)}`
    const feeEnabled = dice[1] < 0.6
    const rules = { deadlineMs, feeEnabled, minSizeRaw: 1e7, takerDelayMs, exchangeAddress }
    // Now and then it requests the slug of an older market, which may have left memory.
    const named = dice[1] > 0.95 ? 1 + Math.floor(dice[0] * model.markets.length) : marketId
    const isUsed = model.slugs.has(marketSpec(named).slug)
    const answer = changes.create(marketSpec(named, rules))
    this.#life.opening++
    const compare = (result: Awaited<typeof answer>) => {
      this.#life.opening--
      if (!isUsed) return
      const isRefused = result === REJECT.SLUG_TAKEN || result === REJECT.OVERLOADED
      assert(isRefused, 'a slug names one market for ever')
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Resolves the newest market of the next track, and opens the next one. */
  resolve(step: Step): void {
    const { published, changes, model } = this.#life
    const track = 1 + (model.markets.length % this.#setting.tracks)
    const marketId = marketOfTrack(track, this.#setting.tracks, model.markets.length)
    const market = published.byId(marketId)
    if (market === undefined) return
    this.#life.reportsLater(changes.resolve(market, step.dice[0] < 0.5 ? [1, 0] : [1, 1]))
    this.open(step)
  }

  /** Opens a market, and resolves the oldest one that no share was made of, or all were unmade. */
  brief(step: Step): void {
    const { published, changes, model } = this.#life
    const { tracks } = this.#setting
    const spare = published.all().find(({ market: { marketId }, status }) => {
      const isBusy = status === 'RESOLVED' || marketId > published.lastId - tracks
      const { kind, groupId, slot } = model.markets[marketId - 1]
      const isOwn = kind === 'clob' && groupId === 0 && slot === null
      return isOwn && !isBusy && model.slow.inside(marketId) === 0n
    })
    if (spare !== undefined) this.#life.reportsLater(changes.resolve(spare, [0, 1]))
    this.open(step)
  }

  /** Sets a deadline, now and then one too near, or takes it back. */
  beat({ dice }: Step): void {
    const { heartbeats, model, pipeline, journal } = this.#life
    const profileId = this.#account(dice[0])
    const nowMs = pipeline.sequencer.nowMs()
    const cancelAtMs = dice[1] < 0.2 ? null : nowMs + 4000 + Math.floor(dice[1] * 20_000)
    const isLow = journal.freeBytes() < 1 << 20
    const answer = heartbeats.beat(profileId, cancelAtMs)
    const isNear = cancelAtMs !== null && cancelAtMs < nowMs + 5000
    const isPast = model.controls.isPast(profileId, nowMs)
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      if (isNear) assert.equal(result, REJECT.VALIDATION)
      else if (!(result instanceof Reject)) assert.equal(result.cancelAtMs, cancelAtMs)
      else assert(isPast && result === REJECT.HEARTBEAT_CANCELING, 'a canceling heartbeat refuses')
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Freezes any profile, or unfreezes a frozen one, which waits for its last cancel. */
  freeze({ dice }: Step): void {
    const { operators, model, journal } = this.#life
    const frozen = [...model.controls.frozen]
    const isLow = journal.freeBytes() < 1 << 20
    if (dice[1] < 0.3 || frozen.length === 0) {
      const profileId = this.#account(dice[0])
      const answer = operators.freeze(profileId, 'A dice.', 'root')
      this.#life.reportsLater(answer)
      const compare = (result: Awaited<typeof answer>) => {
        if (isLow && result === REJECT.OVERLOADED) return
        assert(!(result instanceof Reject) && result.profileId === profileId, 'anybody is frozen')
      }
      this.#life.follow(answer.then(compare))
      return
    }
    const profileId = frozen[Math.floor(dice[0] * frozen.length)]
    const isLeft = [...model.live.values()].some(({ request }) => request.owner === profileId)
    const answer = operators.unfreeze(profileId, '', 'root')
    this.#life.reportsLater(answer)
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      assert.equal(rejectName(result), isLeft ? 'FREEZE_CANCELING' : 'NONE')
    }
    this.#life.follow(answer.then(compare))
  }

  /** Puts a window of some seconds that begins soon, or ends one. */
  restrict({ dice }: Step): void {
    const { modes, model, pipeline } = this.#life
    const nowMs = pipeline.sequencer.nowMs()
    const open = model.controls.windows.find(({ endsAtMs }) => (endsAtMs ?? nowMs) > nowMs)
    if (open !== undefined && dice[1] < 0.5) {
      this.#life.reportsLater(modes.end(open.windowId))
      return
    }
    const startsAtMs = nowMs + Math.floor(dice[0] * 3000)
    const endsAtMs = startsAtMs + 1 + Math.floor(dice[1] * 5000)
    const mode = MODES[Math.floor(dice[0] * 97) % MODES.length]
    this.#life.reportsLater(modes.put({ mode, startsAtMs, endsAtMs, publicMessage: '' }))
  }
}
