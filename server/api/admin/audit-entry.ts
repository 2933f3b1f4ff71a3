// One act of an operator, as the audit shows it.

import { TRADING_MODES } from '../../../engine/domain/markets/trading-mode.ts'
import { ROLES } from '../../../engine/domain/operator.ts'
import type { AuditRow } from '../../../persistence/query/read/audit.ts'
import { isoTime, profileId, slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { account, scope, shownUsername } from '../../edge/http/schema/profile-fields.ts'
import { boolean, integer, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { aboutFields, title } from './markets/market-body.ts'

const [, ...RESTRICTIONS] = TRADING_MODES

const act = {
  seq: means(integer(1), 'Number of the command; a later command has a greater one.'),
  at: means(isoTime(), 'When the command was decided.'),
  operator: means(text(), 'Name of the operator.'),
  kind: means(text(), 'Kind of the command, as the journal names it.'),
}

const ofProfiles = {
  profileId: optional(profileId()),
  account: optional(account()),
  username: optional(shownUsername()),
  rank: means(optional(nullable(text())), 'Name of the rank that was given; null took it back.'),
  feeCapBps: means(
    optional(nullable(integer(0))),
    'Highest fee rate that was set, in basis points; null took it back.',
  ),
  scopes: means(optional(list(scope())), 'Scopes that the profile was allowed.'),
  isMachine: means(optional(boolean()), 'Whether the profile was said to be that of a program.'),
  tokenId: means(optional(text()), 'Id of the API token that was made or revoked.'),
  tokenScopes: means(optional(list(scope())), 'Scopes that the new API token has.'),
  collateralRaw: means(
    optional(integer()),
    'Raw collateral that was credited, or debited when negative.',
  ),
  liquidityRaw: means(
    optional(integer(0)),
    'The raw part of a pool that the profile was given, or that it left with.',
  ),
}

const payout = () => means(list(integer(0)), 'Parts of the payout for YES, then for NO.')

const ofMarkets = {
  marketSlug: optional(slug()),
  payoutNumerators: optional(payout()),
  children: means(optional(list(text())), 'Slugs of the markets of the new group.'),
  markets: means(
    optional(list(object({ marketSlug: slug(), payoutNumerators: payout() }))),
    'The markets that were resolved together.',
  ),
  isFlagged: means(optional(boolean()), 'Whether the market was flagged, or the flag taken away.'),
  title: means(optional(title()), 'New title of the market.'),
  ...aboutFields,
  windowId: means(optional(integer(1)), 'Number of the trading window.'),
  mode: means(optional(oneOf(...RESTRICTIONS)), 'What the trading window restricts trading to.'),
  startsAtMs: means(optional(integer(0)), 'When the window starts, Unix milliseconds.'),
  endsAtMs: means(
    optional(nullable(integer(0))),
    'When the window ends, Unix milliseconds; null when an operator is to end it.',
  ),
}

const ofSeries = {
  seriesId: means(optional(integer(1)), 'Number of the series.'),
  stableSlug: means(optional(slug()), 'Slug that names the market of its current slot.'),
  symbol: means(optional(text()), 'Symbol of the asset whose price was told.'),
  atMs: means(optional(integer(0)), 'Instant of that price, Unix milliseconds.'),
  priceE8: means(optional(integer(0)), 'That price times 100,000,000; 0 for none.'),
}

const ofPages = {
  pageId: means(optional(text()), 'Id of the market page.'),
  slug: means(optional(text()), 'Last segment of the path of the page, or name of the property.'),
  parentId: means(optional(nullable(text())), 'Id of the page above; null at the top.'),
  keyId: means(optional(text()), 'Id of the property.'),
  optionsPut: means(optional(integer(0)), 'How many options were added or changed.'),
  optionsRemoved: means(optional(integer(0)), 'How many options were removed.'),
}

const ofPacks = {
  packNumber: means(
    optional(integer(1)),
    'Number of the curated pack: the last part of its id, as a decimal number.',
  ),
  packName: means(optional(text()), 'Name of the curated pack.'),
  dayLossMaxRaw: means(
    optional(nullable(integer(0))),
    'What the packs of one UTC day may cost, raw; null took the bound of operators back.',
  ),
}

const ofMatches = {
  matchSlug: means(optional(text()), 'Slug of the match.'),
  fixtureId: means(optional(integer(1)), 'Number of the match where its scores come from.'),
  marketSlugs: means(
    optional(list(text())),
    'Slugs of the markets about the match, or of the legs of the pack.',
  ),
}

/** One act, as a reply shows it. */
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
  role: means(optional(oneOf(...ROLES)), 'Role that the new operator has.'),
})

/** The act of a row. The schema must name each field that the row names. */
export function auditEntryOf(row: AuditRow): Infer<typeof auditEntry> {
  const { seq, atMs, operator, kind, about } = row
  const { noDelayedCancel, ...named }: { readonly noDelayedCancel?: boolean } = JSON.parse(about)
  // The journal names what was forbidden, calls what is allowed.
  const delay = noDelayedCancel === undefined ? {} : { delayedCancel: !noDelayedCancel }
  return { seq, at: isoText(atMs), operator, kind, ...named, ...delay }
}
