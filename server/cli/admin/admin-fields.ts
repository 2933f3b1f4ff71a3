// The words and flags of one line of `outcomex admin`, made from what its route takes.

import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  type MarketSetting,
} from '../../../engine/domain/markets/market-settings.ts'
import type { Word } from '../../command-line.ts'
import { type Given, type Kind, readSetting, type Setting, WrongUse } from '../../settings/flags.ts'
import { onOff } from '../../settings/kinds.ts'
import { flagOf } from '../../settings/setting.ts'
import { isAmount, kindOf } from './admin-kinds.ts'
import type { FieldSchema } from './admin-routes.ts'

export type Values = Readonly<Record<string, unknown>>

/** A word or a flag that fills fields; `names` of them are called like it in refusals. */
interface Filling {
  readonly names: readonly string[]
}

export interface WordField extends Filling {
  readonly words: readonly Word[]
  /** Reads as many words as it has, or all that are left. */
  readonly read: (texts: readonly string[]) => Values
  readonly isMany: boolean
}

export interface FlagField extends Filling {
  readonly row: Setting<unknown>
  readonly read: (given: readonly Given[]) => Values
}

function wordAs<T>({ wants, read }: Kind<T>, text: string): T {
  const value = read(text)
  if (value === undefined) throw new WrongUse(`'${text}' must be ${wants}`)
  return value
}

/** A word of a form of its own. */
export function word<T>(
  names: readonly string[],
  about: string,
  kind: Kind<T>,
  fill: (value: T) => Values,
): WordField {
  return {
    names,
    words: [{ shape: `<${kind.shape}>`, about }],
    read: ([text]) => fill(wordAs(kind, text)),
    isMany: false,
  }
}

/** `least` such words or more, which are the items of the list of that name. */
export function manyWords(
  name: string,
  about: string,
  kind: Kind<unknown>,
  least: number,
): WordField {
  const one = { shape: `<${kind.shape}>`, about: '' }
  const last = { shape: `<${kind.shape}...>`, about }
  return {
    names: [name],
    words: [...Array.from({ length: least - 1 }, () => one), last],
    read: (texts) => ({ [name]: texts.map((text) => wordAs(kind, text)) }),
    isMany: true,
  }
}

/** A flag of a form of its own. */
export function flag<T>(
  names: readonly string[],
  row: Setting<T | undefined>,
  fill: (value: T) => Values,
): FlagField {
  return {
    names,
    row,
    read(given) {
      const value = readSetting(row, given)
      return value === undefined ? {} : fill(value)
    },
  }
}

/** A flag without a value. */
export function switchFlag(name: string, on: unknown, flagName: string, about: string): FlagField {
  return flag([name], flagOf<boolean | undefined>(flagName, onOff, undefined, about), (isOn) => {
    return isOn ? { [name]: on } : {}
  })
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const shapeOf = (name: string) => kebab(name).replaceAll('-', '_').toUpperCase()

const OF_SETTINGS = [...EDITED_SETTINGS, ...FIXED_SETTINGS].flatMap(
  ({ name, flag: short }: MarketSetting) => (short === undefined ? [] : [[name, short] as const]),
)
/** The flags that have a shorter name than that of their field. */
const SHORT: Readonly<Record<string, string>> = {
  assetName: 'asset',
  baseFilter: 'filter',
  esportType: 'game',
  fixtureId: 'fixture',
  parentId: 'parent',
  publicMessage: 'message',
  removeOptions: 'drop',
  slotsAhead: 'ahead',
  slugPrefix: 'prefix',
  sportType: 'sport',
  strikePrice: 'strike',
  tradeEventId: 'trade',
  ...Object.fromEntries(OF_SETTINGS),
}

/** `dailyRewardRaw` is `--daily-reward`, `isMachine` is `--machine`. */
export function flagNameOf(name: string): string {
  return SHORT[name] ?? kebab(name).replace(/^is-/, '').replace(/-raw$/, '')
}

function helpOf({ description = '' }: FieldSchema, kind: Kind<unknown>): string {
  // Documents write null where the line has `none`, and raw units.
  if (!isAmount(kind)) return description.replaceAll(/\bnull\b/g, 'none')
  const [first, ...others] = description.split('; ').map((part) => part.replace(/[.].*$/s, ''))
  const plain = first.replace(/, in raw units/, '').replace(/\braw /i, '')
  const rest = others.filter((part) => !/\d,\d{3}/.test(part))
  const text = [plain[0].toUpperCase() + plain.slice(1), ...rest].join('; ')
  return `${text}. Written in whole units.`
}

/** The word for a field. */
export function wordFor(name: string, schema: FieldSchema): WordField {
  const kind = kindOf(name, schema)
  const shape = schema.enum?.join('|') ?? (isAmount(kind) ? kind.shape : shapeOf(name))
  const about = helpOf(schema, kind)
  return word([name], about, { ...kind, shape }, (value) => ({ [name]: value }))
}

/** The flag for a field; `isRequired` when the line is wrong without it. */
export function flagFor(
  name: string,
  schema: FieldSchema,
  { isRequired, called }: { readonly isRequired: boolean; readonly called?: string | undefined },
): FlagField {
  const kind = kindOf(name, schema)
  const row = {
    ...flagOf<unknown>(called ?? flagNameOf(name), kind, undefined, helpOf(schema, kind)),
    isRequired,
  }
  return flag([name], row, (value) => ({ [name]: value }))
}
