import { assert } from '../assert.ts'
import { LIMITS } from '../limits.ts'
import { PACK_LIMITS } from '../packs/pack-limits.ts'
import { BPS } from '../units.ts'
import type { MarketAbout } from './market.ts'

// What operators set of a market, once: the body of a call, the flags of `outcomex admin`, the
// forms of the console and the slots of a series read these rows. A title stands beside them, like
// a slug: no market is without one.

export type SettingKind =
  | 'line'
  | 'lines'
  | 'link'
  | 'key'
  | 'labels'
  | 'values'
  | 'collateral'
  | 'shares'
  | 'bps'
  | 'ms'
  | 'yes'
  | 'allowed'
  | 'address'

export interface MarketSetting {
  /** The field of the body. */
  readonly name: string
  /** Which values it takes. One that is `allowed` by default is kept as its opposite. */
  readonly kind: SettingKind
  /** Most characters, or the largest number. */
  readonly max: number
  /** The sentence of the API. */
  readonly means: string
  /** The flag of the command line, where it does not follow from the name. */
  readonly flag?: string
  /** The label of the console, and what stands under its field. */
  readonly label: string
  readonly hint?: string
  /** Where GET /markets/:addressOrSlug shows it; null when only its use shows it. */
  readonly shownAt: string | null
  /** The field that is kept, where it has another name. */
  readonly keptAs?: string
  /** Whether a series has it too; `own`: it has, and its slots do not repeat it. */
  readonly ofSeries?: false | 'own'
}

const NO_MAX = Number.MAX_SAFE_INTEGER
const LINK_CHARACTERS_MAX = 2048

/** What may also be changed later. */
export const EDITED_SETTINGS = [
  {
    name: 'description',
    kind: 'lines',
    max: LIMITS.descriptionCharactersMax,
    means: 'How the question is decided.',
    label: 'Description',
    shownAt: 'description',
    hint: 'How the question will be decided.',
  },
  {
    name: 'categories',
    kind: 'labels',
    max: NO_MAX,
    means: 'Topics of the market.',
    label: 'Categories',
    shownAt: 'categories',
    hint: 'Separated by commas.',
  },
  {
    name: 'tags',
    kind: 'labels',
    max: NO_MAX,
    means: 'Further labels of the market.',
    label: 'Tags',
    shownAt: 'tags',
  },
  {
    name: 'properties',
    kind: 'values',
    max: NO_MAX,
    means: 'Property values by property slug.',
    label: 'Properties',
    shownAt: null,
    hint: 'Like ticker=BTC, ticker=ETH.',
  },
  {
    name: 'proxyTitle',
    kind: 'line',
    max: LIMITS.titleCharactersMax,
    means: 'A shorter title, or the answer of a child market.',
    flag: 'short-title',
    label: 'Short title',
    shownAt: 'proxyTitle',
    // Slots have theirs from the title of their series.
    ofSeries: false,
  },
  {
    name: 'imageUrl',
    kind: 'link',
    max: LINK_CHARACTERS_MAX,
    means: 'Link to a picture.',
    flag: 'image',
    label: 'Link to a picture',
    shownAt: 'imageUrl',
  },
  {
    name: 'logo',
    kind: 'link',
    max: LINK_CHARACTERS_MAX,
    means: 'Link to a small picture.',
    label: 'Link to a small picture',
    shownAt: 'logo',
  },
  {
    name: 'dailyRewardRaw',
    kind: 'collateral',
    max: NO_MAX,
    means: 'Raw collateral per day for orders that rest near the midpoint.',
    label: 'Daily reward for makers',
    shownAt: 'settings.dailyReward',
    hint: 'In collateral.',
  },
  {
    name: 'rebateBps',
    kind: 'bps',
    max: BPS,
    means: 'Part of taker fees paid back to makers, in basis points.',
    label: 'Rebate of makers in basis points',
    shownAt: 'settings.rebateRate',
  },
  {
    name: 'delayedCancel',
    kind: 'allowed',
    max: NO_MAX,
    means: 'False if owners cannot cancel orders during the taker delay; true by default.',
    label: 'Orders that the taker delay holds cannot be canceled',
    shownAt: 'settings.delayedCancel',
    keptAs: 'noDelayedCancel',
  },
  {
    name: 'correlationKey',
    kind: 'key',
    max: PACK_LIMITS.correlationKeyCharactersMax,
    means:
      'Markets with the same key cannot share a pack; empty for none. A series also has its ' +
      'symbol.',
    label: 'Correlation key',
    shownAt: null,
    hint: 'Markets with one key share no pack.',
    // Packs read that of the series, so an edit reaches slots that exist.
    ofSeries: 'own',
  },
] as const satisfies readonly MarketSetting[]

/** What is set once, when markets are made. */
export const FIXED_SETTINGS = [
  {
    name: 'fee',
    kind: 'yes',
    max: NO_MAX,
    means: 'True if takers pay fees; false by default.',
    label: 'Takers pay fees',
    shownAt: 'metadata.fee',
  },
  {
    name: 'takerDelayMs',
    kind: 'ms',
    max: LIMITS.takerDelayMsMax,
    means: 'Delay of orders that would match on arrival, in milliseconds; 0 by default.',
    flag: 'taker-delay',
    label: 'Taker delay in milliseconds',
    shownAt: 'settings.takerDelayMs',
  },
  {
    name: 'exchangeAddress',
    kind: 'address',
    max: NO_MAX,
    means: 'Contract that orders are signed for; the configured one by default.',
    flag: 'exchange',
    label: 'Exchange contract',
    shownAt: 'venue.exchange',
    hint: 'Empty for that of the settings.',
  },
  {
    name: 'minSizeRaw',
    kind: 'shares',
    max: NO_MAX,
    means: 'Minimum raw shares of an order that counts in adjustedMidpoint; 50,000,000 by default.',
    label: 'Least size for the adjusted midpoint',
    shownAt: 'settings.minSize',
    hint: 'In shares.',
  },
] as const satisfies readonly MarketSetting[]

type EditedSetting = (typeof EDITED_SETTINGS)[number]
type KeptAs<Row> = Row extends { readonly keptAs: infer Field }
  ? Field
  : Row extends { readonly name: infer Field }
    ? Field
    : never
/** A field of a market that an edit may change, other than its title. */
export type EditedField = KeptAs<EditedSetting> & keyof MarketAbout

const nothingIsForgotten: Record<Exclude<keyof MarketAbout, EditedField | 'title'>, 'no row'> = {}
assert(Object.keys(nothingIsForgotten).length === 0, 'every field of a market has its row')

export function fieldOf(row: EditedSetting): EditedField {
  return 'keptAs' in row ? row.keptAs : row.name
}

/** What a series has too, other than its title. */
export const SERIES_SETTINGS = EDITED_SETTINGS.filter(
  (row) => !('ofSeries' in row) || row.ofSeries !== false,
)

/** What the market of a slot repeats of its series. */
export const SLOT_FIELDS = SERIES_SETTINGS.filter((row) => !('ofSeries' in row)).map(fieldOf)
