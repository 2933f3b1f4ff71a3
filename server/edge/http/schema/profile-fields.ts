// The fields of a profile, and the scopes of its API tokens.
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { address } from './fields.ts'
import { means } from './meaning.ts'
import { shownWith } from './printed.ts'
import { nullable, oneOf, pattern, text } from './scalars.ts'
import { lines, SHOWN_INK, SHOWN_VISIBLE, VISIBLE } from './visible-text.ts'

const SPACE = '[ \\t]{0,8}'
/**
 * A username that its owner chooses; it is trimmed later. It has letters of one alphabet, so that
 * nobody can imitate another name. A letter comes first, so no address or @handle is a username.
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
  // Patterns of many languages cannot look ahead.
  return means(
    shownWith(checked, {
      pattern: `^${SHOWN_VISIBLE}*${SHOWN_INK}${SHOWN_VISIBLE}*$`,
      maxLength: most,
    }),
    'Name to show in place of username and account, trimmed.',
  )
}

/** A link that a page may show: https in ASCII, without spaces and quotes. */
export function webAddress() {
  const head = 'https://'
  const rest = LIMITS.profileUrlCharactersMax - head.length
  return pattern(`^${head}[!#-&(-;=?-\\[\\]_a-z~]{1,${rest}}$`, 'https URL.')
}

/** Some lines of text. */
export function biography() {
  return lines(LIMITS.bioCharactersMax)
}

/** What an API token may be made for (rules §12.1). */
export function scope() {
  return oneOf('trading', 'account_creation', 'delegated_signing', 'withdrawal')
}

/** The account of another service that the owner proved. */
export function xHandle() {
  return means(nullable(text()), 'Handle on X that the owner proved; null without one.')
}

export function account() {
  return means(address(), 'Address of the wallet that owns the profile; it never changes.')
}

export function shownUsername() {
  return means(nullable(text()), 'Name that no other profile has; null without one.')
}
