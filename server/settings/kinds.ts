import type { Kind } from './flags.ts'

// The kinds of value that flags, variables and config files hold.

const WHOLE = /^(?:0|[1-9][0-9]{0,15})$/
const SIGNED = /^(?:0|-?[1-9][0-9]{0,15})$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

export function count(min: number, max: number, shape = 'N'): Kind<number> {
  const top = max === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : String(max)
  return {
    shape,
    wants: `a whole number from ${min} to ${top}`,
    read(text) {
      const form = min < 0 ? SIGNED : WHOLE
      const value = form.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

export function oneOf<const T extends string>(...words: readonly T[]): Kind<T> {
  return {
    shape: words.join('|'),
    wants: `one of ${words.join(', ')}`,
    read: (text) => words.find((word) => word === text),
  }
}

/** A word of `words`, else a number. */
export function oneOfOr<const T extends string>(
  numbers: Kind<number>,
  ...words: readonly T[]
): Kind<T | number> {
  return {
    shape: [...words, numbers.shape].join('|'),
    wants: `${words.join(', ')} or ${numbers.wants}`,
    read: (text) => words.find((word) => word === text) ?? numbers.read(text),
  }
}

/** Any text that is not blank; `undefined` is its default where there is none. */
export function words(shape: string, wants: string): Kind<string> {
  return { shape, wants, read: (text) => (text.trim() === '' ? undefined : text) }
}

export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return kind
}

export const onOff: Kind<boolean> = {
  shape: '',
  wants: 'true or false',
  read(text) {
    if (text === 'true' || text === '1') return true
    return text === 'false' || text === '0' ? false : undefined
  },
}

/** Checks the form only; the checksum is checked later, when keccak is loaded. */
export const address: Kind<string> = {
  shape: 'ADDRESS',
  wants: 'an address: 0x and 40 hex digits',
  read: (text) => (ADDRESS.test(text) ? text : undefined),
}

/** The items of a list that a text holds, without the spaces around them. */
export function itemsOf(text: string): string[] {
  return text.split(',').map((each) => each.trim())
}

export function commaList(shape: string, item: RegExp, wants: string): Kind<readonly string[]> {
  return {
    shape,
    wants,
    read(text) {
      const items = itemsOf(text)
      const isGood = items.every((each) => item.test(each))
      return isGood && new Set(items).size === items.length ? items : undefined
    },
  }
}

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

export const file = path('FILE', 'the path of a file')
/** Each of them like the path of one file. */
export const files: Kind<readonly string[]> = {
  shape: 'FILE,FILE',
  wants: 'the paths of files',
  whyNot(text) {
    const ofText = unexpanded(text)
    if (ofText !== undefined) return ofText
    const wrong = itemsOf(text).find((item) => unexpanded(item) !== undefined)
    return wrong === undefined ? undefined : `holds ${wrong}, which ${unexpanded(wrong)}`
  },
  read(text) {
    const items = itemsOf(text)
    return items.includes('') ? undefined : items
  },
}
/** What `sh` runs. */
export const shellCommand = words('COMMAND', 'a command of the shell')

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

// A host and a port to listen on, as one text.

export interface HostPort {
  readonly host: string
  readonly port: number
}

const HOST_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(0|[1-9][0-9]{0,4})$/
const PORT_MAX = 65_535

/** An IPv6 address is in brackets, as in a URL. */
export const hostPort: Kind<HostPort> = {
  shape: 'HOST:PORT',
  wants: 'a host and a port, like 127.0.0.1:9100 or [::1]:9100',
  read(text) {
    const [, address, name, digits] = HOST_PORT.exec(text) ?? []
    const port = Number(digits)
    return port <= PORT_MAX ? { host: address ?? name, port } : undefined
  },
}
