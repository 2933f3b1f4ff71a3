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

export function commaList(shape: string, item: RegExp, wants: string): Kind<readonly string[]> {
  return {
    shape,
    wants,
    read(text) {
      const items = text.split(',').map((each) => each.trim())
      const isGood = items.every((each) => item.test(each))
      return isGood && new Set(items).size === items.length ? items : undefined
    },
  }
}
