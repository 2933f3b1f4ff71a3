// One act of an operator, as shown in the audit log.

import { TRADING_MODES } from '../../../engine/domain/markets/trading-window.ts'
import { ROLES } from '../../../engine/domain/operator.ts'
import type { AuditRow } from '../../../persistence/query/read/audit.ts'
import {
  account,
  isoTime,
  profileId,
  scope,
  shownUsername,
  slug,
} from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { aboutFields, title } from './markets/market-specs.ts'

const [, ...RESTRICTIONS] = TRADING_MODES

const act = {
  seq: means(integer(1), 'Seq of the command; later commands have greater ones.'),
  at: means(isoTime(), 'When the command was decided.'),
  operator: means(text(), 'Name of the operator.'),
  kind: means(text(), 'Kind of the command, as the journal names it.'),
}

const ofProfiles = {
  profileId: optional(profileId()),
  account: optional(account()),
  username: optional(shownUsername()),
  rank: means(optional(nullable(text())), 'Name of the rank that was set; null if it was removed.'),
  feeCapBps: means(
    optional(nullable(integer(0))),
    'Fee cap that was set, in basis points; null if it was removed.',
  ),
  scopes: means(optional(list(scope())), 'Scopes that the profile was allowed.'),
  isMachine: means(optional(boolean()), 'Whether the profile was marked as that of a program.'),
  tokenId: means(optional(text()), 'Id of the API token that was created or revoked.'),
  tokenScopes: means(optional(list(scope())), 'Scopes of the new API token.'),
  collateralRaw: means(
    optional(integer()),
    'Raw collateral that was credited, or debited when negative.',
  ),
  liquidityRaw: means(
    optional(integer(0)),
    'The raw pool share that the profile was given, or that it withdrew.',
  ),
}

const payout = () => means(list(integer(0)), 'Payout parts for YES, then for NO.')

const ofMarkets = {
  marketSlug: optional(slug()),
  payoutNumerators: optional(payout()),
  children: means(optional(list(text())), 'Slugs of the markets of the new group.'),
  markets: means(
    optional(list(object({ marketSlug: slug(), payoutNumerators: payout() }))),
    'The markets that were resolved together.',
  ),
  isFlagged: means(optional(boolean()), 'Whether the market was flagged or unflagged.'),
  title: means(optional(title()), 'New title of the market.'),
  ...aboutFields,
  windowId: means(optional(integer(1)), 'Number of the trading window.'),
  mode: means(optional(oneOf(...RESTRICTIONS)), 'Trading restriction of the window.'),
  startsAtMs: means(optional(integer(0)), 'When the window starts, in Unix milliseconds.'),
  endsAtMs: means(
    optional(nullable(integer(0))),
    'When the window ends, in Unix milliseconds; null until an operator ends it.',
  ),
}

const ofSeries = {
  seriesId: means(optional(integer(1)), 'Id of the series.'),
  stableSlug: means(optional(slug()), 'Slug of the market of the current slot.'),
  symbol: means(optional(text()), 'Symbol of the asset whose price was reported.'),
  atMs: means(optional(integer(0)), 'Time of that price, in Unix milliseconds.'),
  priceE8: means(optional(integer(0)), 'That price times 100,000,000; 0 for none.'),
}

const ofPages = {
  pageId: means(optional(text()), 'Id of the market page.'),
  slug: means(optional(text()), "Last segment of the page's path, or name of the property."),
  parentId: means(optional(nullable(text())), 'Id of the parent page; null at the top.'),
  keyId: means(optional(text()), 'Id of the property.'),
  optionsPut: means(optional(integer(0)), 'How many options were added or changed.'),
  optionsRemoved: means(optional(integer(0)), 'How many options were removed.'),
}

const ofPacks = {
  packNumber: means(
    optional(integer(1)),
    'Number of the curated pack: the last part of its id, in decimal.',
  ),
  packName: means(optional(text()), 'Name of the curated pack.'),
  dayLossMaxRaw: means(
    optional(nullable(integer(0))),
    'Maximum cost of the packs of one UTC day, raw; null restored the default.',
  ),
}

const ofMatches = {
  matchSlug: means(optional(text()), 'Slug of the match.'),
  fixtureId: means(optional(integer(1)), 'Id of the match at the source of its scores.'),
  marketSlugs: means(
    optional(list(text())),
    'Slugs of the markets of the match, or of the legs of the pack.',
  ),
}

/** One act, as shown in a reply. */
export const auditEntry = object({
  ...act,
  ...ofProfiles,
  ...ofMarkets,
  ...ofSeries,
  ...ofPages,
  ...ofMatches,
  ...ofPacks,
  reason: means(optional(text()), 'Why the operator did it.'),
  name: means(optional(text()), 'Name of the operator who was added or removed.'),
  role: means(optional(oneOf(...ROLES)), 'Role of the new operator.'),
})

/** The audit entry of a row. The schema must name each field that the row names. */
export function auditEntryOf(row: AuditRow): Infer<typeof auditEntry> {
  const { seq, atMs, operator, kind, about } = row
  const { noDelayedCancel, ...named }: { readonly noDelayedCancel?: boolean } = JSON.parse(about)
  // The journal records what is forbidden, calls what is allowed.
  const delay = noDelayedCancel === undefined ? {} : { delayedCancel: !noDelayedCancel }
  return { seq, at: isoText(atMs), operator, kind, ...named, ...delay }
}
