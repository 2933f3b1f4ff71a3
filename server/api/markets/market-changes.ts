// The operator's changes to markets and balances. Each one is an ordinary command.

import { decideAdjust } from '../../../engine/core/decide/accounts.ts'
import {
  decideEdit,
  decideFlag,
  decideGroup,
  decideLock,
  decideMarkets,
  decideResolve,
  decideUnlock,
  newMarkets,
} from '../../../engine/core/decide/markets.ts'
import { decideReport, decideSeries, newSlot } from '../../../engine/core/decide/series.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { Series } from '../../../engine/core/markets/series-table.ts'
import type { NewMarket } from '../../../engine/domain/command.ts'
import type { ProfileId, SeriesId } from '../../../engine/domain/ids.ts'
import type {
  MarketAbout,
  MarketChange,
  MarketSpec,
} from '../../../engine/domain/markets/market.ts'
import { SLOT_FIELDS } from '../../../engine/domain/markets/market-settings.ts'
import {
  type SeriesChange,
  type SeriesSpec,
  slotMsOf,
  slotStartMs,
} from '../../../engine/domain/markets/series.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { PriceE8, TimeMs } from '../../../engine/domain/units.ts'
import { formatAddress } from '../../crypto/address.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import type { SlotSpecOf } from '../../exchange/jobs/slot-clock.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import type { Shards } from '../../exchange/sequencer/shard-map.ts'
import type { GroupAddresses } from '../../exchange/settlement/settlement-port.ts'
import type { ArchivedMarkets } from './archived-markets.ts'

// Ids of conditional tokens (rules §6.1). They are derived from the oracle and the question, so any
// client can check them against the chain's own arithmetic.

/** Field and curve of alt_bn128, y² = x³ + 3. */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const ODD_FLAG = 1n << 254n
const OUTCOMES = 2

function word(value: bigint | number): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % P
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

function isOnCurve(x: bigint): boolean {
  const w = (x * x * x + 3n) % P
  const y = power(w, (P + 1n) / 4n)
  return (y * y) % P === w
}

/** 0x and 64 hex digits: keccak(oracle ‖ questionId ‖ 2). */
export function conditionIdOf(oracle: string, questionId: Uint8Array): string {
  const packed = Buffer.concat([bytesOf(oracle), questionId, word(OUTCOMES)])
  return `0x${Buffer.from(keccak256(packed)).toString('hex')}`
}

export function collectionIdOf(conditionId: string, indexSet: number): Uint8Array {
  const hash = toBigInt(keccak256(Buffer.concat([bytesOf(conditionId), word(indexSet)])))
  let x = ((hash % P) + 1n) % P
  while (!isOnCurve(x)) x = (x + 1n) % P
  const isOdd = hash >> 255n === 1n
  return word(isOdd ? x ^ ODD_FLAG : x)
}

/** The ERC-1155 id of one outcome (index set 1 for YES, 2 for NO) as decimal text. */
export function positionIdOf(collateral: string, collectionId: Uint8Array): string {
  return toBigInt(keccak256(Buffer.concat([bytesOf(collateral), collectionId]))).toString()
}

/** The condition of a market of this exchange and its two tokens. */
export function marketIds(slug: string, oracle: string, collateral: string) {
  const questionId = keccak256(Buffer.from(slug, 'utf8'))
  const conditionId = conditionIdOf(oracle, questionId)
  const tokenOf = (indexSet: number) =>
    positionIdOf(collateral, collectionIdOf(conditionId, indexSet))
  return { conditionId, yesTokenId: tokenOf(1), noTokenId: tokenOf(2) }
}

// Ids of groups and their children (rules §6.3). They are derived from the adapter and the slug of
// the group, as on the chain.

const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** `abi.encode(address, uint256, bytes)`. */
function encoded(oracle: string, fee: number, metadata: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil(metadata.length / WORD_BYTES) * WORD_BYTES)
  metadata.copy(padded)
  const address = Buffer.concat([Buffer.alloc(WORD_BYTES - ADDRESS_BYTES), bytesOf(oracle)])
  return Buffer.concat([address, word(fee), word(3 * WORD_BYTES), word(metadata.length), padded])
}

/** 0x and 64 hex digits, the last two of them 0. */
export function negRiskIdOf(oracle: string, feeBps: number, metadata: string): string {
  const id = Buffer.from(keccak256(encoded(oracle, feeBps, Buffer.from(metadata, 'utf8'))))
  id[id.length - 1] = 0
  return `0x${id.toString('hex')}`
}

/** The id of a question of a group; `index` starts at 0. */
export function questionIdOf(negRiskId: string, index: number): string {
  const id = bytesOf(negRiskId)
  id[id.length - 1] = index
  return `0x${id.toString('hex')}`
}

function lastAddressOf(...parts: readonly Buffer[]): string {
  return formatAddress(keccak256(Buffer.concat(parts)).subarray(-ADDRESS_BYTES))
}

/** The default adapter of the groups of this exchange. */
export function adapterOf(exchange: string): string {
  return lastAddressOf(Buffer.from('adapter', 'utf8'), bytesOf(exchange))
}

/** The wrapped collateral of an adapter that exists on no chain. */
export function wrappedOf(adapter: string, collateral: string): string {
  return lastAddressOf(bytesOf(adapter), bytesOf(collateral))
}

/** Condition and tokens of a child, whose collateral is wrapped. */
export function childIds({ adapter, wrapped }: GroupAddresses, questionId: string) {
  const conditionId = conditionIdOf(adapter, bytesOf(questionId))
  const tokenOf = (indexSet: number) => positionIdOf(wrapped, collectionIdOf(conditionId, indexSet))
  return { conditionId, yesTokenId: tokenOf(1), noTokenId: tokenOf(2) }
}

/** The address of a pool, which exists on no chain. */
export function poolAddressOf(conditionId: string): string {
  return lastAddressOf(Buffer.from('pool', 'utf8'), bytesOf(conditionId))
}

// Changes to series by operators and the oracle (rules §10). Each one is an ordinary command.

export class SeriesChanges {
  readonly #pipeline: Pipeline
  readonly #specOf: SlotSpecOf
  readonly #archive: Pick<ArchivedMarkets, 'isPrefixUsed'>

  constructor(
    pipeline: Pipeline,
    specOf: SlotSpecOf,
    archive: Pick<ArchivedMarkets, 'isPrefixUsed'>,
  ) {
    this.#pipeline = pipeline
    this.#specOf = specOf
    this.#archive = archive
  }

  /**
   * Creates a series, whose slots are then created automatically. With `strikeE8` its first slot is
   * the one in progress, with this price at its start. Without it, the first slot is the next one.
   */
  async create(series: SeriesSpec, strikeE8: PriceE8, by?: string): Promise<SeriesId | Reject> {
    const { clearing } = this.#pipeline
    const isUsed = await this.#isUsed(series.slugPrefix)
    if (isUsed === undefined) return REJECT.READ_TIMEOUT
    if (isUsed) return this.#pipeline.refused(REJECT.SLUG_TAKEN)
    let seriesId = 0
    const creating = this.#pipeline.change(() => {
      const reject = decideSeries(clearing, series)
      if (reject !== null) return reject
      seriesId = clearing.series.lastId + 1
      return { kind: 'createSeries', seriesId, series }
    }, by)
    if (seriesId !== 0 && strikeE8 !== 0) this.#begin(seriesId, strikeE8, by)
    return (await creating) ?? seriesId
  }

  /** While memory holds every market ever created, the tables have no others. */
  async #isUsed(slugPrefix: string): Promise<boolean | undefined> {
    const { lastId, count } = this.#pipeline.clearing.catalogue
    if (lastId === count) return false
    // A slot may have left memory by a command that is not durable yet.
    await this.#pipeline.durable()
    return this.#archive.isPrefixUsed(slugPrefix)
  }

  /** Creates the slot in progress. It opens when the price at its boundary is known. */
  #begin(seriesId: SeriesId, strikeE8: PriceE8, by?: string): void {
    const { clearing, sequencer } = this.#pipeline
    const series = clearing.series.existing(seriesId)
    const startMs = slotStartMs(series, sequencer.nowMs())
    const { symbol } = series
    void this.#pipeline.change(() => newSlot(clearing, this.#specOf(series, startMs)), by)
    void this.#pipeline.change(() => {
      const boundary = clearing.oracle.boundary(symbol, startMs)
      if (boundary === undefined || boundary.isDecided) return null
      return { kind: 'decideBoundary', symbol, atMs: startMs, priceE8: strikeE8 }
    }, by)
  }

  /** The change applies to slots created from now on. */
  async edit(seriesId: SeriesId, change: SeriesChange, by?: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change(() => {
      const known = clearing.series.byId(seriesId)
      if (known === undefined || known.isEnded) return REJECT.SERIES_NOT_FOUND
      return decideEdit(clearing, change) ?? { kind: 'editSeries', seriesId, change }
    }, by)
  }

  /** No more slots are created. */
  async end(seriesId: SeriesId, by?: string): Promise<Reject | null> {
    const { series } = this.#pipeline.clearing
    return this.#pipeline.change(() => {
      const known = series.byId(seriesId)
      if (known === undefined || known.isEnded) return REJECT.SERIES_NOT_FOUND
      return { kind: 'endSeries', seriesId }
    }, by)
  }

  /** The oracle observed this price at this time. */
  async report(symbol: string, atMs: TimeMs, priceE8: PriceE8): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change((nowMs) => {
      const reject = decideReport(clearing, symbol, atMs, nowMs)
      return reject ?? { kind: 'reportPrice', symbol, atMs, priceE8 }
    })
  }
}

// The market spec of a slot, derived from its series and its start.

const MS_PER_SEC = 1000

/** The slug of the slot that begins at this time (rules §10.1). */
function slotSlug(slugPrefix: string, startMs: TimeMs): string {
  return `${slugPrefix}-${startMs / MS_PER_SEC}`
}

/** 2026-11-22 14:05 */
function minuteText(atMs: TimeMs): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')
}

/** The fields that the market of a slot takes from its series; absent fields stay absent. */
function slotFieldsOf(series: Series): Omit<MarketAbout, 'title'> {
  const { description, categories, tags } = series
  const about: Partial<MarketAbout> = series
  const fields = SLOT_FIELDS.filter((field) => about[field] !== undefined)
  const kept = Object.fromEntries(fields.map((field) => [field, about[field]]))
  return { description, categories, tags, ...kept }
}

/** Returns the function that the slot clock calls; the ids of tokens depend on the collateral. */
export function slotSpecOf(collateralAddress: string): SlotSpecOf {
  return (series: Series, startMs: TimeMs): MarketSpec => {
    const { seriesId, slugPrefix, exchangeAddress, takerDelayMs } = series
    const slug = slotSlug(slugPrefix, startMs)
    const deadlineMs = startMs + slotMsOf(series)
    return {
      slug,
      slot: { seriesId, startMs },
      title: `${series.title}: ${minuteText(startMs)} to ${minuteText(deadlineMs)} UTC`,
      ...slotFieldsOf(series),
      properties: { ticker: [series.symbol], ...series.properties },
      deadlineMs,
      feeEnabled: series.feeEnabled,
      ...marketIds(slug, exchangeAddress, collateralAddress),
      exchangeAddress,
      adapterAddress: null,
      minSizeRaw: series.minSizeRaw,
      maxSpread: series.maxSpread,
      ...(takerDelayMs === undefined ? {} : { takerDelayMs }),
    }
  }
}

/** Whether a market ever had the slug; undefined on a read timeout. */
export type IsSlugUsed = (slug: string) => Promise<boolean | undefined>

type Change = (market: Market, nowMs: TimeMs) => ControlBody | Reject

export class MarketChanges {
  readonly #pipeline: Pipeline
  readonly #shards: Shards
  readonly #isSlugUsed: IsSlugUsed
  /** Slugs that are being looked up in the tables. No other market may take one meanwhile. */
  readonly #requested = new Set<string>()

  constructor(pipeline: Pipeline, shards: Shards, isSlugUsed: IsSlugUsed) {
    this.#pipeline = pipeline
    this.#shards = shards
    this.#isSlugUsed = isSlugUsed
  }

  create(market: MarketSpec, by?: string): Promise<PublishedMarket | Reject> {
    return this.#create([market], ([made]) => ({ kind: 'createMarket', ...made }), by)
  }

  /** Creates a group with its children, whose `groupId` is set here. */
  createGroup(
    group: MarketSpec,
    children: readonly MarketSpec[],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    return this.#create(
      [group, ...children],
      ([first, ...rest]) => {
        const { marketId: groupId } = first
        const ofGroup = rest.map((made) => ({ ...made, market: { ...made.market, groupId } }))
        return { kind: 'createGroup', markets: [first, ...ofGroup] }
      },
      by,
    )
  }

  async #create(
    specs: readonly MarketSpec[],
    bodyOf: (made: readonly NewMarket[]) => ControlBody,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { catalogue } = this.#pipeline.clearing
    // While memory holds every market ever created, the tables have no others.
    if (catalogue.lastId === catalogue.count) return this.#stamp(specs, bodyOf, by)
    const slugs = specs.map(({ slug }) => slug)
    if (slugs.some((slug) => this.#requested.has(slug))) {
      return this.#pipeline.refused(REJECT.SLUG_TAKEN)
    }
    for (const slug of slugs) this.#requested.add(slug)
    try {
      // A market of this slug may have left memory by a command that is not durable yet.
      await this.#pipeline.durable()
      for (const slug of slugs) {
        const isUsed = catalogue.bySlug(slug) !== undefined || (await this.#isSlugUsed(slug))
        if (isUsed === undefined) return REJECT.READ_TIMEOUT
        if (isUsed) return await this.#pipeline.refused(REJECT.SLUG_TAKEN)
      }
      return await this.#stamp(specs, bodyOf, by)
    } finally {
      for (const slug of slugs) this.#requested.delete(slug)
    }
  }

  async #stamp(
    specs: readonly MarketSpec[],
    bodyOf: (made: readonly NewMarket[]) => ControlBody,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { clearing, published } = this.#pipeline
    const { booksMax } = this.#shards
    const refused = await this.#pipeline.change(() => {
      const reject = decideMarkets(clearing, specs, booksMax)
      return reject ?? bodyOf(newMarkets(clearing, specs, booksMax))
    }, by)
    return refused ?? published.bySlug(specs[0].slug) ?? REJECT.MARKET_NOT_FOUND
  }

  async edit(published: PublishedMarket, change: MarketChange, by?: string) {
    const { noDelayedCancel } = change
    // The orders of a group rest in its markets.
    const children = noDelayedCancel === undefined ? [] : published.children
    for (const child of children.filter((each) => each.payoutNumerators === null)) {
      const edited = await this.#edit(child, { noDelayedCancel }, by)
      if (edited instanceof Reject) return edited
    }
    return this.#edit(published, change, by)
  }

  #edit(published: PublishedMarket, change: MarketChange, by?: string) {
    const { clearing } = this.#pipeline
    return this.#change(published, by, ({ marketId }) => {
      return decideEdit(clearing, change) ?? { kind: 'editMarket', marketId, change }
    })
  }

  lock(published: PublishedMarket, by?: string) {
    return this.#change(published, by, (market) => {
      return decideLock(market) ?? { kind: 'lockMarket', marketId: market.marketId }
    })
  }

  unlock(published: PublishedMarket, by?: string) {
    return this.#change(published, by, (market, nowMs) => {
      return decideUnlock(market, nowMs) ?? { kind: 'unlockMarket', marketId: market.marketId }
    })
  }

  flag(published: PublishedMarket, isFlagged: boolean, by?: string) {
    return this.#change(published, by, (market) => {
      const { marketId } = market
      return decideFlag(market, isFlagged) ?? { kind: 'flagMarket', marketId, isFlagged }
    })
  }

  resolve(
    published: PublishedMarket,
    payoutNumerators: readonly [number, number],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    return this.#change(published, by, (market) => {
      const { marketId } = market
      const reject = decideResolve(market, payoutNumerators)
      return reject ?? { kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] }
    })
  }

  /** Resolves all children of a group: the winner to YES, the others to NO. */
  resolveGroup(
    published: PublishedMarket,
    winnerSlug: string,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { clearing } = this.#pipeline
    return this.#change(published, by, (group) => {
      const resolutions = decideGroup(clearing, group, clearing.catalogue.bySlug(winnerSlug))
      return resolutions instanceof Reject ? resolutions : { kind: 'resolveMarkets', resolutions }
    })
  }

  /** Changes a market in memory. A market that left memory is resolved. */
  async #change(
    published: PublishedMarket,
    by: string | undefined,
    decide: Change,
  ): Promise<PublishedMarket | Reject> {
    const { catalogue } = this.#pipeline.clearing
    const refused = await this.#pipeline.change((nowMs) => {
      const market = catalogue.byId(published.market.marketId)
      return market === undefined ? REJECT.MARKET_RESOLVED : decide(market, nowMs)
    }, by)
    return refused ?? published
  }

  /** Credits (positive) or debits (negative) free collateral. Returns the balances after it. */
  async adjustBalance(
    profileId: ProfileId,
    collateralRaw: number,
    by?: string,
  ): Promise<{ freeRaw: number; reservedRaw: number } | Reject> {
    const { clearing } = this.#pipeline
    const changing = this.#pipeline.change(() => {
      const reject = decideAdjust(clearing, profileId, collateralRaw)
      return reject ?? { kind: 'adjustBalance', profileId, collateralRaw }
    }, by)
    // Read before the wait: after it, the balance may include later commands that are not durable.
    const freeRaw = clearing.ledger.collateralFreeRaw[profileId]
    const reservedRaw = clearing.ledger.collateralReservedRaw[profileId]
    return (await changing) ?? { freeRaw, reservedRaw }
  }
}
