import type { Scope } from './command.ts'
import { LIMITS } from './limits.ts'
import { BOUNDARY_WAIT_MS } from './markets/series.ts'
import { PACK_LIMITS } from './packs/pack-limits.ts'
import { SHARE_LIMITS } from './share-limits.ts'
import { SOCIAL_LIMITS } from './social/social-limits.ts'
import { MS_PER_SEC, UNIT_RAW } from './units.ts'

// The makers of the rows of refusals: one for each status that several share.

/** How a refusal is answered over HTTP. */
interface Answer {
  readonly status: number
  /** Seconds in `Retry-After`. */
  readonly retryAfterSec?: number
  /** The text of `code` where the API has another word than the name of the refusal. */
  readonly code?: string
  /** Further fields of its body, the same each time. */
  readonly extra?: Readonly<Record<string, unknown>>
}

interface Row<Field extends string> {
  readonly answer: Answer
  readonly sentence: string
  /** Its own fields of the body; server/edge/http/refusal-schemas.ts has their forms. */
  readonly fields: readonly Field[]
}

function answered(answer: Answer) {
  return <Field extends string = never>(sentence: string, ...fields: Field[]): Row<Field> => {
    return { answer, sentence, fields }
  }
}

const bad = answered({ status: 400 })
const unproven = answered({ status: 401 })
const forbidden = answered({ status: 403 })
const notFound = answered({ status: 404 })
const conflict = answered({ status: 409 })
const notPayable = answered({ status: 422 })
const tooEarly = answered({ status: 425 })
const notNow = answered({ status: 503, retryAfterSec: 1 })

/** One code for clients, whichever scope it is. */
function lacks(scope: Scope): Row<'scope'> {
  const sentence = `This call needs the scope ${scope}; derive a token with it.`
  return answered({ status: 403, code: 'SCOPE_MISSING', extra: { scope } })(sentence, 'scope')
}

// All refusals of the exchange in order of precedence: if several checks fail, the refusal listed
// first is returned (rules §1.8). A row has its status, a sentence that names the problem and the
// remedy, and the names of its own fields. The position in the list, counted from 1, is the number
// of a refusal between threads. Number 0 means no refusal, which is null elsewhere.

const {
  bodyBytesMax,
  optionDepthMax,
  pageContentBytesMax,
  pageDepthMax,
  recordBytesMax,
  settlementFaultsMax,
} = LIMITS
const { followsPerProfileMax, bookmarksPerProfileMax } = SOCIAL_LIMITS
const { curatedMax, stakeMinRaw } = PACK_LIMITS
const { amountRawMin } = SHARE_LIMITS
const skewSec = LIMITS.signatureSkewMs / MS_PER_SEC
const reportSec = BOUNDARY_WAIT_MS / MS_PER_SEC
const sharesMax = LIMITS.orderSizeRawMax / UNIT_RAW

const REJECTS = {
  // Before a request is parsed.
  OVERLOADED: notNow(
    'The exchange is overloaded and did not process the request; retry after the given ' +
      'seconds.',
  ),
  NOT_READY: notNow(
    'The exchange is not ready to trade; retry after the given seconds.',
    'ready',
    'seq',
    'checks',
  ),
  NO_LEADER: notNow(
    'No node of the cluster takes changes at the moment, and nothing happened; retry after the ' +
      'given seconds.',
  ),
  LEADER_SILENT: answered({ status: 504 })(
    'The call was given to the leading node, whose answer was lost: it may have had its effect. ' +
      'Read its outcome first; repeat it only as the retry rules say.',
  ),
  LEADER_ONLY: notNow('Only the node that leads the cluster takes this; open the socket there.'),
  CHAIN_BEHIND: notNow(
    'The exchange does not see the newest blocks of its chain, so it takes only cancels; retry ' +
      'after the given seconds.',
  ),
  SEQ_TIMEOUT: notNow(
    'This node has not reached the seq of X-Min-Seq in time; retry after the given seconds.',
  ),
  RATE_LIMITED: answered({ status: 429, retryAfterSec: 1 })(
    'Too many requests; retry after the given seconds.',
  ),
  LENGTH_REQUIRED: answered({ status: 411 })(
    'A call with Transfer-Encoding is not accepted; send the whole body with Content-Length.',
  ),
  HOST_INVALID: bad(
    'The Host header is missing, repeated or malformed; send it once, with one host name and an ' +
      'optional port.',
  ),
  TARGET_INVALID: bad('The path and the query must not contain a #; write %23 for the character.'),
  HANDSHAKE_VERSION: answered({ status: 426 })(
    'A socket needs a WebSocket handshake of version 13; send the header Sec-WebSocket-Version ' +
      'with 13.',
  ),
  SOCKET_LIMIT: answered({ status: 429, retryAfterSec: 10 })(
    'This caller has reached its limit of open sockets; close some.',
  ),
  PATH_NOT_FOUND: notFound('No such path; GET /openapi.json lists the paths of this exchange.'),
  METHOD_NOT_ALLOWED: answered({ status: 405 })(
    'This path does not support that method; use one of its Allow header.',
  ),
  REGION_BLOCKED: forbidden(
    'Trading is not available in the country of this request; only read from there.',
  ),
  BODY_ENCODED: answered({ status: 415 })(
    'A compressed request body is not accepted; send it uncompressed.',
  ),
  BODY_TOO_LARGE: answered({ status: 413 })(
    `The request body is larger than ${bodyBytesMax} bytes; send less in one call.`,
  ),
  BODY_TIMEOUT: answered({ status: 408 })(
    'The request body did not arrive in time; send it again, without pauses.',
  ),
  // Authentication and permissions.
  UNAUTHENTICATED: unproven(
    'The caller is not authenticated; sign the call with an API token, or log in.',
  ),
  COOKIE_REQUIRED: unproven('The token cookie is required; log in with POST /auth/login.'),
  COOKIE_AMBIGUOUS: unproven(
    'Two different session cookies were sent; clear the cookies of this site and log in ' +
      'again.',
  ),
  SESSION_INVALID: unproven('The session has ended; log in again.'),
  API_KEY_INVALID: unproven('The API key is unknown or revoked; use another API token.'),
  TIMESTAMP_INVALID: unproven(
    `The timestamp header must be an ISO 8601 instant within ${skewSec} seconds of server ` +
      'time; set your clock by GET /time and sign again.',
  ),
  HMAC_INVALID: unproven(
    'The HMAC signature does not match the request; sign the timestamp, the method, the path ' +
      'with its query and the body that you send.',
    'signed',
  ),
  IDENTITY_INVALID: unproven('The identity token is not valid; get a fresh one from its provider.'),
  ADMIN_TOKEN_INVALID: unproven(
    'The admin token is missing or wrong; send Authorization: Bearer with the token of an ' +
      'operator.',
  ),
  // POST /auth/login has 400, not 401, for a bad proof.
  LOGIN_INVALID: bad(
    'The signature does not prove the account with a fresh signing message; sign a new ' +
      'one from GET /auth/signing-message within five minutes.',
  ),
  OWN_ADDRESS: bad('A sub-account needs a separate address; send one that is not your account.'),
  ACCOUNT_UNPROVEN: unproven(
    'The signature does not prove the address of the sub-account; use its key to sign a ' +
      'new text from GET /auth/signing-message?purpose=sub-account within five minutes.',
  ),
  SCOPE_MISSING_TRADING: lacks('trading'),
  SCOPE_MISSING_ACCOUNT_CREATION: lacks('account_creation'),
  SCOPE_MISSING_DELEGATED_SIGNING: lacks('delegated_signing'),
  SCOPE_MISSING_WITHDRAWAL: lacks('withdrawal'),
  ROLE_MISSING: forbidden(
    "The operator's role does not allow this call; use an operator with a higher role.",
  ),
  FORBIDDEN: forbidden(
    'This account may not do that; log in once to get a profile, or use the account that the ' +
      'call is about.',
  ),
  ORIGIN_NOT_ALLOWED: forbidden(
    'A page of another site may not use the session cookie here; use a page of this exchange, or ' +
      'one whose origin the operator allows.',
  ),
  JSON_CONTENT_TYPE: answered({ status: 415 })(
    'A call with a cookie needs the content type application/json; send it.',
  ),
  // The content of the request.
  BODY_MALFORMED: bad('The request body is not valid JSON; send one JSON value in UTF-8.'),
  VALIDATION: bad('The request is not valid; `message` lists each field that is wrong.'),
  NOT_SUB_ACCOUNT: forbidden(
    'The profile is not a sub-account of the caller; choose one from GET ' +
      '/profiles/partner-accounts.',
  ),
  MARKET_NOT_FOUND: notFound(
    'Market not found: no market has this name; GET /markets/active/slugs lists those that ' +
      'trade.',
    'markets',
  ),
  ORDERBOOK_OF_POOL: bad(
    'Market does not support orderbook (AMM market): trade it with POST /amm/buy and ' +
      '/amm/sell.',
  ),
  SUBSCRIPTION_LIMIT: answered({ status: 429, retryAfterSec: 10 })(
    'The sockets of this caller have reached their limit of subscribed markets; unsubscribe from ' +
      'some.',
  ),
  EVENTS_MISSED: conflict(
    'Too many order events were missed to send them again, so only new ones follow. ' +
      'Read GET /markets/:slug/user-orders and POST /orders/status/batch, and subscribe ' +
      'without afterEventId.',
  ),
  PROFILE_NOT_FOUND: notFound('Profile not found: no profile has this id or address; check it.'),
  TOKEN_NOT_IN_MARKET: bad(
    'The order tokenId does not belong to this market; send tokens.yes or tokens.no of the ' +
      'market.',
    'tokens',
  ),
  AMOUNTS_INVALID: bad(
    'The amounts must give a price on the 0.001 tick and a size in steps of 0.001 share, ' +
      `${sharesMax} shares at most; correct the amounts by \`rule\`.`,
    'rule',
    'impliedPrice',
    'nearestPrices',
  ),
  PRICE_MISMATCH: bad(
    'Price does not match amounts; send the price that they give, or none.',
    'impliedPrice',
  ),
  NO_SERVER_WALLET: forbidden(
    'The sub-account has no server wallet: it signs its orders and moves its money itself.',
  ),
  ALLOWANCE_MISSING: bad(
    "The server wallet has not approved the market's exchange; retry its allowances.",
  ),
  // The sequencer's gates.
  TOKEN_REVOKED: unproven('The API token was revoked; use another.'),
  DUPLICATE_CALL: conflict('This signed call was made before; sign a fresh one to make it again.'),
  IDEMPOTENCY_KEY_TAKEN: conflict(
    'This idempotencyKey was used with another body before; use a new key.',
  ),
  PROFILE_FROZEN: forbidden(
    'The profile is frozen and may only cancel and read; ask the operator why.',
  ),
  CALL_LIMIT: answered({ status: 429, retryAfterSec: 60 })(
    'The profile or its partner has reached its limit of remembered calls; retry after ' +
      'the given seconds. A call with an idempotencyKey is remembered for a day.',
  ),
  POST_ONLY_MODE: answered({ status: 425, code: 'post_only_mode' })(
    'Only post-only orders and cancels are accepted now; wait until `resumeAt`.',
    'mode',
    'resumeAt',
  ),
  CANCEL_ONLY_MODE: answered({ status: 425, code: 'cancel_only_mode' })(
    'Only cancels are accepted now; wait until `resumeAt`.',
    'mode',
    'resumeAt',
  ),
  TRADING_DISABLED: answered({ status: 425, code: 'trading_disabled' })(
    'Trading is disabled; wait until `resumeAt`.',
    'mode',
    'resumeAt',
  ),
  RECV_WINDOW_EXPIRED: tooEarly(
    'The order is older than its receive window, or from the future; stamp and sign a fresh one.',
  ),
  MARKET_NOT_TRADABLE: bad(
    'Market is not active: it is locked, resolved or ended; trade in another.',
  ),
  ORDER_EXPIRED: bad('The order expiration has passed; sign a later one, in Unix seconds.'),
  OWNER_MISMATCH: bad(
    'Profile ID does not match the order owner; send ownerId and maker of the profile that ' +
      'signs.',
  ),
  SIGNER_MISMATCH: bad('Signer does not match authenticated profile account; send that as signer.'),
  FEE_RATE_UNAVAILABLE: bad(
    'The profile has no rank and cannot place orders on fee-enabled markets; ask the operator ' +
      'for a rank.',
  ),
  FEE_RATE_MISMATCH: bad(
    'The signed feeRateBps is not the effective rate of the order owner; sign ' +
      '`expectedFeeRateBps`.',
    'expectedFeeRateBps',
  ),
  SIGNATURE_INVALID: bad(
    'Invalid signature: it does not recover to the signer for this market; sign with ' +
      'the `domain` of this reply.',
    'domain',
    'signedDomain',
    'recoveredSigner',
  ),
  DUPLICATE_ORDER: conflict(
    'This signed order was accepted before, as orderId. Sign a new salt only for ' +
      'another order; POST /orders?replay=true returns the first reply again.',
    'orderId',
    'orderStatus',
  ),
  DUPLICATE_CLIENT_ORDER_ID: conflict(
    'An order with this clientOrderId was accepted before, as orderId. Use another one ' +
      'only for another order; POST /orders?replay=true returns the first reply again.',
    'orderId',
    'orderStatus',
  ),
  ORDER_GROUP_NOT_FOUND: notFound(
    'Order group not found: the profile has no group with this id; GET /order-groups lists them.',
  ),
  ORDER_GROUP_CLOSED: conflict(
    'The order group is closed, because its orders filled too much; reset it, or name another.',
  ),
  ORDER_GROUP_FULL: bad(
    'The order group has as many live orders as it may have; cancel one, or name another group.',
  ),
  OPEN_SIZE_LIMIT: bad(
    'The profile, or its partner with all sub-accounts, has reached its share of the open size ' +
      'of this market, which shrinks as the market fills; cancel some.',
  ),
  OPEN_ORDERS_LIMIT: bad(
    'The profile, or its partner with all sub-accounts, has reached its share of open orders, ' +
      'which shrinks as the exchange fills; cancel some.',
  ),
  POSITION_LIMIT: bad(
    'The profile, or its partner with all sub-accounts, has reached its share of positions, ' +
      'which shrinks as the exchange fills; sell, merge or redeem some.',
  ),
  AMOUNT_TOO_SMALL: bad(
    'At this number of open orders or positions, a new one must reserve or take at least ' +
      `${amountRawMin} raw units; send a larger amount, or close some.`,
  ),
  CAPACITY: notNow(
    'The exchange has reached its limit of open orders or positions; cancel some or retry later.',
  ),
  PACK_CAPACITY: notNow('The exchange has reached its limit of packs or pack offers; retry later.'),
  INSUFFICIENT_COLLATERAL: bad(
    'Insufficient collateral balance: send a smaller amount, cancel open orders or deposit more.',
    'available',
    'required',
  ),
  INSUFFICIENT_SHARES: bad(
    'Insufficient outcome token balance: send a smaller amount, or cancel open sales.',
    'available',
    'required',
  ),
  ALLOWANCE_TOO_SMALL: bad(
    'The exchange contract may not move so much collateral of the wallet: call approve of the ' +
      'collateral token for it, and retry when the chain confirms it.',
    'available',
    'required',
  ),
  SHARES_NOT_APPROVED: bad(
    'The exchange contract may not move shares of the wallet: call setApprovalForAll of the ' +
      'conditional tokens for it, and retry when the chain confirms it.',
  ),
  // The book.
  POST_ONLY_WOULD_MATCH: bad(
    'Post only order would match immediately; quote further away, or send it without postOnly.',
  ),
  // Cancels, accounts, markets.
  ORDER_NOT_FOUND: notFound('Order not found: no order of the profile has this id; check both.'),
  ORDER_FILLED: bad('Order is filled: nothing of it is left to cancel; read its status.'),
  ORDER_NOT_OPEN: bad('Order not found or already canceled; read its status.'),
  ORDER_NOT_RESTING: bad(
    'The order has no place in the queue: its taker delay holds it, or it has ended since.',
  ),
  AMEND_NOT_RESTING: bad(
    'Only a limit order of type GTC can be amended; cancel this one and place another.',
  ),
  AMEND_NOT_SMALLER: bad(
    'The order has no more open than remainingSize; to raise the size, send a signed replacement.',
  ),
  AMEND_IN_PROGRESS: conflict(
    'An earlier amend of this order has no result yet; send this one again.',
  ),
  AMEND_DIFFERS: bad(
    'A replacement must be a GTC order in the market, for the token and on the side of the order ' +
      'that it replaces; use POST /orders/cancel-replace for any other.',
  ),
  ORDER_RELEASE_IN_PROGRESS: conflict(
    'Cancellation not confirmed: the order is entering its market after its delay; send the ' +
      'cancel again.',
    'reason',
    'retryable',
  ),
  DELAYED_CANCEL_OFF: conflict(
    'This market does not cancel orders held by its taker delay; cancel the rest of the ' +
      'order after the delay.',
  ),
  ORDERS_NOT_FOUND: notFound('Orders not found or already canceled; read their status.'),
  ORDERBOOK_INACTIVE: bad('Market is not active: it has no book now; read its trades instead.'),
  HEARTBEAT_CANCELING: conflict(
    'The heartbeat deadline has passed, and its cancels cannot be stopped; retry when ' +
      'they are done.',
  ),
  ORDER_GROUP_CANCELING: conflict(
    'The cancels of the order group are under way; retry when they are done.',
  ),
  ORDER_GROUP_LIMIT: bad(
    'The profile or its partner has reached its current limit of order groups; remove one.',
  ),
  TRADING_WINDOW_NOT_FOUND: notFound(
    'No such trading window, or it has ended; GET /admin/trading-modes lists the ' +
      'current ones.',
  ),
  TRADING_WINDOW_LIMIT: bad('The limit of trading windows is reached; end one.'),
  FROZEN_LIMIT: bad('The limit of frozen profiles is reached; end the freeze of some.'),
  FREEZE_CANCELING: conflict('The cancels of the freeze are under way; retry when they are done.'),
  OPERATOR_TAKEN: conflict('An operator with this name exists; choose another name.'),
  OPERATOR_LIMIT: bad('The limit of operators is reached; remove one.'),
  OPERATOR_ROOT: conflict(
    'The first operator cannot be removed; a start with --admin-token changes its token.',
  ),
  NOT_A_CLUSTER: notFound(
    'This exchange has one node; nodes of a cluster are started with --journal and a URL.',
  ),
  NODE_NOT_FOUND: notFound('No node has this name; GET /admin/cluster lists them.'),
  COPY_NOT_FOUND: notFound('This node has no such file to copy; GET /admin/cluster/copy first.'),
  COPY_FAILED: answered({ status: 503, retryAfterSec: 60 })(
    'The data folder cannot be copied; free space in the folder for temporary files, then retry.',
  ),
  NO_OTHER_NODE: conflict(
    'No other node has reported itself lately, so nobody would lead; start another node first.',
  ),
  OPERATOR_NOT_FOUND: notFound('No operator has this name; GET /admin/operators lists them.'),
  REGISTRATION_CLOSED: forbidden(
    'Registration is closed: only the operator creates profiles; request one for this ' +
      'account.',
  ),
  REGISTRATION_LIMIT: answered({ status: 429, retryAfterSec: 1 })(
    'This address, its network or the exchange has reached its limit of new profiles for today; ' +
      'retry tomorrow (UTC), or ask the operator for a profile.',
  ),
  PROFILE_LIMIT: notNow('The exchange has reached its limit of profiles; ask the operator.'),
  SESSION_LIMIT: notNow('The exchange has reached its limit of sessions; retry later.'),
  TOKEN_UNKNOWN: bad(
    'The API token is unknown or already revoked; GET /auth/api-tokens lists yours.',
  ),
  TOKEN_LIMIT: bad(
    'The profile or its partner has reached its current limit of API tokens; revoke one.',
  ),
  SCOPE_NEEDS_TRADING: bad(
    'The scope delegated_signing requires the scope trading too; request both.',
  ),
  SCOPE_NOT_ALLOWED: forbidden(
    'A requested scope is not allowed for this profile; GET ' +
      '/auth/api-tokens/capabilities lists the allowed ones.',
  ),
  ACCOUNT_TAKEN: conflict('The address has a profile already; use another address.'),
  NO_PARTNER: notFound('The profile has no partner to leave.'),
  PARTNER_REQUIRED: conflict(
    'The exchange keeps the wallet of this sub-account, and only its partner acts for it, so it ' +
      'cannot leave the partner.',
  ),
  SUB_ACCOUNT_LIMIT: bad('The partner has reached its limit of sub-accounts; use one of them.'),
  ALLOWANCE_RETRY_RUNNING: conflict(
    'Another retry of these allowances is running; read them again when it is done.',
  ),
  ALLOWANCE_RETRY_TOO_SOON: answered({ status: 429, retryAfterSec: 1 })(
    'The allowances were retried just now; retry later.',
  ),
  WITHDRAWAL_ADDRESS_LISTED: conflict('The address is already listed; withdraw to it.'),
  WITHDRAWAL_ADDRESS_LIMIT: bad(
    'The profile or its partner has reached its current limit of listed addresses; ' +
      'remove one.',
  ),
  WITHDRAWAL_ADDRESS_UNKNOWN: notFound('The address is not listed; choose a listed one.'),
  USERNAME_TAKEN: conflict('The username is taken; choose another.'),
  SMART_WALLET_REQUIRED: bad(
    'A smartWallet is required for this client or trade wallet; prove one at login, or ' +
      'use the client eoa.',
  ),
  FOLLOW_OF_SELF: bad('A profile cannot follow itself.'),
  FOLLOW_LIMIT: conflict(
    `The profile has reached its current limit of follows, at most ${followsPerProfileMax}; ` +
      'unfollow one.',
  ),
  BOOKMARK_KIND: bad('The target has another kind; send its own kind.'),
  BOOKMARK_LIMIT: conflict(
    'The profile has reached its current limit of bookmarks, at most ' +
      `${bookmarksPerProfileMax}; remove one.`,
  ),
  BOOKMARK_NOT_FOUND: notFound(
    'The caller has no bookmark with this id; see GET /market-bookmarks/me.',
  ),
  BOOKMARKS_NOT_SHOWN: notFound('The bookmarks of this account are not public; read your own.'),
  SOCIAL_CAPACITY: notNow('The exchange cannot keep more follows or bookmarks; retry later.'),
  SOCIAL_CONNECTION_OFF: notFound('This exchange does not connect accounts of other services.'),
  SOCIAL_CODE_INVALID: bad(
    'The code does not prove an account; get a fresh one from the other service.',
  ),
  SOCIAL_NOT_CONNECTED: conflict('The profile has no connected account; connect one first.'),
  SLUG_TAKEN: conflict('A market with this slug exists; choose another slug.'),
  MARKET_LIMIT: notNow('The exchange has reached its limit of markets; resolve some.'),
  VENUE_LIMIT: bad(
    'The markets have reached their limit of exchange and adapter addresses; use a known one.',
  ),
  CATEGORY_LIMIT: bad('The markets have reached their limit of category names; use a known one.'),
  PAGE_NOT_FOUND: notFound('Market page not found: no page has this id or path; check it.'),
  ACCURACY_OFF: notFound('This exchange does not publish how often accounts were right.'),
  PAGE_LIMIT: bad('The exchange has reached its limit of market pages; remove one.'),
  PAGE_PARENT_INVALID: bad('The parent is this page or a page below it; choose another one.'),
  PAGE_TOO_DEEP: bad(
    `Pages may be nested at most ${pageDepthMax} levels deep; choose a higher parent.`,
  ),
  PAGE_PATH_TAKEN: conflict('Another page has this path; choose another slug or parent.'),
  PAGE_TOO_LARGE: bad(
    'Base filter, filter groups and metadata of a page are limited to ' +
      `${pageContentBytesMax} bytes of JSON; send less.`,
  ),
  PAGE_NOT_EMPTY: conflict('The page has pages below it; remove or move these first.'),
  PROPERTY_NOT_FOUND: notFound('Property key not found: no key has this id or slug; check it.'),
  PROPERTY_LIMIT: bad('The limit of property keys or of their options is reached; remove some.'),
  PROPERTY_SLUG_TAKEN: conflict('Another property key has this slug; choose another.'),
  PROPERTY_OPTION_INVALID: bad(
    'An option repeats a value, has a parent outside its key, or is more than ' +
      `${optionDepthMax} levels deep; use distinct values and parents of the same key.`,
  ),
  MATCH_NOT_FOUND: notFound(
    'Match not found: no match has this id; GET /sports/events lists them.',
  ),
  MATCH_LIMIT: bad('The exchange has reached its limit of matches; remove one.'),
  MATCH_FIXTURE_TAKEN: conflict(
    'Another match has this fixtureId; change that match, or use another.',
  ),
  MATCH_SCORED: conflict(
    'A match with a score cannot change its sportType or fixtureId; remove it and ' +
      'create it again.',
  ),
  MATCH_MARKET_INVALID: bad(
    'A match lists trading markets, each once; list the markets of a group one by one.',
  ),
  MATCH_MARKET_TAKEN: conflict(
    'A market belongs to another match already; remove it from that one.',
  ),
  SCORE_OF_OTHER_SPORT: bad(
    'The sportType of an event differs from the match of its fixtureId; send the ' +
      'sportType of the match.',
  ),
  MARKET_RESOLVED: conflict('The market is already resolved; redeem its shares instead.'),
  MARKET_STATUS: conflict('The status of the market does not allow that; read the market again.'),
  MARKET_OF_GROUP: conflict('The market belongs to a group: resolve the group with its winner.'),
  MARKET_NOT_GROUP: bad('The market is not a group; send the slug of a group.'),
  WINNER_NOT_IN_GROUP: bad('The winner is not a market of this group; choose one of its markets.'),
  MARKET_NOT_RESOLVED: bad('The market is not resolved yet; redeem when it is.'),
  PAYOUT_NOT_POSTED: bad('On-chain payout not posted; retry after the next block.'),
  NOTHING_TO_REDEEM: bad('The account has no shares of this market; see GET /portfolio/positions.'),
  GROUP_TOO_SMALL: bad('Only a group of two markets or more converts positions; merge instead.'),
  CONVERSION_INVALID: bad('A conversion lists markets of one group, each once; correct the list.'),
  CONVERSION_LIMIT: bad('The group cannot convert more; split or trade instead.'),
  MARKET_NOT_POOL: bad('The market has no pool: trade it with orders.'),
  POOL_CLOSED: conflict('The market is closed for trading; redeem its shares when it is resolved.'),
  POOL_TRADE_RUNNING: conflict(
    'The last trade of this account with this pool is not in a block yet; retry shortly.',
  ),
  POOL_CAPACITY: notNow(
    'The exchange has reached its limit of pool approvals or trades; retry later.',
  ),
  APPROVAL_LIMIT: conflict(
    'The profile or its partner has reached its current limit of pool approvals; they ' +
      'end with their markets.',
  ),
  APPROVAL_MISSING: notPayable(
    'The account has not approved this; call /amm/allowances/approve first.',
  ),
  POOL_QUOTE_INVALID: notPayable('The pool cannot fill this amount; send a smaller one.'),
  POOL_FUNDS_SHORT: notPayable(
    'Insufficient balance: send a smaller amount, or cancel open orders.',
    'available',
    'required',
  ),
  POOL_AMOUNT_TOO_SMALL: notPayable(
    'The amount is too small for this slippage and may yield no shares; send a larger ' + 'one.',
  ),
  POOL_SHARES_BEYOND: notPayable(
    'The pool would give fewer shares than minShares, or take more than maxShares; read ' +
      'the price again and change the limit.',
  ),
  PROVIDER_LIMIT: conflict(
    'The pool has reached its limit of providers; only existing providers can add.',
  ),
  LIQUIDITY_SHORT: conflict(
    'The share of the profile in this pool is smaller; send a smaller amount, or none for all.',
    'available',
    'required',
  ),
  QUOTE_INVALID: bad(
    'The quoteId does not match this caller, these legs and this stake; quote again.',
  ),
  QUOTE_USED: conflict('A pack was already created from this quote; quote again.'),
  QUOTE_EXPIRED: conflict('The quote has expired; quote again.'),
  PACK_NOT_FOUND: notFound(
    'Pack not found: no pack of the caller or of the list has this id; check it.',
  ),
  INTENT_EXPIRED: unproven('Intent expired — please retry'),
  PACK_LIMIT: conflict(
    'The profile or its partner is at its limit of open packs; wait until some have ' + 'ended.',
  ),
  PACK_NOT_ELIGIBLE: notPayable(
    'The pack cannot be created; `ineligibleReasons` lists all reasons.',
  ),
  QUOTE_CHANGED: conflict(
    'The books moved, and the pack would pay less than its quote; quote again.',
  ),
  PRICE_DRIFTED: conflict(
    'At current prices the pack would pay payoutAmount, which is less than ' +
      'minPayoutAmount. Quote it again, and buy with a new idempotencyKey.',
  ),
  PACK_NOT_WON: conflict(
    'Only a pack that has won can be claimed. Read its status; a lost pack pays nothing.',
  ),
  CURATED_NAME_TAKEN: conflict('Another pack of the list has this name; choose another name.'),
  CURATED_LIMIT: bad(`The list has reached its limit of ${curatedMax} packs; remove one first.`),
  OFFER_NOT_FOUND: notFound('No such offer, or it has ended; list the open ones again.'),
  OFFER_LIMIT: conflict(
    'The profile or its partner has reached its current limit of open offers; withdraw ' + 'one.',
  ),
  OWN_OFFER: conflict(
    'A maker cannot accept its own offer; withdraw it, or accept as another profile.',
  ),
  STAKE_TOO_LOW: bad(`The stake is below ${stakeMinRaw} raw units, or wins nothing; stake more.`),
  STAKE_TOO_HIGH: bad('The stake exceeds the limit of the offer; stake at most its stakeMax.'),
  HELD_BY_WALLETS: conflict(
    'On this exchange funds are in wallets on the chain: call the contracts with the wallet, and ' +
      'the balance follows when the chain confirms it.',
  ),
  WALLET_BUSY: answered({ status: 429, retryAfterSec: 10 })(
    'The server wallet, or its partner with all of its wallets, has as many moves as may wait ' +
      'for the chain; retry after the given seconds.',
  ),
  WALLET_IN_USE: conflict(
    'On this exchange funds are in wallets on the chain, and the wallet of the profile holds ' +
      'some: move them out before it gets another wallet.',
  ),
  DESTINATION_NOT_ALLOWED: forbidden(
    'The destination is neither an address of the caller nor listed; list it first with ' +
      'POST /portfolio/withdrawal-addresses.',
  ),
  TOKEN_NOT_COLLATERAL: bad('The exchange holds only its collateral token; omit the token.'),
  SHARES_OWED: conflict(
    'A failed trade made shares negative, and each of them blocks one unit: buy them ' +
      'back, or wait for the payout of their market.',
  ),
  NOT_MINED_YET: conflict(
    'Part of this collateral comes from trades that are not in a block yet. Withdraw at ' +
      'most `withdrawable` of GET /portfolio/balance now, and the rest when these trades ' +
      'are MINED.',
    'available',
    'required',
  ),
  SHARES_NOT_MINED: conflict(
    'Trades of the server wallet are in no block yet, and these shares may be theirs; retry when ' +
      'they are MINED.',
  ),
  SERIES_LIMIT: bad('The exchange has reached its limit of series; end one.'),
  SERIES_EXISTS: conflict('A series of this symbol and frequency exists; change that one.'),
  SERIES_NOT_FOUND: notFound(
    'No such series, or it has ended; GET /admin/series lists the active ones.',
  ),
  NO_ORACLE: bad('The market has no oracle; read a market of a series.'),
  SYMBOL_UNKNOWN: bad('No series has this symbol; use the ticker of a series.'),
  REPORT_NOT_TIMELY: bad(
    `The report is older than ${reportSec} seconds or in the future; send a fresh one.`,
  ),
  PAYOUT_INVALID: bad(
    'Payout numerators are two integers from 0 with a sum above 0; correct them.',
  ),
  NO_EMBEDDED_CHAIN: conflict(
    'Trades are not settled by the embedded chain; start the exchange with it to set faults.',
  ),
  TRADE_NOT_WAITING: conflict(
    'No trade with this id is waiting for settlement; choose one that is MATCHED.',
  ),
  FAULT_LIMIT: bad(
    `At most ${settlementFaultsMax} settlement faults can be set at a time; wait until blocks ` +
      'have used some of them.',
  ),
  BALANCE_LIMIT: bad(
    'Deposits less withdrawals of the whole exchange cannot exceed 2^51 raw units; ' +
      'credit less.',
  ),
  COMMAND_TOO_LARGE: answered({ status: 413 })(
    `The call needs a journal record above the limit of ${recordBytesMax} bytes; send less ` +
      'text or fewer items in one call.',
  ),
  READ_TIMEOUT: notNow('The read tables are behind; retry after the given seconds.'),
  CHAIN_SILENT: notNow(
    'The chain has not answered since the start, so the contracts of groups are unknown; retry ' +
      'when GET /admin/settlement shows no trouble.',
  ),
  NOT_COUNTED: answered({ status: 503, retryAfterSec: 60 })(
    'The obligations are not counted yet; retry after the given seconds.',
  ),
  // A fault of the exchange comes after every refusal.
  INTERNAL: answered({ status: 500 })(
    'The exchange could not answer this call; report its faultId to the operator.',
  ),
} as const

export type RejectName = keyof typeof REJECTS
/** The names of the own fields of a refusal. */
export type RejectField<Name extends RejectName> = (typeof REJECTS)[Name]['fields'][number]

/** The two numbers of a balance that does not suffice, in raw units. */
interface Shortfall {
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
  readonly answer: Answer
  readonly sentence: string
  readonly shortfall: Shortfall | null

  constructor(
    number: number,
    name: RejectName,
    answer: Answer,
    sentence: string,
    shortfall: Shortfall | null = null,
  ) {
    this.number = number
    this.name = name
    this.answer = answer
    this.sentence = sentence
    this.shortfall = shortfall
    Object.freeze(this)
  }

  /** This refusal with the numbers that the gate compared. */
  short(availableRaw: number, requiredRaw: number): Reject {
    const { number, name, answer, sentence } = this
    return new Reject(number, name, answer, sentence, { availableRaw, requiredRaw })
  }
}

function byName(): Readonly<Record<RejectName, Reject>> {
  const rows = Object.entries(REJECTS) as [RejectName, Row<string>][]
  const rejects = rows.map(([name, { answer, sentence }], index) => {
    return [name, new Reject(index + 1, name, answer, sentence)]
  })
  return Object.fromEntries(rejects) as Record<RejectName, Reject>
}

export const REJECT = byName()

const BY_NUMBER: readonly (Reject | null)[] = [null, ...Object.values(REJECT)]

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
