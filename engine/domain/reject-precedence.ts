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
  ['HOST_INVALID', 'The Host header must come once, with one host name and an optional port.'],
  ['TARGET_INVALID', 'The path and the query must not hold a #; write %23 for the character.'],
  [
    'HANDSHAKE_VERSION',
    'A socket needs a WebSocket handshake of version 13, with Sec-WebSocket-Version: 13.',
  ],
  ['SOCKET_LIMIT', 'This caller has reached its limit of open sockets.'],
  ['PATH_NOT_FOUND', 'No such path.'],
  ['METHOD_NOT_ALLOWED', 'This path does not take that method.'],
  ['REGION_BLOCKED', 'Trading is not offered in the country this request comes from.'],
  ['BODY_ENCODED', 'A compressed request body is not accepted; send it uncompressed.'],
  ['BODY_TOO_LARGE', 'The request body is larger than 65536 bytes.'],
  ['BODY_TIMEOUT', 'The request body did not arrive in time.'],
  // Authentication and permissions.
  ['UNAUTHENTICATED', 'Authentication is required; static API keys are no longer accepted.'],
  ['COOKIE_REQUIRED', 'The token cookie is required.'],
  [
    'COOKIE_AMBIGUOUS',
    'Two different session cookies came; clear the cookies of this site and log in again.',
  ],
  ['SESSION_INVALID', 'The session has ended; log in again.'],
  ['API_KEY_INVALID', 'The API key is unknown or revoked.'],
  [
    'TIMESTAMP_INVALID',
    'The timestamp header must be an ISO 8601 instant within 30 seconds of server time.',
  ],
  ['HMAC_INVALID', 'The HMAC signature does not match the request.'],
  ['IDENTITY_INVALID', 'The identity token is not valid.'],
  ['ADMIN_TOKEN_INVALID', 'The admin token is missing or wrong.'],
  ['LOGIN_INVALID', 'The signature does not prove the account over a fresh signing message.'],
  ['OWN_ADDRESS', 'A sub-account needs an address of its own.'],
  ['ACCOUNT_UNPROVEN', 'The signature does not prove the account over a fresh signing message.'],
  ['SCOPE_MISSING_TRADING', 'This call needs an API token with the scope trading.'],
  [
    'SCOPE_MISSING_ACCOUNT_CREATION',
    'This call needs an API token with the scope account_creation.',
  ],
  [
    'SCOPE_MISSING_DELEGATED_SIGNING',
    'This call needs an API token with the scope delegated_signing.',
  ],
  ['SCOPE_MISSING_WITHDRAWAL', 'This call needs an API token with the scope withdrawal.'],
  ['ROLE_MISSING', "The operator's role does not allow this call."],
  ['FORBIDDEN', 'This account may not do that.'],
  [
    'ORIGIN_NOT_ALLOWED',
    'A page of another site may not use the session cookie here; see --public-url.',
  ],
  ['JSON_CONTENT_TYPE', 'A call with a cookie needs the content type application/json.'],
  // The content of the request.
  ['BODY_MALFORMED', 'The request body is not valid JSON.'],
  ['VALIDATION', 'The request is not valid.'],
  ['NOT_SUB_ACCOUNT', 'The profile is not a sub-account of the caller.'],
  ['MARKET_NOT_FOUND', 'Market not found'],
  [
    'ORDERBOOK_OF_POOL',
    'Market does not support orderbook (AMM market): trade it by POST /amm/buy and /amm/sell.',
  ],
  [
    'SUBSCRIPTION_LIMIT',
    'The sockets of this caller have reached their limit of subscribed markets.',
  ],
  [
    'EVENTS_MISSED',
    'Too many order events were missed to tell them again, so only new ones come. Read ' +
      'GET /markets/:slug/user-orders and POST /orders/status/batch, and subscribe without ' +
      'afterEventId.',
  ],
  ['PROFILE_NOT_FOUND', 'Profile not found'],
  ['TOKEN_NOT_IN_MARKET', 'The order tokenId does not belong to this market.'],
  [
    'AMOUNTS_INVALID',
    'The amounts must give a price on the 0.001 tick and a size in steps of 0.001 share, ' +
      '10000000 shares at most.',
  ],
  ['PRICE_MISMATCH', 'Price does not match amounts'],
  [
    'NO_SERVER_WALLET',
    'The sub-account has no server wallet: it signs its orders and moves its money itself.',
  ],
  [
    'ALLOWANCE_MISSING',
    "The server wallet has not approved the market's exchange; retry its allowances.",
  ],
  // The sequencer's gates.
  ['TOKEN_REVOKED', 'The API token was revoked.'],
  ['DUPLICATE_CALL', 'This signed call was made before; sign a fresh one to make it again.'],
  ['IDEMPOTENCY_KEY_TAKEN', 'This idempotencyKey came with another body before.'],
  ['PROFILE_FROZEN', 'The profile is frozen: it may cancel and read, not trade or withdraw.'],
  [
    'CALL_LIMIT',
    'The exchange remembers as many calls of this profile or its partner as it may; retry after ' +
      'the given seconds. A call with an idempotencyKey is remembered for a day.',
  ],
  ['POST_ONLY_MODE', 'Only post-only orders and cancels are accepted at the moment.'],
  ['CANCEL_ONLY_MODE', 'Only cancels are accepted at the moment.'],
  ['TRADING_DISABLED', 'Trading is disabled.'],
  [
    'RECV_WINDOW_EXPIRED',
    'The order is older than its receive window, or from the future; stamp and sign a fresh one.',
  ],
  ['MARKET_NOT_TRADABLE', 'Market is not active'],
  ['ORDER_EXPIRED', 'The order expiration has passed.'],
  ['OWNER_MISMATCH', 'Profile ID does not match the order owner'],
  ['SIGNER_MISMATCH', 'Signer does not match authenticated profile account'],
  [
    'FEE_RATE_UNAVAILABLE',
    'The profile has no rank and cannot place orders on fee-enabled markets.',
  ],
  ['FEE_RATE_MISMATCH', 'The signed feeRateBps is not the effective rate of the order owner.'],
  ['SIGNATURE_INVALID', 'The order signature does not recover to the signer for this market.'],
  ['DUPLICATE_ORDER', 'This signed order was submitted before; sign a new salt.'],
  ['DUPLICATE_CLIENT_ORDER_ID', 'This clientOrderId was used before.'],
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
  ['POST_ONLY_WOULD_MATCH', 'Post only order would match immediately'],
  // Cancels, accounts, markets.
  ['ORDER_NOT_FOUND', 'Order not found'],
  ['ORDER_FILLED', 'Order is filled: nothing of it is left to cancel'],
  ['ORDER_NOT_OPEN', 'Order not found or already canceled'],
  [
    'ORDER_RELEASE_IN_PROGRESS',
    'Cancellation not confirmed: the order is entering its market after its delay; retry.',
  ],
  [
    'DELAYED_CANCEL_OFF',
    'This market does not cancel orders that its taker delay holds; cancel what rests of the ' +
      'order after the delay.',
  ],
  ['ORDERS_NOT_FOUND', 'Orders not found or already canceled'],
  ['ORDERBOOK_INACTIVE', 'Market is not active'],
  [
    'HEARTBEAT_CANCELING',
    'The heartbeat deadline passed; its cancels are under way and cannot be called off.',
  ],
  ['TRADING_WINDOW_NOT_FOUND', 'No such trading window, or it is over.'],
  ['TRADING_WINDOW_LIMIT', 'The limit of trading windows is reached; end one.'],
  ['FROZEN_LIMIT', 'The limit of frozen profiles is reached.'],
  ['FREEZE_CANCELING', 'The cancels of the freeze are under way; retry.'],
  ['OPERATOR_TAKEN', 'An operator with this name exists.'],
  ['OPERATOR_LIMIT', 'The limit of operators is reached; remove one.'],
  ['OPERATOR_ROOT', 'The first operator stays; a start with --admin-token changes its token.'],
  ['OPERATOR_NOT_FOUND', 'No operator has this name.'],
  [
    'REGISTRATION_CLOSED',
    'Registration is closed: the operator makes profiles; ask for one for this account.',
  ],
  [
    'REGISTRATION_LIMIT',
    'This address, its network or the exchange has reached its limit of new profiles for today; ' +
      'retry tomorrow (UTC), or ask the operator for a profile.',
  ],
  ['PROFILE_LIMIT', 'The exchange has reached its limit of profiles.'],
  ['SESSION_LIMIT', 'The exchange has reached its limit of sessions; retry later.'],
  ['TOKEN_UNKNOWN', 'The API token is unknown or already revoked.'],
  ['TOKEN_LIMIT', 'The profile or its partner has as many API tokens as it may now; revoke one.'],
  ['SCOPE_NEEDS_TRADING', 'The scope delegated_signing needs the scope trading beside it.'],
  ['SCOPE_NOT_ALLOWED', 'A requested scope is not allowed for this profile.'],
  ['ACCOUNT_TAKEN', 'The address has a profile already.'],
  ['NO_PARTNER', 'The profile has no partner to leave.'],
  [
    'PARTNER_REQUIRED',
    'The exchange keeps the wallet of this sub-account, and only its partner acts for it, so it ' +
      'cannot leave the partner.',
  ],
  ['SUB_ACCOUNT_LIMIT', 'The partner has as many sub-accounts as it may have now.'],
  ['ALLOWANCE_RETRY_RUNNING', 'Another retry of these allowances is running.'],
  ['ALLOWANCE_RETRY_TOO_SOON', 'The allowances were retried a moment ago; retry later.'],
  ['WITHDRAWAL_ADDRESS_LISTED', 'The address is on the list already.'],
  [
    'WITHDRAWAL_ADDRESS_LIMIT',
    'The profile or its partner has as many listed addresses as it may have now; remove one.',
  ],
  ['WITHDRAWAL_ADDRESS_UNKNOWN', 'The address is not on the list.'],
  ['USERNAME_TAKEN', 'The username is taken.'],
  ['SMART_WALLET_REQUIRED', 'A smartWallet is required for this client or trade wallet.'],
  ['FOLLOW_OF_SELF', 'A profile cannot follow itself.'],
  [
    'FOLLOW_LIMIT',
    'The profile follows as many profiles as it may now, 10000 at most; unfollow one.',
  ],
  ['BOOKMARK_KIND', 'The target is not of this kind.'],
  [
    'BOOKMARK_LIMIT',
    'The profile has as many bookmarks as it may have now, 100 at most; remove one.',
  ],
  ['BOOKMARK_NOT_FOUND', 'The caller has no bookmark of this id.'],
  ['BOOKMARKS_NOT_SHOWN', 'No profile of this account shows its bookmarks.'],
  ['SOCIAL_CAPACITY', 'The exchange cannot keep more follows or bookmarks; retry later.'],
  ['SOCIAL_CONNECTION_OFF', 'This exchange connects no accounts of other services.'],
  ['SOCIAL_CODE_INVALID', 'The code proves no account; ask the other service for a fresh one.'],
  ['SOCIAL_NOT_CONNECTED', 'The profile has no connected account; connect one first.'],
  ['SLUG_TAKEN', 'A market with this slug exists.'],
  ['MARKET_LIMIT', 'The exchange has reached its limit of markets.'],
  [
    'VENUE_LIMIT',
    'The markets have reached their limit of exchange and adapter addresses; use a known one.',
  ],
  ['CATEGORY_LIMIT', 'The markets have reached their limit of category names; use a known one.'],
  ['PAGE_NOT_FOUND', 'Market page not found'],
  ['ACCURACY_OFF', 'This exchange does not tell how often accounts were right.'],
  ['PAGE_LIMIT', 'The exchange has reached its limit of market pages; remove one.'],
  ['PAGE_PARENT_INVALID', 'The parent must be another page that is not below this one.'],
  ['PAGE_TOO_DEEP', 'Pages may stand 6 levels deep.'],
  ['PAGE_PATH_TAKEN', 'Another page has this path.'],
  [
    'PAGE_TOO_LARGE',
    'Base filter, filter groups and metadata of a page may take 16384 bytes of JSON.',
  ],
  ['PAGE_NOT_EMPTY', 'The page has pages below it; remove or move these first.'],
  ['PROPERTY_NOT_FOUND', 'Property key not found'],
  ['PROPERTY_LIMIT', 'The limit of property keys or of their options is reached; remove some.'],
  ['PROPERTY_SLUG_TAKEN', 'Another property key has this slug.'],
  [
    'PROPERTY_OPTION_INVALID',
    'Each option needs a value of its own and, if any, a parent among the options of its key, ' +
      '6 levels at most.',
  ],
  ['MATCH_NOT_FOUND', 'Match not found'],
  ['MATCH_LIMIT', 'The exchange has reached its limit of matches; remove one.'],
  ['MATCH_FIXTURE_TAKEN', 'Another match has this fixtureId.'],
  [
    'MATCH_SCORED',
    'A match that has a score keeps its sportType and its fixtureId; remove it and put it anew.',
  ],
  [
    'MATCH_MARKET_INVALID',
    'A match names markets that trade, each once; of a group, its markets one by one.',
  ],
  ['MATCH_MARKET_TAKEN', 'A market belongs to another match already.'],
  ['SCORE_OF_OTHER_SPORT', 'An event has another sportType than the match of its fixtureId.'],
  ['MARKET_RESOLVED', 'The market is already resolved.'],
  ['MARKET_STATUS', 'The status of the market does not allow that.'],
  ['MARKET_OF_GROUP', 'The market belongs to a group: resolve the group, by its winner.'],
  ['MARKET_NOT_GROUP', 'The market is not a group.'],
  ['WINNER_NOT_IN_GROUP', 'The winner is not a market of this group.'],
  ['MARKET_NOT_RESOLVED', 'The market is not resolved yet.'],
  ['PAYOUT_NOT_POSTED', 'On-chain payout not posted'],
  ['NOTHING_TO_REDEEM', 'The account holds no share of this market.'],
  ['GROUP_TOO_SMALL', 'Only a group of two markets or more converts positions.'],
  ['CONVERSION_INVALID', 'A conversion names one or more markets of one group, each once.'],
  ['CONVERSION_LIMIT', 'The group cannot convert more; split or trade instead.'],
  ['MARKET_NOT_POOL', 'The market has no pool: trade it by orders.'],
  ['POOL_CLOSED', 'The market is closed for trading.'],
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
  ['POOL_QUOTE_INVALID', 'The pool cannot give this amount.'],
  ['POOL_FUNDS_SHORT', 'Insufficient balance: send a smaller amount, or cancel open orders.'],
  ['POOL_AMOUNT_TOO_SMALL', 'The amount is too small for this slippage: it may give no share.'],
  [
    'POOL_SHARES_BEYOND',
    'The pool gives fewer shares than minShares for this, or wants more than maxShares.',
  ],
  ['PROVIDER_LIMIT', 'The pool has reached its limit of providers.'],
  [
    'LIQUIDITY_SHORT',
    'The share of the profile in this pool is smaller; send a smaller amount, or none for all.',
  ],
  ['QUOTE_INVALID', 'The quoteId is not of this caller, these legs and this stake; quote again.'],
  ['QUOTE_USED', 'A pack was made of this quote; a quote is good for one pack. Quote again.'],
  ['QUOTE_EXPIRED', 'The quote has expired; quote again.'],
  [
    'PACK_LIMIT',
    'The profile or its partner has as many packs that are not over as it may have now.',
  ],
  ['PACK_NOT_ELIGIBLE', 'The pack cannot be made; ineligibleReasons names all that is wrong.'],
  ['QUOTE_CHANGED', 'The books moved, and the pack would pay less than its quote; quote again.'],
  ['PACK_NOT_FOUND', 'Pack not found'],
  ['OFFER_NOT_FOUND', 'No such offer, or it is over.'],
  [
    'OFFER_LIMIT',
    'The profile or its partner has as many open offers as it may have now; take one back.',
  ],
  ['OWN_OFFER', 'An offer is accepted by another profile than its maker.'],
  ['STAKE_TOO_LOW', 'The stake is 1000000 raw units or more, and wins something; stake more.'],
  ['STAKE_TOO_HIGH', 'The stake is more than the offer takes.'],
  ['DESTINATION_NOT_ALLOWED', 'The destination is neither an address of the caller nor listed.'],
  ['TOKEN_NOT_COLLATERAL', 'The exchange holds only its collateral token.'],
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
  ['SERIES_EXISTS', 'A series of this symbol and frequency exists.'],
  ['SERIES_NOT_FOUND', 'No such series, or it has ended.'],
  ['NO_ORACLE', 'The market has no oracle.'],
  ['SYMBOL_UNKNOWN', 'No series has this symbol.'],
  ['REPORT_NOT_TIMELY', 'The report is older than 60 seconds or from the future.'],
  ['PAYOUT_INVALID', 'Payout numerators must be two non-negative integers with a positive sum.'],
  ['NO_EMBEDDED_CHAIN', 'Trades are not settled by the embedded chain.'],
  ['TRADE_NOT_WAITING', 'No trade of this id waits for its settlement.'],
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
