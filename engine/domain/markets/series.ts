import { DAY_MS, HOUR_MS, type SizeRaw, type TimeMs } from '../units.ts'
import { type MarketAbout, type MarketStatus, takesOrders } from './market.ts'

// Recurring markets (rules §10.1). A series runs as consecutive slots of equal length.

const MINUTE_MS = 60_000

export const FREQUENCIES = ['minutely', 'hourly', 'daily', 'weekly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export const SUB_FREQUENCIES = [
  ...(['minutes_1', 'minutes_5', 'minutes_10', 'minutes_15', 'minutes_20', 'minutes_25'] as const),
  ...(['minutes_30', 'minutes_35', 'minutes_40', 'minutes_45', 'minutes_50'] as const),
  'minutes_55',
  ...(['hours_1', 'hours_2', 'hours_3', 'hours_4', 'hours_5', 'hours_6'] as const),
] as const
export type SubFrequency = (typeof SUB_FREQUENCIES)[number]

export interface SeriesKey {
  /** The asset's symbol, in capital letters. */
  readonly symbol: string
  readonly frequency: Frequency
  /** null for daily and weekly series. */
  readonly subFrequency: SubFrequency | null
}

/** What an operator may edit while the series lives. It applies to slots created later. */
type SeriesAbout = Omit<MarketAbout, 'proxyTitle'>
export type SeriesChange = Partial<SeriesAbout>

/** The definition of a series at its creation. Its slots inherit it. */
export interface SeriesSpec extends SeriesKey, SeriesAbout {
  /** A permanent name for the market of the current slot. */
  readonly stableSlug: string
  /** A slot's slug is this prefix, a hyphen and the slot's start in Unix seconds. */
  readonly slugPrefix: string
  /** The asset's name at the oracle, and the kind of asset. */
  readonly assetName: string
  readonly assetType: string
  /** Slots created ahead of the current one. */
  readonly slotsAhead: number
  readonly feeEnabled: boolean
  readonly exchangeAddress: string
  readonly minSizeRaw: SizeRaw
  readonly maxSpread: number
  readonly takerDelayMs?: number
}

/** Whether frequency and sub-frequency define a slot length. */
export function isSlotLength({ frequency, subFrequency }: Omit<SeriesKey, 'symbol'>): boolean {
  if (frequency === 'daily' || frequency === 'weekly') return subFrequency === null
  return subFrequency?.startsWith(frequency === 'minutely' ? 'minutes_' : 'hours_') === true
}

export function slotMsOf({ frequency, subFrequency }: Omit<SeriesKey, 'symbol'>): number {
  if (frequency === 'daily') return DAY_MS
  if (frequency === 'weekly') return 7 * DAY_MS
  const count = Number(subFrequency?.split('_')[1])
  return count * (frequency === 'minutely' ? MINUTE_MS : HOUR_MS)
}

/** 1970 began on a Thursday; weeks begin on Monday 00:00 UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** Start of the slot that contains an instant. Slots are aligned to UTC. */
export function slotStartMs(key: Omit<SeriesKey, 'symbol'>, atMs: TimeMs): TimeMs {
  const slotMs = slotMsOf(key)
  const originMs = key.frequency === 'weekly' ? FIRST_MONDAY_MS : 0
  return Math.floor((atMs - originMs) / slotMs) * slotMs + originMs
}

/** A unique text for each symbol, frequency and sub-frequency. At most one series has it. */
export function seriesKeyText({ symbol, frequency, subFrequency }: SeriesKey): string {
  return `${symbol} ${frequency} ${subFrequency ?? ''}`
}

/** A report stamped at most this long after a boundary may decide it (rules §13 row 37). */
export const BOUNDARY_REPORT_MS = 5_000
/** A report that arrives later no longer decides the boundary. */
export const BOUNDARY_WAIT_MS = 60_000

/** States of a slot (rules §10.2). Read tables store the index. */
export const SLOT_STATES = ['PRE_OPEN', 'OPEN', 'SETTLING', 'SETTLED', 'FAILED'] as const
type SlotState = (typeof SLOT_STATES)[number]

interface Metadata {
  readonly status: MarketStatus
  readonly isPaidOut: boolean
  readonly isFailed: boolean
}

export function slotStateOf({ status, isPaidOut, isFailed }: Metadata): SlotState {
  if (status === 'RESOLVED') return isPaidOut ? 'SETTLED' : 'SETTLING'
  if (isFailed) return 'FAILED'
  if (takesOrders(status)) return 'OPEN'
  return status === 'LOCKED' ? 'SETTLING' : 'PRE_OPEN'
}
