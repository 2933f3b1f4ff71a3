import type { Scope } from './command.ts'

// Every refusal of the exchange, in order of precedence: when two things are wrong, the refusal
// that stands higher is given (rules §1.8). The index is the number of a refusal between threads.
// Number 0 stands for no refusal, which is null elsewhere.

const REJECTS = [
  ['NONE', ''],
  // Before a request is read.
  ['OVERLOADED', 'The exchange is overloaded and did nothing; retry after the given seconds.'],
  ['NOT_READY', 'The exchange is not ready to trade; retry after the given seconds.'],
  ['RATE_LIMITED', 'Too many requests; retry after the given seconds.'],
  [
    'LENGTH_REQUIRED',
    'A call with Transfer-Encoding is not accepted; send the whole body with Content-Length.',
  ],
  [
    'HOST_INVALID',
    'The Host header is missing, repeated or malformed; send it once, with one host name and an ' +
      'optional port.',
  ],
  ['TARGET_INVALID', 'The path and the query must not hold a #; write %23 for the character.'],
  [
    'HANDSHAKE_VERSION',
    'A socket needs a WebSocket handshake of version 13; send the header Sec-WebSocket-Version ' +
      'with 13.',
  ],
  ['SOCKET_LIMIT', 'This caller has reached its limit of open sockets; close some.'],
  ['PATH_NOT_FOUND', 'No such path; GET /openapi.json lists the paths of this exchange.'],
  ['METHOD_NOT_ALLOWED', 'This path does not take that method; use one of its Allow header.'],
  [
    'REGION_BLOCKED',
    'Trading is not offered in the country of this request; read without trading.',
  ],
  ['BODY_ENCODED', 'A compressed request body is not accepted; send it uncompressed.'],
  ['BODY_TOO_LARGE', 'The request body is larger than 65536 bytes; send less in one call.'],
  ['BODY_TIMEOUT', 'The request body did not arrive in time; send it again, without pauses.'],
  // Authentication and permissions.
  ['UNAUTHENTICATED', 'The caller is not proven; sign the call with an API token, or log in.'],
  ['COOKIE_REQUIRED', 'The token cookie is required; log in by POST /auth/login.'],
  [
    'COOKIE_AMBIGUOUS',
    'Two different session cookies came; clear the cookies of this site and log in again.',
  ],
  ['SESSION_INVALID', 'The session has ended; log in again.'],
  ['API_KEY_INVALID', 'The API key is unknown or revoked; use another API token.'],
  [
    'TIMESTAMP_INVALID',
    'The timestamp header must be an ISO 8601 instant within 30 seconds of server time; set your ' +
      'clock by GET /time and sign again.',
  ],
  [
    'HMAC_INVALID',
    'The HMAC signature does not match the request; sign the timestamp, the method, the path ' +
      'with its query and the body that you send.',
  ],
  ['IDENTITY_INVALID', 'The identity token is not valid; get a fresh one from its provider.'],
  [
    'ADMIN_TOKEN_INVALID',
    'The admin token is missing or wrong; send Authorization: Bearer with the token of an ' +
      'operator.',
  ],
  [
    'LOGIN_INVALID',
    'The signature does not prove the account over a fresh signing message; sign a new one of ' +
      'GET /auth/signing-message within five minutes.',
  ],
  ['OWN_ADDRESS', 'A sub-account needs an address of its own; name one that is not your account.'],
  [
    'ACCOUNT_UNPROVEN',
    'The signature does not prove the address of the sub-account; let its key sign a new text of ' +
      'GET /auth/signing-message?purpose=sub-account within five minutes.',
  ],
  ['SCOPE_MISSING_TRADING', 'This call needs the scope trading; derive a token with it.'],
  [
    'SCOPE_MISSING_ACCOUNT_CREATION',
    'This call needs the scope account_creation; derive a token with it.',
  ],
  [
    'SCOPE_MISSING_DELEGATED_SIGNING',
    'This call needs the scope delegated_signing; derive a token with it.',
  ],
  ['SCOPE_MISSING_WITHDRAWAL', 'This call needs the scope withdrawal; derive a token with it.'],
  ['ROLE_MISSING', "The operator's role does not allow this call; ask one of a higher role."],
  [
    'FORBIDDEN',
    'This account may not do that; log in once to get a profile, or use the account that the ' +
      'call is about.',
  ],
  [
    'ORIGIN_NOT_ALLOWED',
    'A page of another site may not use the session cookie here; use a page of this exchange, or ' +
      'one whose origin the operator allows.',
  ],
  ['JSON_CONTENT_TYPE', 'A call with a cookie needs the content type application/json; send it.'],
  // The content of the request.
  ['BODY_MALFORMED', 'The request body is not valid JSON; send one JSON value in UTF-8.'],
  ['VALIDATION', 'The request is not valid; `message` lists each field that is wrong.'],
  [
    'NOT_SUB_ACCOUNT',
    'The profile is not a sub-account of the caller; name one of GET /profiles/partner-accounts.',
  ],
  [
    'MARKET_NOT_FOUND',
    'Market not found: no market has this name; GET /markets/active/slugs lists those that ' +
      'trade.',
  ],
  [
    'ORDERBOOK_OF_POOL',
    'Market does not support orderbook (AMM market): trade it by POST /amm/buy and /amm/sell.',
  ],
  [
    'SUBSCRIPTION_LIMIT',
    'The sockets of this caller have reached their limit of subscribed markets; unsubscribe from ' +
      'some.',
  ],
  [
    'EVENTS_MISSED',
    'Too many order events were missed to send them again, so only new ones come. Read GET ' +
      '/markets/:slug/user-orders and POST /orders/status/batch, and subscribe without ' +
      'afterEventId.',
  ],
  ['PROFILE_NOT_FOUND', 'Profile not found: no profile has this id or address; check it.'],
  [
    'TOKEN_NOT_IN_MARKET',
    'The order tokenId does not belong to this market; send tokens.yes or tokens.no of the ' +
      'market.',
  ],
  [
    'AMOUNTS_INVALID',
    'The amounts must give a price on the 0.001 tick and a size in steps of 0.001 share, ' +
      '10000000 shares at most; correct the amounts by `rule`.',
  ],
  ['PRICE_MISMATCH', 'Price does not match amounts; send the price that they give, or none.'],
  [
    'NO_SERVER_WALLET',
    'The sub-account has no server wallet: it signs its orders and moves its money itself.',
  ],
  [
    'ALLOWANCE_MISSING',
    "The server wallet has not approved the market's exchange; retry its allowances.",
  ],
  // The sequencer's gates.
  ['TOKEN_REVOKED', 'The API token was revoked; use another.'],
  ['DUPLICATE_CALL', 'This signed call was made before; sign a fresh one to make it again.'],
  ['IDEMPOTENCY_KEY_TAKEN', 'This idempotencyKey came with another body before; use a new key.'],
  ['PROFILE_FROZEN', 'The profile is frozen and may only cancel and read; ask the operator why.'],
  [
    'CALL_LIMIT',
    'The exchange remembers as many calls of this profile or its partner as it may; retry after ' +
      'the given seconds. A call with an idempotencyKey is remembered for a day.',
  ],
  ['POST_ONLY_MODE', 'Only post-only orders and cancels are accepted now; wait until `resumeAt`.'],
  ['CANCEL_ONLY_MODE', 'Only cancels are accepted now; wait until `resumeAt`.'],
  ['TRADING_DISABLED', 'Trading is disabled; wait until `resumeAt`.'],
  [
    'RECV_WINDOW_EXPIRED',
    'The order is older than its receive window, or from the future; stamp and sign a fresh one.',
  ],
  [
    'MARKET_NOT_TRADABLE',
    'Market is not active: it is locked, resolved or over; trade in another.',
  ],
  ['ORDER_EXPIRED', 'The order expiration has passed; sign a later one, in Unix seconds.'],
  [
    'OWNER_MISMATCH',
    'Profile ID does not match the order owner; send ownerId and maker of the profile that ' +
      'signs.',
  ],
  ['SIGNER_MISMATCH', 'Signer does not match authenticated profile account; send that as signer.'],
  [
    'FEE_RATE_UNAVAILABLE',
    'The profile has no rank and cannot place orders on fee-enabled markets; ask the operator ' +
      'for a rank.',
  ],
  [
    'FEE_RATE_MISMATCH',
    'The signed feeRateBps is not the effective rate of the order owner; sign ' +
      '`expectedFeeRateBps`.',
  ],
  [
    'SIGNATURE_INVALID',
    'Invalid signature: it does not recover to the signer for this market; sign under the ' +
      '`domain` of this reply.',
  ],
  [
    'DUPLICATE_ORDER',
    'This signed order was accepted before: orderId names it. Sign a new salt only for a further ' +
      'order; POST /orders?replay=true gives the first reply again.',
  ],
  [
    'DUPLICATE_CLIENT_ORDER_ID',
    'An order with this clientOrderId was accepted before: orderId names it. Use another only ' +
      'for a further order; POST /orders?replay=true gives the first reply again.',
  ],
  [
    'OPEN_SIZE_LIMIT',
    'The profile, or its partner with all sub-accounts, has reached its share of the open size ' +
      'of this market, which shrinks as the market fills; cancel some.',
  ],
  [
    'OPEN_ORDERS_LIMIT',
    'The profile, or its partner with all sub-accounts, has reached its share of open orders, ' +
      'which shrinks as the exchange fills; cancel some.',
  ],
  [
    'POSITION_LIMIT',
    'The profile, or its partner with all sub-accounts, has reached its share of positions, ' +
      'which shrinks as the exchange fills; sell, merge or redeem some.',
  ],
  [
    'AMOUNT_TOO_SMALL',
    'With so many open orders or positions, one more must reserve or take 1000 raw units or ' +
      'more; send a larger amount, or close some.',
  ],
  [
    'CAPACITY',
    'The exchange has reached its limit of open orders or positions; cancel some or retry later.',
  ],
  ['PACK_CAPACITY', 'The exchange cannot hold more packs or offers of packs now; retry later.'],
  [
    'INSUFFICIENT_COLLATERAL',
    'Insufficient collateral balance: send a smaller amount, cancel open orders or deposit more.',
  ],
  [
    'INSUFFICIENT_SHARES',
    'Insufficient outcome token balance: send a smaller amount, or cancel open sales.',
  ],
  // The book.
  [
    'POST_ONLY_WOULD_MATCH',
    'Post only order would match immediately; quote further away, or send it without postOnly.',
  ],
  // Cancels, accounts, markets.
  ['ORDER_NOT_FOUND', 'Order not found: no order of the profile has this id; check both.'],
  ['ORDER_FILLED', 'Order is filled: nothing of it is left to cancel; read its status.'],
  ['ORDER_NOT_OPEN', 'Order not found or already canceled; read its status.'],
  [
    'ORDER_RELEASE_IN_PROGRESS',
    'Cancellation not confirmed: the order is entering its market after its delay; send the ' +
      'cancel again.',
  ],
  [
    'DELAYED_CANCEL_OFF',
    'This market does not cancel orders that its taker delay holds; cancel what rests of the ' +
      'order after the delay.',
  ],
  ['ORDERS_NOT_FOUND', 'Orders not found or already canceled; read their status.'],
  ['ORDERBOOK_INACTIVE', 'Market is not active: it has no book now; read its trades instead.'],
  [
    'HEARTBEAT_CANCELING',
    'The heartbeat deadline passed, and its cancels cannot be called off; retry when they are ' +
      'done.',
  ],
  [
    'TRADING_WINDOW_NOT_FOUND',
    'No such trading window, or it is over; GET /admin/trading-modes lists those that are not.',
  ],
  ['TRADING_WINDOW_LIMIT', 'The limit of trading windows is reached; end one.'],
  ['FROZEN_LIMIT', 'The limit of frozen profiles is reached; end the freeze of some.'],
  ['FREEZE_CANCELING', 'The cancels of the freeze are under way; retry when they are done.'],
  ['OPERATOR_TAKEN', 'An operator with this name exists; choose another name.'],
  ['OPERATOR_LIMIT', 'The limit of operators is reached; remove one.'],
  ['OPERATOR_ROOT', 'The first operator stays; a start with --admin-token changes its token.'],
  ['OPERATOR_NOT_FOUND', 'No operator has this name; GET /admin/operators lists them.'],
  [
    'REGISTRATION_CLOSED',
    'Registration is closed: the operator makes profiles; ask for one for this account.',
  ],
  [
    'REGISTRATION_LIMIT',
    'This address, its network or the exchange has reached its limit of new profiles for today; ' +
      'retry tomorrow (UTC), or ask the operator for a profile.',
  ],
  ['PROFILE_LIMIT', 'The exchange has reached its limit of profiles; ask the operator.'],
  ['SESSION_LIMIT', 'The exchange has reached its limit of sessions; retry later.'],
  [
    'TOKEN_UNKNOWN',
    'The API token is unknown or already revoked; GET /auth/api-tokens lists yours.',
  ],
  ['TOKEN_LIMIT', 'The profile or its partner has as many API tokens as it may now; revoke one.'],
  ['SCOPE_NEEDS_TRADING', 'The scope delegated_signing needs the scope trading too; name both.'],
  [
    'SCOPE_NOT_ALLOWED',
    'A requested scope is not allowed for this profile; GET /auth/api-tokens/capabilities lists ' +
      'those that are.',
  ],
  ['ACCOUNT_TAKEN', 'The address has a profile already; use another address.'],
  ['NO_PARTNER', 'The profile has no partner to leave.'],
  [
    'PARTNER_REQUIRED',
    'The exchange keeps the wallet of this sub-account, and only its partner acts for it, so it ' +
      'cannot leave the partner.',
  ],
  ['SUB_ACCOUNT_LIMIT', 'The partner has as many sub-accounts as it may have; use one of them.'],
  [
    'ALLOWANCE_RETRY_RUNNING',
    'Another retry of these allowances is running; read them again when it is done.',
  ],
  ['ALLOWANCE_RETRY_TOO_SOON', 'The allowances were retried a moment ago; retry later.'],
  ['WITHDRAWAL_ADDRESS_LISTED', 'The address is on the list already; withdraw to it.'],
  [
    'WITHDRAWAL_ADDRESS_LIMIT',
    'The profile or its partner has as many listed addresses as it may have now; remove one.',
  ],
  ['WITHDRAWAL_ADDRESS_UNKNOWN', 'The address is not on the list; name one that was listed.'],
  ['USERNAME_TAKEN', 'The username is taken; choose another.'],
  [
    'SMART_WALLET_REQUIRED',
    'A smartWallet is required for this client or trade wallet; prove one at a login, or use the ' +
      'client eoa.',
  ],
  ['FOLLOW_OF_SELF', 'A profile cannot follow itself.'],
  [
    'FOLLOW_LIMIT',
    'The profile follows as many profiles as it may now, 10000 at most; unfollow one.',
  ],
  ['BOOKMARK_KIND', 'The target is not of this kind; send the kind that it has.'],
  [
    'BOOKMARK_LIMIT',
    'The profile has as many bookmarks as it may have now, 100 at most; remove one.',
  ],
  ['BOOKMARK_NOT_FOUND', 'The caller has no bookmark of this id; see GET /market-bookmarks/me.'],
  ['BOOKMARKS_NOT_SHOWN', 'No profile of this account shows its bookmarks; read your own.'],
  ['SOCIAL_CAPACITY', 'The exchange cannot keep more follows or bookmarks; retry later.'],
  ['SOCIAL_CONNECTION_OFF', 'This exchange connects no accounts of other services.'],
  ['SOCIAL_CODE_INVALID', 'The code proves no account; ask the other service for a fresh one.'],
  ['SOCIAL_NOT_CONNECTED', 'The profile has no connected account; connect one first.'],
  ['SLUG_TAKEN', 'A market with this slug exists; choose another slug.'],
  ['MARKET_LIMIT', 'The exchange has reached its limit of markets; resolve some.'],
  [
    'VENUE_LIMIT',
    'The markets have reached their limit of exchange and adapter addresses; use a known one.',
  ],
  ['CATEGORY_LIMIT', 'The markets have reached their limit of category names; use a known one.'],
  ['PAGE_NOT_FOUND', 'Market page not found: no page has this id or path; check it.'],
  ['ACCURACY_OFF', 'This exchange does not publish how often accounts were right.'],
  ['PAGE_LIMIT', 'The exchange has reached its limit of market pages; remove one.'],
  ['PAGE_PARENT_INVALID', 'The parent is this page or stands below it; name another page.'],
  ['PAGE_TOO_DEEP', 'Pages may be nested at most 6 levels deep; choose a higher parent.'],
  ['PAGE_PATH_TAKEN', 'Another page has this path; choose another slug or parent.'],
  [
    'PAGE_TOO_LARGE',
    'Base filter, filter groups and metadata of a page may take 16384 bytes of JSON; send less.',
  ],
  ['PAGE_NOT_EMPTY', 'The page has pages below it; remove or move these first.'],
  ['PROPERTY_NOT_FOUND', 'Property key not found: no key has this id or slug; check it.'],
  ['PROPERTY_LIMIT', 'The limit of property keys or of their options is reached; remove some.'],
  ['PROPERTY_SLUG_TAKEN', 'Another property key has this slug; choose another.'],
  [
    'PROPERTY_OPTION_INVALID',
    'An option repeats a value, or has a parent outside of its key or more than 6 levels; give ' +
      'each its own value and a parent of the key.',
  ],
  ['MATCH_NOT_FOUND', 'Match not found: no match has this id; GET /sports/events lists them.'],
  ['MATCH_LIMIT', 'The exchange has reached its limit of matches; remove one.'],
  ['MATCH_FIXTURE_TAKEN', 'Another match has this fixtureId; change that match, or use another.'],
  [
    'MATCH_SCORED',
    'A match that has a score keeps its sportType and its fixtureId; remove it and create it ' +
      'again.',
  ],
  [
    'MATCH_MARKET_INVALID',
    'A match names markets that trade, each once; of a group, name its markets one by one.',
  ],
  ['MATCH_MARKET_TAKEN', 'A market belongs to another match already; take it out of that one.'],
  [
    'SCORE_OF_OTHER_SPORT',
    'An event has another sportType than the match of its fixtureId; send the sportType of the ' +
      'match.',
  ],
  ['MARKET_RESOLVED', 'The market is already resolved; redeem its shares instead.'],
  ['MARKET_STATUS', 'The status of the market does not allow that; read the market again.'],
  ['MARKET_OF_GROUP', 'The market belongs to a group: resolve the group, by its winner.'],
  ['MARKET_NOT_GROUP', 'The market is not a group; name the slug of a group.'],
  ['WINNER_NOT_IN_GROUP', 'The winner is not a market of this group; name one of its markets.'],
  ['MARKET_NOT_RESOLVED', 'The market is not resolved yet; redeem when it is.'],
  ['PAYOUT_NOT_POSTED', 'On-chain payout not posted; retry after the next block.'],
  ['NOTHING_TO_REDEEM', 'The account holds no share of this market; see GET /portfolio/positions.'],
  ['GROUP_TOO_SMALL', 'Only a group of two markets or more converts positions; merge instead.'],
  ['CONVERSION_INVALID', 'A conversion names markets of one group, each once; correct the list.'],
  ['CONVERSION_LIMIT', 'The group cannot convert more; split or trade instead.'],
  ['MARKET_NOT_POOL', 'The market has no pool: trade it by orders.'],
  ['POOL_CLOSED', 'The market is closed for trading; redeem its shares when it is resolved.'],
  [
    'POOL_TRADE_RUNNING',
    'No block holds the last trade of this account with this pool yet; retry in a moment.',
  ],
  ['POOL_CAPACITY', 'The exchange cannot hold more approvals or trades of pools now; retry later.'],
  [
    'APPROVAL_LIMIT',
    'The profile or its partner has as many approvals of pools as it may have now; they end with ' +
      'their markets.',
  ],
  ['APPROVAL_MISSING', 'The account has not approved this; call /amm/allowances/approve first.'],
  ['POOL_QUOTE_INVALID', 'The pool cannot give this amount; send a smaller one.'],
  ['POOL_FUNDS_SHORT', 'Insufficient balance: send a smaller amount, or cancel open orders.'],
  [
    'POOL_AMOUNT_TOO_SMALL',
    'The amount is too small for this slippage and may give no share; send a larger one.',
  ],
  [
    'POOL_SHARES_BEYOND',
    'The pool gives fewer shares than minShares for this, or wants more than maxShares; read the ' +
      'price again and change the limit.',
  ],
  ['PROVIDER_LIMIT', 'The pool has reached its limit of providers; add to a share that is there.'],
  [
    'LIQUIDITY_SHORT',
    'The share of the profile in this pool is smaller; send a smaller amount, or none for all.',
  ],
  ['QUOTE_INVALID', 'The quoteId is not of this caller, these legs and this stake; quote again.'],
  ['QUOTE_USED', 'A pack was made of this quote, and a quote is good for one pack; quote again.'],
  ['QUOTE_EXPIRED', 'The quote has expired; quote again.'],
  ['PACK_NOT_FOUND', 'Pack not found: no pack of the caller or of the list has this id; check it.'],
  ['INTENT_EXPIRED', 'Intent expired — please retry'],
  [
    'PACK_LIMIT',
    'The profile or its partner is at its limit of open packs; wait until some are over.',
  ],
  ['PACK_NOT_ELIGIBLE', 'The pack cannot be made; `ineligibleReasons` names all that is wrong.'],
  ['QUOTE_CHANGED', 'The books moved, and the pack would pay less than its quote; quote again.'],
  [
    'PRICE_DRIFTED',
    'The pack would pay less than minPayoutAmount at the prices of now: payoutAmount says what. ' +
      'Quote it again, and buy with a new idempotencyKey.',
  ],
  [
    'PACK_NOT_WON',
    'Only a pack that has won can be claimed. Its status says where it stands; a lost pack pays ' +
      'nothing.',
  ],
  ['CURATED_NAME_TAKEN', 'Another pack of the list has this name; choose a name of its own.'],
  ['CURATED_LIMIT', 'The list holds 64 packs, which is the most; remove one first.'],
  ['OFFER_NOT_FOUND', 'No such offer, or it is over; list the open ones again.'],
  [
    'OFFER_LIMIT',
    'The profile or its partner has as many open offers as it may have now; take one back.',
  ],
  ['OWN_OFFER', 'A maker cannot accept its own offer; take it back, or accept as another profile.'],
  ['STAKE_TOO_LOW', 'The stake is below 1000000 raw units, or wins nothing; stake more.'],
  ['STAKE_TOO_HIGH', 'The stake is more than the offer takes; stake at most its stakeMax.'],
  [
    'DESTINATION_NOT_ALLOWED',
    'The destination is neither an address of the caller nor listed; list it first by POST ' +
      '/portfolio/withdrawal-addresses.',
  ],
  ['TOKEN_NOT_COLLATERAL', 'The exchange holds only its collateral token; leave token out.'],
  [
    'SHARES_OWED',
    'A failed trade left shares below zero, and each holds back one unit: buy them back, or wait ' +
      'for the payout of their market.',
  ],
  [
    'NOT_MINED_YET',
    'Part of this collateral comes from trades that no block holds yet. Take no more than ' +
      '`withdrawable` of GET /portfolio/balance now, and the rest when these trades are MINED.',
  ],
  ['SERIES_LIMIT', 'The exchange has reached its limit of series; end one.'],
  ['SERIES_EXISTS', 'A series of this symbol and frequency exists; change that one.'],
  ['SERIES_NOT_FOUND', 'No such series, or it has ended; GET /admin/series lists those that run.'],
  ['NO_ORACLE', 'The market has no oracle; read a market of a series.'],
  ['SYMBOL_UNKNOWN', 'No series has this symbol; use the ticker of a series.'],
  ['REPORT_NOT_TIMELY', 'The report is older than 60 seconds or in the future; send a fresh one.'],
  ['PAYOUT_INVALID', 'Payout numerators are two integers from 0 with a sum above 0; correct them.'],
  [
    'NO_EMBEDDED_CHAIN',
    'Trades are not settled by the embedded chain; start the exchange with it to set faults.',
  ],
  ['TRADE_NOT_WAITING', 'No trade of this id waits for its settlement; name one that is MATCHED.'],
  [
    'FAULT_LIMIT',
    'At most 400 settlement faults may wait at a time; wait until blocks have met some of them.',
  ],
  [
    'BALANCE_LIMIT',
    'Deposits less withdrawals of the whole exchange cannot pass 2^51 raw units; credit less.',
  ],
  [
    'COMMAND_TOO_LARGE',
    'The call needs a record of more than 262144 bytes, and the journal takes no longer one; ' +
      'send less text or fewer items in one call.',
  ],
  ['READ_TIMEOUT', 'The read tables are behind; retry after the given seconds.'],
  ['NOT_COUNTED', 'The obligations are not counted yet; retry after the given seconds.'],
  // A fault of the exchange comes after every refusal.
  ['INTERNAL', 'The exchange could not answer this call; tell its faultId to the operator.'],
] as const

type ListedName = (typeof REJECTS)[number][0]
export type RejectName = Exclude<ListedName, 'NONE'>

/** The two numbers of a balance that does not suffice, in raw units. */
export interface Shortfall {
  readonly availableRaw: number
  readonly requiredRaw: number
}

/**
 * A reason for a refusal. There is one object for each, so they are compared by identity; but the
 * refusal of a short balance has the numbers of its decision, and is compared by its name.
 */
export class Reject {
  /** Index in the list. This number crosses threads. */
  readonly number: number
  readonly name: RejectName
  readonly sentence: string
  readonly shortfall: Shortfall | null

  constructor(
    number: number,
    name: RejectName,
    sentence: string,
    shortfall: Shortfall | null = null,
  ) {
    this.number = number
    this.name = name
    this.sentence = sentence
    this.shortfall = shortfall
    Object.freeze(this)
  }

  /** This refusal with the numbers that the gate compared. */
  short(availableRaw: number, requiredRaw: number): Reject {
    return new Reject(this.number, this.name, this.sentence, { availableRaw, requiredRaw })
  }
}

const BY_NUMBER: readonly (Reject | null)[] = REJECTS.map(([name, sentence], number) =>
  name === 'NONE' ? null : new Reject(number, name, sentence),
)

function byName(): Readonly<Record<RejectName, Reject>> {
  const entries = BY_NUMBER.flatMap((each) => (each === null ? [] : [[each.name, each] as const]))
  return Object.fromEntries(entries) as Record<RejectName, Reject>
}

export const REJECT = byName()

/** The refusal for a number that crossed a thread; null for 0. */
export function rejectOf(number: number): Reject | null {
  return BY_NUMBER[number]
}

/** The refusal for a token that lacks a scope. */
export const SCOPE_REJECT = {
  trading: 'SCOPE_MISSING_TRADING',
  account_creation: 'SCOPE_MISSING_ACCOUNT_CREATION',
  delegated_signing: 'SCOPE_MISSING_DELEGATED_SIGNING',
  withdrawal: 'SCOPE_MISSING_WITHDRAWAL',
} as const satisfies Readonly<Record<Scope, RejectName>>
