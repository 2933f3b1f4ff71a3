// The named values of the exchange in wire form.
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { means } from './meaning.ts'
import { shownWith } from './printed.ts'
import { integer, pattern } from './scalars.ts'

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
