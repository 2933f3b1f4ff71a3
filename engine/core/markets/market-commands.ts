// Applies commands on markets, series and prices. A new slot needs the oracle's value at its start
// and at its end. Each need is dropped once, with or without a value.

import type { ControlCommand, NewMarket, Resolution } from '../../domain/command.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { MarketId } from '../../domain/ids.ts'
import { tokensOf } from '../../domain/markets/market.ts'
import { slotMsOf } from '../../domain/markets/series.ts'
import type { TimeMs } from '../../domain/units.ts'
import type { Catalogue, Market } from './catalogue.ts'
import type { Oracle } from './oracle.ts'
import type { SeriesTable } from './series-table.ts'

/** What ends a market changes more than markets: the clearing applies it. */
type CommandOnMarkets = Exclude<
  CommandOf<'markets'>,
  { kind: 'resolveMarkets' | 'failSlot' | 'archiveMarket' }
>

interface MarketState {
  readonly catalogue: Catalogue
  readonly series: SeriesTable
  readonly oracle: Oracle
}

export function applyToMarkets(state: MarketState, command: CommandOnMarkets): void {
  const { catalogue, series, oracle } = state
  const { nowMs } = command
  switch (command.kind) {
    case 'createMarket':
      create(state, command, nowMs)
      return
    case 'createGroup':
      for (const each of command.markets) create(state, each, nowMs)
      return
    case 'editMarket':
      catalogue.edit(command.marketId, command.change, nowMs)
      return
    case 'lockMarket':
      catalogue.change(command.marketId, 'LOCKED', nowMs)
      return
    case 'unlockMarket':
      catalogue.change(command.marketId, 'FUNDED', nowMs)
      return
    case 'flagMarket': {
      const status = command.isFlagged ? 'FUNDED_FLAGGED' : 'FUNDED'
      catalogue.change(command.marketId, status, nowMs)
      return
    }
    case 'openSlot':
      openSlot(state, command)
      return
    case 'postPayouts':
      for (const marketId of command.marketIds) catalogue.paidOut(marketId, command.redeemAtMs)
      return
    case 'createSeries':
      series.create(command.seriesId, command.series, nowMs)
      return
    case 'editSeries':
      series.edit(command.seriesId, command.change)
      return
    case 'endSeries':
      forgetSymbol(oracle, series.end(command.seriesId))
      return
    case 'reportPrice':
      oracle.reported(command.symbol, { atMs: command.atMs, priceE8: command.priceE8 }, nowMs)
      return
    case 'decideBoundary':
      oracle.decided(command.symbol, command.atMs, command.priceE8)
      return
    default:
      command satisfies never
  }
}

function create({ catalogue, series, oracle }: MarketState, made: NewMarket, nowMs: TimeMs): void {
  const { marketId, book, market } = made
  catalogue.create(marketId, book, market, nowMs)
  if (market.slot === undefined) return
  const { seriesId, startMs } = market.slot
  const ofSeries = series.slotCreated(seriesId, startMs, marketId)
  oracle.need(ofSeries.symbol, startMs)
  oracle.need(ofSeries.symbol, startMs + slotMsOf(ofSeries))
}

function openSlot(
  state: MarketState,
  command: Extract<ControlCommand, { kind: 'openSlot' }>,
): void {
  const { marketId, book, strikeE8, nowMs } = command
  const market = state.catalogue.open(marketId, book, strikeE8, nowMs)
  dropNeed(state, market, 'start')
}

function dropNeed({ series, oracle }: MarketState, market: Market, what: 'start' | 'end'): void {
  if (market.slot === undefined) return
  const { seriesId, startMs } = market.slot
  const ofSeries = series.existing(seriesId)
  oracle.drop(ofSeries.symbol, what === 'start' ? startMs : startMs + slotMsOf(ofSeries))
}

/** Drops the needs of both the start and the end of the slot. */
function dropNeeds(state: MarketState, market: Market): void {
  if (market.strikeE8 === 0) dropNeed(state, market, 'start')
  dropNeed(state, market, 'end')
}

export function failSlot(state: MarketState, marketId: MarketId, nowMs: TimeMs): Market {
  const market = state.catalogue.fail(marketId, nowMs)
  dropNeeds(state, market)
  return market
}

export function resolveMarket(state: MarketState, resolution: Resolution, nowMs: TimeMs): Market {
  const { marketId, payoutNumerators, closeE8 = 0 } = resolution
  const market = state.catalogue.change(marketId, 'RESOLVED', nowMs)
  market.payoutNumerators = payoutNumerators
  market.closeE8 = closeE8
  if (!market.isFailed) dropNeeds(state, market)
  return market
}

export function archiveMarket({ catalogue, series, oracle }: MarketState, market: Market): void {
  catalogue.archive(market.marketId)
  const { slot } = market
  if (slot !== undefined) forgetSymbol(oracle, series.slotGone(slot.seriesId, slot.startMs))
}

function forgetSymbol(oracle: Oracle, symbol: string | null): void {
  if (symbol !== null) oracle.forget(symbol)
}

/** The markets in memory that a command creates or changes, by ascending id. */
export function marketsChangedBy(command: ControlCommand, catalogue: Catalogue): readonly Market[] {
  const ids = new Set(namedBy(command))
  for (const marketId of [...ids]) {
    const groupId = catalogue.byId(marketId)?.groupId
    if (groupId !== undefined) ids.add(groupId)
  }
  const found = [...ids].sort((a, b) => a - b).map((marketId) => catalogue.byId(marketId))
  return found.filter((market) => market !== undefined)
}

function namedBy(command: ControlCommand): readonly MarketId[] {
  switch (command.kind) {
    case 'resolveMarkets':
      return command.resolutions.map(({ marketId }) => marketId)
    case 'createGroup':
      return command.markets.map(({ marketId }) => marketId)
    case 'postPayouts':
      return command.marketIds
    // These change what accounts hold or remember, but nothing that is published of the market.
    case 'splitPosition':
    case 'mergePositions':
    case 'redeemPositions':
    case 'approvePool':
    case 'drainPool':
    case 'buyFromPool':
    case 'sellToPool':
    case 'countPacks':
    case 'putBookmark':
    case 'removeBookmark':
      return []
    default:
      return 'marketId' in command ? [command.marketId] : []
  }
}

/** The markets that accept orders from this command on, after it was applied. */
export function openedBy(command: ControlCommand, catalogue: Catalogue): readonly Market[] {
  const { kind } = command
  const opens = kind === 'unlockMarket' || isReplicating(kind)
  return opens ? marketsChangedBy(command, catalogue).filter(({ book }) => book !== 0) : []
}

function isReplicating(kind: ControlCommand['kind']): boolean {
  return kind === 'createMarket' || kind === 'createGroup' || kind === 'openSlot'
}

/** The markets that the intake must receive: new ones, and slots that got a book. */
export function replicatedBy(command: ControlCommand, catalogue: Catalogue): readonly Market[] {
  const changed = isReplicating(command.kind) ? marketsChangedBy(command, catalogue) : []
  return changed.filter((market) => tokensOf(market).length > 0)
}
