// The fields of a profile, and the scopes of its API tokens.
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { address } from './fields.ts'
import { means } from './meaning.ts'
import { shownWith } from './printed.ts'
import { nullable, oneOf, pattern, text } from './scalars.ts'
import { lines, SHOWN_INK, SHOWN_VISIBLE, VISIBLE } from './visible-text.ts'

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
