import type { Kind } from './flags.ts'
import { words } from './kinds.ts'

// Texts that come from files of variables as often as from a shell: paths, hosts, names, tokens.

const QUOTED = /^(["']).*\1$/s
const CONTROL = /\p{Cc}/u

/**
 * Files of variables (systemd, Docker, Kubernetes) go through no shell: quotes and line ends of
 * Windows stay in the value.
 */
function unshelled(text: string): string | undefined {
  if (QUOTED.test(text)) {
    return 'has quotes around it; remove them, because the value is used as it is'
  }
  if (CONTROL.test(text)) {
    return 'holds a control character; remove it, and look for line ends of Windows in the file'
  }
  if (text.trim() === text || text.trim() === '') return undefined
  return 'begins or ends with a space; remove it, because the value is used as it is'
}

/** Nothing here replaces `~` and variables: a folder of that name would be made. */
function unexpanded(text: string): string | undefined {
  const sign = /^[~$]/.exec(text)?.[0]
  if (sign === undefined) return unshelled(text)
  return `begins with ${sign}; nothing replaces it here, so write the whole path`
}

/** A text without what a shell would have removed. */
export function plain(shape: string, wants: string): Kind<string> {
  return { ...words(shape, wants), whyNot: unshelled }
}

/** A path, without what a shell would have removed or replaced. */
export function path(shape: string, wants: string): Kind<string> {
  return { ...words(shape, wants), whyNot: unexpanded }
}

const HOST = /^[^\s/]+$/

export const host: Kind<string> = {
  ...plain('HOST', 'a host name or address'),
  read: (text) => (HOST.test(text) ? text : undefined),
}
/** Long enough that nobody can guess it with any number of calls. */
const SECRET = /^[\x21-\x7e]{16,256}$/

export const secret: Kind<string> = {
  isSecret: true,
  shape: 'TOKEN',
  wants: '16 to 256 visible ASCII characters without spaces',
  whyNot: (text) => (SECRET.test(text) ? unshelled(text) : undefined),
  read: (text) => (SECRET.test(text) ? text : undefined),
}
