// Models the markets, by commands alone: their statuses, groups, slots and payouts.

import assert from 'node:assert/strict'
import type { ControlCommand, NewMarket } from '../../engine/domain/command.ts'
import {
  kindOf,
  type MarketStatus,
  STATUS_CHANGES,
  takesOrders,
} from '../../engine/domain/markets/market.ts'
import { type MarketModel, statusOf } from './market-model.ts'
import { SeriesModel } from './series-model.ts'

/** What only the rest of the model knows. */
interface Elsewhere {
  /** Whether a trade of the market is in no block. */
  readonly waits: (marketId: number) => boolean
  readonly insideRaw: (marketId: number) => bigint
  /** Whether a pack waits for it. */
  readonly isLeg: (marketId: number) => boolean
}

export class MarketsModel {
  readonly all: MarketModel[] = []
  readonly slugs = new Set<string>()
  /** Markets whose payout is posted. */
  readonly paid = new Set<number>()
  series = new SeriesModel()

  copy(): MarketsModel {
    const model = new MarketsModel()
    for (const market of this.all) model.all.push({ ...market, history: [...market.history] })
    for (const slug of this.slugs) model.slugs.add(slug)
    for (const marketId of this.paid) model.paid.add(marketId)
    model.series = this.series.copy()
    return model
  }

  admit(command: ControlCommand, elsewhere: Elsewhere): void {
    this.series.admit(command, this.all)
    switch (command.kind) {
      case 'createMarket':
        this.#create(command.seq, command)
        break
      case 'createGroup':
        for (const each of command.markets) this.#create(command.seq, each)
        break
      case 'resolveMarkets':
        this.#resolve(command)
        break
      case 'postPayouts':
        for (const marketId of command.marketIds) this.#pay(marketId, elsewhere)
        break
      case 'archiveMarket':
        this.#archive(command.marketId, elsewhere)
        break
      default:
        this.#change(command)
    }
    // Only these end what a slot waits for.
    const { kind } = command
    const isEnd = kind === 'openSlot' || kind === 'failSlot' || kind === 'resolveMarkets'
    if (isEnd) this.series.forget(this.all)
  }

  #change(command: ControlCommand): void {
    switch (command.kind) {
      case 'openSlot':
        this.#set(command.marketId, 'FUNDED', command.seq)
        Object.assign(this.all[command.marketId - 1], {
          book: command.book,
          strikeE8: command.strikeE8,
        })
        return
      case 'failSlot':
        this.all[command.marketId - 1].isFailed = true
        return
      case 'lockMarket':
        this.#set(command.marketId, 'LOCKED', command.seq)
        return
      case 'unlockMarket': {
        const { slot, deadlineMs } = this.all[command.marketId - 1]
        const isOver = deadlineMs !== null && deadlineMs <= command.nowMs
        assert(slot === null && !isOver, 'no market trades again behind its deadline')
        this.#set(command.marketId, 'FUNDED', command.seq)
        return
      }
      case 'flagMarket':
        this.#set(command.marketId, command.isFlagged ? 'FUNDED_FLAGGED' : 'FUNDED', command.seq)
    }
  }

  #create(seq: number, { book, market }: NewMarket): void {
    assert(!this.slugs.has(market.slug), 'a slug names one market for ever')
    this.slugs.add(market.slug)
    const { feeEnabled, deadlineMs, takerDelayMs = 0, exchangeAddress, slot = null } = market
    const kind = kindOf(market)
    const status = slot === null ? 'FUNDED' : 'CREATED'
    const hasBook = kind === 'clob' && slot === null
    assert.equal(book !== 0, hasBook, 'a market that trades at once has a book at once')
    this.all.push({
      book,
      kind,
      groupId: market.groupId ?? 0,
      slot,
      feeEnabled,
      deadlineMs,
      takerDelayMs,
      exchangeAddress,
      strikeE8: 0,
      isFailed: false,
      isArchived: false,
      payout: null,
      convertFeeBps: market.convertFeeBps ?? 0,
      conditionId: market.conditionId,
      history: [{ seq, status }],
    })
  }

  /** The status of a group follows from its children. */
  #set(marketId: number, status: MarketStatus, seq: number): void {
    const market = this.all[marketId - 1]
    const isAllowed = STATUS_CHANGES[statusOf(market)].includes(status)
    assert(isAllowed, 'a market changes status as listed')
    market.history.push({ seq, status })
    if (market.groupId === 0) return
    const ofGroup = this.all.filter(({ groupId }) => groupId === market.groupId).map(statusOf)
    const isOver = ofGroup.every((each) => each === 'RESOLVED')
    const follows = isOver ? 'RESOLVED' : ofGroup.some(takesOrders) ? 'FUNDED' : 'LOCKED'
    const group = this.all[market.groupId - 1]
    if (statusOf(group) !== follows) group.history.push({ seq, status: follows })
    if (isOver) this.paid.add(market.groupId)
  }

  #resolve({ seq, resolutions }: Extract<ControlCommand, { kind: 'resolveMarkets' }>): void {
    for (const { marketId, payoutNumerators } of resolutions) {
      this.#set(marketId, 'RESOLVED', seq)
      this.all[marketId - 1].payout = payoutNumerators
    }
    const { groupId } = this.all[resolutions[0].marketId - 1]
    if (groupId === 0) {
      assert.equal(resolutions.length, 1, 'a market of its own is resolved alone')
      return
    }
    const children = this.childrenOf(groupId)
    const named = resolutions.map(({ marketId }) => marketId)
    assert.deepEqual(named, children, 'the children of a group are resolved together')
    const winners = resolutions.filter(({ payoutNumerators: [yes] }) => yes === 1)
    assert.equal(winners.length, 1, 'one child of a group wins')
  }

  /** Ids of the children of a group, in their order. */
  childrenOf(groupId: number): number[] {
    return this.all.flatMap((each, index) => (each.groupId === groupId ? index + 1 : []))
  }

  #pay(marketId: number, { waits }: Elsewhere): void {
    assert.equal(this.status(marketId), 'RESOLVED', 'only a resolved market is paid out')
    assert(!this.paid.has(marketId), 'a market is paid out once')
    assert(!waits(marketId), 'a block holds every trade before the payout')
    this.paid.add(marketId)
  }

  #archive(marketId: number, { waits, insideRaw, isLeg }: Elsewhere): void {
    const market = this.all[marketId - 1]
    const isResolved = statusOf(market) === 'RESOLVED'
    assert(isResolved || market.isFailed, 'only a market that is over leaves')
    assert(!isResolved || this.paid.has(marketId), 'a market is paid out before it leaves')
    assert(!takesOrders(statusOf(market)), 'no market that trades leaves')
    assert.equal(insideRaw(marketId), 0n, 'nobody holds a share of it')
    assert(!waits(marketId), 'a block holds every trade before it leaves')
    assert(!isLeg(marketId), 'a market counts for its packs before it leaves')
    const isLeft = this.all.some(({ groupId, isArchived }) => groupId === marketId && !isArchived)
    assert(!isLeft && !market.isArchived, 'a group leaves behind its children')
    market.isArchived = true
  }

  /** Whether the market takes orders. A group does not, whatever its status is. */
  takesOrders(marketId: number): boolean {
    const market = this.all[marketId - 1]
    return market !== undefined && market.kind === 'clob' && takesOrders(statusOf(market))
  }

  isKnownStatus(marketId: number, status: string, durableSeq: number): boolean {
    const { history } = this.all[marketId - 1]
    return history.some((each) => each.status === status && each.seq <= durableSeq)
  }

  status(marketId: number): MarketStatus | 'ARCHIVED' | undefined {
    const market = this.all[marketId - 1]
    if (market === undefined) return undefined
    return market.isArchived ? 'ARCHIVED' : statusOf(market)
  }
}
