import { STATUS_CODES } from 'node:http'
import type { Scope } from '../../engine/domain/command.ts'
import type { Role } from '../../engine/domain/operator.ts'
import { REJECT, Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'

/** What is wrong with one field of a request. */
export interface Issue {
  readonly field: string
  readonly message: string
}

interface Row {
  readonly status: number
  /** Seconds in `Retry-After`. */
  readonly retryAfterSec?: number
  /** The text of `code` where the API uses another word than the name of the refusal. */
  readonly code?: string
  /** Additional fields of its body. */
  readonly extra?: Extra
}

const BAD: Row = { status: 400 }
const UNKNOWN_SPEAKER: Row = { status: 401 }
const NOT_ALLOWED: Row = { status: 403 }
const NOT_FOUND: Row = { status: 404 }
const CONFLICT: Row = { status: 409 }
const NOT_PAYABLE: Row = { status: 422 }
const TOO_EARLY: Row = { status: 425 }
const NOT_NOW: Row = { status: 503, retryAfterSec: 1 }

/** One code for clients, whichever scope is missing. */
function lacks(scope: Scope): Row {
  return { status: 403, code: 'SCOPE_MISSING', extra: { scope } }
}

/** Every refusal needs a row, or this does not compile. */
const ROWS: Readonly<Record<RejectName, Row>> = {
  OVERLOADED: NOT_NOW,
  NOT_READY: NOT_NOW,
  RATE_LIMITED: { status: 429, retryAfterSec: 1 },
  LENGTH_REQUIRED: { status: 411 },
  HOST_INVALID: BAD,
  TARGET_INVALID: BAD,
  HANDSHAKE_VERSION: { status: 426 },
  SOCKET_LIMIT: { status: 429, retryAfterSec: 10 },
  PATH_NOT_FOUND: NOT_FOUND,
  METHOD_NOT_ALLOWED: { status: 405 },
  REGION_BLOCKED: NOT_ALLOWED,
  BODY_TOO_LARGE: { status: 413 },
  BODY_ENCODED: { status: 415 },
  BODY_TIMEOUT: { status: 408 },
  UNAUTHENTICATED: UNKNOWN_SPEAKER,
  COOKIE_REQUIRED: UNKNOWN_SPEAKER,
  COOKIE_AMBIGUOUS: UNKNOWN_SPEAKER,
  SESSION_INVALID: UNKNOWN_SPEAKER,
  API_KEY_INVALID: UNKNOWN_SPEAKER,
  TIMESTAMP_INVALID: UNKNOWN_SPEAKER,
  HMAC_INVALID: UNKNOWN_SPEAKER,
  IDENTITY_INVALID: UNKNOWN_SPEAKER,
  ADMIN_TOKEN_INVALID: UNKNOWN_SPEAKER,
  // POST /auth/login returns 400, not 401, for an invalid proof.
  LOGIN_INVALID: BAD,
  OWN_ADDRESS: BAD,
  ACCOUNT_UNPROVEN: UNKNOWN_SPEAKER,
  SCOPE_MISSING_TRADING: lacks('trading'),
  SCOPE_MISSING_ACCOUNT_CREATION: lacks('account_creation'),
  SCOPE_MISSING_DELEGATED_SIGNING: lacks('delegated_signing'),
  SCOPE_MISSING_WITHDRAWAL: lacks('withdrawal'),
  ROLE_MISSING: NOT_ALLOWED,
  FORBIDDEN: NOT_ALLOWED,
  ORIGIN_NOT_ALLOWED: NOT_ALLOWED,
  NOT_SUB_ACCOUNT: NOT_ALLOWED,
  JSON_CONTENT_TYPE: { status: 415 },
  BODY_MALFORMED: BAD,
  VALIDATION: BAD,
  COMMAND_TOO_LARGE: { status: 413 },
  MARKET_NOT_FOUND: NOT_FOUND,
  SUBSCRIPTION_LIMIT: { status: 429, retryAfterSec: 10 },
  EVENTS_MISSED: CONFLICT,
  PROFILE_NOT_FOUND: NOT_FOUND,
  TOKEN_NOT_IN_MARKET: BAD,
  AMOUNTS_INVALID: BAD,
  PRICE_MISMATCH: BAD,
  TOKEN_REVOKED: UNKNOWN_SPEAKER,
  PROFILE_FROZEN: NOT_ALLOWED,
  POST_ONLY_MODE: { status: 425, code: 'post_only_mode' },
  CANCEL_ONLY_MODE: { status: 425, code: 'cancel_only_mode' },
  TRADING_DISABLED: { status: 425, code: 'trading_disabled' },
  RECV_WINDOW_EXPIRED: TOO_EARLY,
  MARKET_NOT_TRADABLE: BAD,
  ORDER_EXPIRED: BAD,
  OWNER_MISMATCH: BAD,
  SIGNER_MISMATCH: BAD,
  FEE_RATE_UNAVAILABLE: BAD,
  FEE_RATE_MISMATCH: BAD,
  SIGNATURE_INVALID: BAD,
  DUPLICATE_ORDER: CONFLICT,
  DUPLICATE_CLIENT_ORDER_ID: CONFLICT,
  OPEN_SIZE_LIMIT: BAD,
  OPEN_ORDERS_LIMIT: BAD,
  POSITION_LIMIT: BAD,
  AMOUNT_TOO_SMALL: BAD,
  CAPACITY: NOT_NOW,
  PACK_CAPACITY: NOT_NOW,
  INSUFFICIENT_COLLATERAL: BAD,
  INSUFFICIENT_SHARES: BAD,
  POST_ONLY_WOULD_MATCH: BAD,
  ORDER_NOT_FOUND: NOT_FOUND,
  ORDER_FILLED: BAD,
  ORDER_NOT_OPEN: BAD,
  ORDER_RELEASE_IN_PROGRESS: CONFLICT,
  DELAYED_CANCEL_OFF: CONFLICT,
  ORDERS_NOT_FOUND: NOT_FOUND,
  ORDERBOOK_INACTIVE: BAD,
  ORDERBOOK_OF_POOL: BAD,
  HEARTBEAT_CANCELING: CONFLICT,
  TRADING_WINDOW_NOT_FOUND: NOT_FOUND,
  TRADING_WINDOW_LIMIT: BAD,
  FROZEN_LIMIT: BAD,
  FREEZE_CANCELING: CONFLICT,
  OPERATOR_TAKEN: CONFLICT,
  OPERATOR_LIMIT: BAD,
  OPERATOR_ROOT: CONFLICT,
  OPERATOR_NOT_FOUND: NOT_FOUND,
  REGISTRATION_CLOSED: NOT_ALLOWED,
  REGISTRATION_LIMIT: { status: 429, retryAfterSec: 1 },
  PROFILE_LIMIT: NOT_NOW,
  SESSION_LIMIT: NOT_NOW,
  TOKEN_UNKNOWN: BAD,
  TOKEN_LIMIT: BAD,
  SCOPE_NEEDS_TRADING: BAD,
  SCOPE_NOT_ALLOWED: NOT_ALLOWED,
  ACCOUNT_TAKEN: CONFLICT,
  NO_PARTNER: NOT_FOUND,
  PARTNER_REQUIRED: CONFLICT,
  SUB_ACCOUNT_LIMIT: BAD,
  NO_SERVER_WALLET: NOT_ALLOWED,
  ALLOWANCE_MISSING: BAD,
  ALLOWANCE_RETRY_RUNNING: CONFLICT,
  ALLOWANCE_RETRY_TOO_SOON: { status: 429, retryAfterSec: 1 },
  WITHDRAWAL_ADDRESS_LISTED: CONFLICT,
  WITHDRAWAL_ADDRESS_LIMIT: BAD,
  WITHDRAWAL_ADDRESS_UNKNOWN: NOT_FOUND,
  USERNAME_TAKEN: CONFLICT,
  SMART_WALLET_REQUIRED: BAD,
  FOLLOW_OF_SELF: BAD,
  FOLLOW_LIMIT: CONFLICT,
  BOOKMARK_KIND: BAD,
  BOOKMARK_LIMIT: CONFLICT,
  BOOKMARK_NOT_FOUND: NOT_FOUND,
  BOOKMARKS_NOT_SHOWN: NOT_FOUND,
  SOCIAL_CAPACITY: NOT_NOW,
  SOCIAL_CONNECTION_OFF: NOT_FOUND,
  SOCIAL_CODE_INVALID: BAD,
  SOCIAL_NOT_CONNECTED: CONFLICT,
  SLUG_TAKEN: CONFLICT,
  MARKET_LIMIT: NOT_NOW,
  VENUE_LIMIT: BAD,
  CATEGORY_LIMIT: BAD,
  PAGE_NOT_FOUND: NOT_FOUND,
  ACCURACY_OFF: NOT_FOUND,
  PAGE_LIMIT: BAD,
  PAGE_PARENT_INVALID: BAD,
  PAGE_TOO_DEEP: BAD,
  PAGE_PATH_TAKEN: CONFLICT,
  PAGE_TOO_LARGE: BAD,
  PAGE_NOT_EMPTY: CONFLICT,
  PROPERTY_NOT_FOUND: NOT_FOUND,
  PROPERTY_LIMIT: BAD,
  PROPERTY_SLUG_TAKEN: CONFLICT,
  PROPERTY_OPTION_INVALID: BAD,
  MATCH_NOT_FOUND: NOT_FOUND,
  MATCH_LIMIT: BAD,
  MATCH_FIXTURE_TAKEN: CONFLICT,
  MATCH_SCORED: CONFLICT,
  MATCH_MARKET_INVALID: BAD,
  MATCH_MARKET_TAKEN: CONFLICT,
  SCORE_OF_OTHER_SPORT: BAD,
  MARKET_RESOLVED: CONFLICT,
  MARKET_STATUS: CONFLICT,
  MARKET_OF_GROUP: CONFLICT,
  MARKET_NOT_GROUP: BAD,
  WINNER_NOT_IN_GROUP: BAD,
  MARKET_NOT_RESOLVED: BAD,
  PAYOUT_NOT_POSTED: BAD,
  NOTHING_TO_REDEEM: BAD,
  GROUP_TOO_SMALL: BAD,
  CONVERSION_INVALID: BAD,
  CONVERSION_LIMIT: BAD,
  MARKET_NOT_POOL: BAD,
  POOL_CLOSED: CONFLICT,
  POOL_TRADE_RUNNING: CONFLICT,
  POOL_CAPACITY: NOT_NOW,
  APPROVAL_LIMIT: CONFLICT,
  APPROVAL_MISSING: NOT_PAYABLE,
  POOL_QUOTE_INVALID: NOT_PAYABLE,
  POOL_FUNDS_SHORT: NOT_PAYABLE,
  POOL_AMOUNT_TOO_SMALL: NOT_PAYABLE,
  POOL_SHARES_BEYOND: NOT_PAYABLE,
  PROVIDER_LIMIT: CONFLICT,
  LIQUIDITY_SHORT: CONFLICT,
  QUOTE_INVALID: BAD,
  QUOTE_USED: CONFLICT,
  QUOTE_EXPIRED: CONFLICT,
  QUOTE_CHANGED: CONFLICT,
  PACK_NOT_FOUND: NOT_FOUND,
  INTENT_EXPIRED: UNKNOWN_SPEAKER,
  PRICE_DRIFTED: CONFLICT,
  PACK_NOT_ELIGIBLE: NOT_PAYABLE,
  PACK_NOT_WON: CONFLICT,
  PACK_LIMIT: CONFLICT,
  CURATED_NAME_TAKEN: CONFLICT,
  CURATED_LIMIT: BAD,
  OFFER_NOT_FOUND: NOT_FOUND,
  OFFER_LIMIT: CONFLICT,
  OWN_OFFER: CONFLICT,
  STAKE_TOO_LOW: BAD,
  STAKE_TOO_HIGH: BAD,
  DUPLICATE_CALL: CONFLICT,
  IDEMPOTENCY_KEY_TAKEN: CONFLICT,
  CALL_LIMIT: { status: 429, retryAfterSec: 60 },
  SHARES_OWED: CONFLICT,
  NOT_MINED_YET: CONFLICT,
  DESTINATION_NOT_ALLOWED: NOT_ALLOWED,
  TOKEN_NOT_COLLATERAL: BAD,
  SERIES_LIMIT: BAD,
  SERIES_EXISTS: CONFLICT,
  SERIES_NOT_FOUND: NOT_FOUND,
  NO_ORACLE: BAD,
  SYMBOL_UNKNOWN: BAD,
  REPORT_NOT_TIMELY: BAD,
  PAYOUT_INVALID: BAD,
  NO_EMBEDDED_CHAIN: CONFLICT,
  TRADE_NOT_WAITING: CONFLICT,
  FAULT_LIMIT: BAD,
  BALANCE_LIMIT: BAD,
  READ_TIMEOUT: NOT_NOW,
  NOT_COUNTED: { status: 503, retryAfterSec: 60 },
  INTERNAL: { status: 500 },
}

export type Extra = Readonly<Record<string, unknown>>

/** A refusal in wire form, with its body encoded. */
export class Refusal {
  readonly name: RejectName
  readonly status: number
  /** 0 sends no `Retry-After`. */
  readonly retryAfterSec: number
  readonly body: string
  /** The RateLimit headers of the limit that was hit, where the gateway does not know it. */
  readonly limitLines: string

  constructor(name: RejectName, message: unknown, extra: Extra, retrySec = 0, limitLines = '') {
    const row = ROWS[name]
    const error = STATUS_CODES[row.status] ?? 'Error'
    const { status: statusCode, code = name } = row
    const body = { message, error, statusCode, code, ...row.extra, ...extra }
    this.name = name
    this.limitLines = limitLines
    this.status = row.status
    this.retryAfterSec = Math.max(retrySec, row.retryAfterSec ?? 0)
    this.body = JSON.stringify(body)
  }

  /** The same refusal with additional fields. */
  with(extra: Extra): Refusal {
    const { message } = JSON.parse(this.body)
    return new Refusal(this.name, message, extra, this.retryAfterSec, this.limitLines)
  }

  /** The body nested in another reply; its first field replaces `Retry-After`. */
  get innerBody(): string {
    const { retryAfterSec, body } = this
    return retryAfterSec > 0 ? `{"retryAfterSec":${retryAfterSec},${body.slice(1)}` : body
  }
}

const NO_EXTRA: Extra = {}

// A refusal without extras is always the same, so a flood of refusals encodes nothing.
const plain = new Map<Reject, Refusal>()
for (const reject of Object.values(REJECT)) {
  plain.set(reject, new Refusal(reject.name, reject.sentence, NO_EXTRA))
}

/** Builds the reply of a refusal; `extra` fields follow the usual four. */
export function refuse(stated: RejectName | Reject, extra?: Extra, retryAfterSec = 0): Refusal {
  const reject = stated instanceof Reject ? stated : REJECT[stated]
  const known = extra === undefined && retryAfterSec === 0 ? plain.get(reject) : undefined
  if (known !== undefined) return known
  const { name, sentence, shortfall } = reject
  if (shortfall === null) return new Refusal(name, sentence, extra ?? NO_EXTRA, retryAfterSec)
  const { availableRaw, requiredRaw } = shortfall
  const numbers = `Required: ${requiredRaw} raw units; available: ${availableRaw}.`
  const both = { available: String(availableRaw), required: String(requiredRaw), ...extra }
  return new Refusal(name, `${sentence} ${numbers}`, both, retryAfterSec)
}

/** The refusal of a caller that exceeded a rate limit of a route, which these lines describe. */
export function tooOften(retryAfterSec: number, limitLines: string): Refusal {
  const { name, sentence } = REJECT.RATE_LIMITED
  return new Refusal(name, sentence, NO_EXTRA, retryAfterSec, limitLines)
}

/** The view of the result, or the reply of its refusal. */
export function refusedOr<Made, View>(
  made: Made | Reject,
  view: (made: Made) => View,
): View | Refusal {
  return made instanceof Reject ? refuse(made) : view(made)
}

/** Names the required role and the operator's own. */
export function roleMissing(needed: Role, { role }: { readonly role: Role }): Refusal {
  const roles = `This call needs the role ${needed}, and yours is ${role}`
  return refuse('ROLE_MISSING', { message: `${roles}; ask an operator with that role.` })
}

/** A request may have hundreds of faults, and the reply must not grow with it. */
const ISSUES_REPORTED_MAX = 10

/** The field of an issue that concerns the whole input. */
const WHOLE = 'body'

/** A refusal that lists the faults of the request by field; no field is empty. */
export function invalid(...issues: Issue[]): Refusal {
  const reported = issues.slice(0, ISSUES_REPORTED_MAX)
  const left = issues.length - reported.length
  if (left > 0) {
    const message = `${left} more faults are not listed, starting with this one; fix those above`
    reported.push({ field: issues[ISSUES_REPORTED_MAX].field, message })
  }
  const named = reported.map(({ field, message }) => ({
    field: field === '' ? WHOLE : field,
    message,
  }))
  return new Refusal('VALIDATION', named, NO_EXTRA)
}

export function refusalStatus(reject: RejectName): number {
  return ROWS[reject].status
}
