// The named values of the exchange in wire form.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { ORDER_STATUSES, ORDER_TYPES } from '../../../../engine/domain/order.ts'
import { ORDER_GROUP_LIMITS } from '../../../../engine/domain/order-group-limits.ts'
import {
  decimalText,
  integer,
  lines,
  means,
  nullable,
  oneOf,
  pattern,
  SHOWN_INK,
  SHOWN_VISIBLE,
  shownWith,
  text,
  VISIBLE,
} from './scalars.ts'
import { optional } from './schema.ts'

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

export function orderId() {
  return means(pattern(UUID, 'Order id, UUIDv4 text.'), 'The id assigned by the exchange.')
}

export function slug() {
  const most = LIMITS.slugCharactersMax
  const form = `1 to ${most} lower-case letters, digits and dashes, not starting with a dash.`
  return means(
    pattern(`^[a-z0-9][a-z0-9-]{0,${most - 1}}$`, form),
    'Slug of the market: its name in paths and orders, which never changes.',
  )
}

export function address() {
  return pattern('^0x[0-9a-fA-F]{40}$', 'Address, 0x and 40 hex digits.')
}

export function bytes32() {
  return pattern('^0x[0-9a-fA-F]{64}$', '32 bytes, 0x and 64 hex digits.')
}

/** A seq, so it fits a JSON number. */
export function orderGroupId() {
  return means(integer(1, ORDER_GROUP_LIMITS.idMax), 'Id of the order group; it is never reused.')
}

/** Collateral or shares in raw units as a JSON number. */
export function rawAmount(minimum = 0) {
  return integer(minimum)
}

/** An unsigned integer of up to 256 bits as decimal text. */
export function uint256Text() {
  return pattern('^(0|[1-9][0-9]{0,77})$', 'Unsigned integer as decimal text.')
}

export function isoTime() {
  const text = pattern(
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$',
    'Instant, ISO 8601 in UTC.',
  )
  return shownWith(text, { format: 'date-time' })
}

export function profileId() {
  return means(integer(1, 2_147_483_647), 'Id of the profile, starting at 1.')
}

// Names of markets in paths. Any text is allowed: an unknown name is not found.

const name = () => text(LIMITS.slugCharactersMax, 1)

export function addressOrSlug() {
  return means(name(), 'Slug of the market, or address of the pool in any letter case.')
}

export function marketName() {
  return means(name(), 'Slug of the market: its name in paths and orders, which never changes.')
}

// The fields of an order, the same in the calls that place it and in the replies.

export function orderType() {
  return means(
    oneOf(...ORDER_TYPES),
    'GTC rests in the book, FAK fills what it can at once, FOK fills whole or not at all.',
  )
}

export function orderStatus() {
  return means(
    oneOf(...ORDER_STATUSES),
    'LIVE while the order may trade; MATCHED, CANCELED and UNMATCHED are final.',
  )
}

/** The client's id in a reply; a client may have set none. */
export function shownClientOrderId() {
  return means(optional(text()), 'Id that the client assigned to the order; absent without one.')
}

/** The filled amounts of an order, over all of its trades; built by `fillFields`. */
export function shownFills() {
  return {
    filledSize: means(
      uint256Text(),
      'Raw shares that the order traded, before fees; includes trades reversed later.',
    ),
    remainingSize: means(
      uint256Text(),
      'Unfilled raw shares; for a market buy 0, or its raw collateral while it is held.',
    ),
    averagePrice: means(
      nullable(decimalText()),
      'Average price of these shares before fees, up to six decimals; null without a fill.',
    ),
  }
}

// The fields of a profile, and the scopes of its API tokens.

const SPACE = '[ \\t]{0,8}'
/**
 * A username chosen by its owner; it is trimmed later. Its letters are of one alphabet, so that
 * nobody can imitate another name. It starts with a letter, so no address or @handle is a username.
 */
export function username() {
  const rest = LIMITS.usernameCharactersMax - 1
  const name = `[A-Za-z][A-Za-z0-9._-]{0,${rest}}`
  const form = `A letter, then up to ${rest} letters, digits, dots, dashes or _.`
  return pattern(`^${SPACE}${name}${SPACE}$`, form)
}

/** One line that is not blank; it is trimmed later. */
export function displayName() {
  const most = LIMITS.displayNameCharactersMax
  const form = `One line of 1 to ${most} characters, not all of them spaces.`
  const checked = pattern(`^(?=\\s*[^\\s])${VISIBLE}{1,${most}}$`, form)
  // Patterns of many languages have no lookahead.
  return means(
    shownWith(checked, {
      pattern: `^${SHOWN_VISIBLE}*${SHOWN_INK}${SHOWN_VISIBLE}*$`,
      maxLength: most,
    }),
    'Name shown instead of username and account, trimmed.',
  )
}

/** A link that a page may show: https in ASCII, without spaces and quotes. */
export function webAddress() {
  const head = 'https://'
  const rest = LIMITS.profileUrlCharactersMax - head.length
  return pattern(`^${head}[!#-&(-;=?-\\[\\]_a-z~]{1,${rest}}$`, 'https URL.')
}

/** Several lines of text. */
export function biography() {
  return lines(LIMITS.bioCharactersMax)
}

/** The scopes that an API token may have (rules §12.1). */
export function scope() {
  return oneOf('trading', 'account_creation', 'delegated_signing', 'withdrawal')
}

/** The account of another service that its owner verified. */
export function xHandle() {
  return means(nullable(text()), 'Verified handle on X; null without one.')
}

export function account() {
  return means(address(), 'Address of the wallet that owns the profile; permanent.')
}

export function shownUsername() {
  return means(nullable(text()), 'Unique username; null without one.')
}
