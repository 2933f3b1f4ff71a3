import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_TYPES, type OrderType, SIDE } from '../../../engine/domain/order.ts'
import { flagFields, ORDER_FLAGS, type OrderFlags } from '../../../engine/domain/order-flags.ts'
import { costFloorRaw, SIZE_STEP_RAW } from '../../../engine/domain/units.ts'
import type { Line, Usage } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { flagOf, readSetting, requiredFlag, type Setting, WrongUse } from '../../settings/flags.ts'
import { count, oneOf, onOff, optional, words } from '../../settings/kinds.ts'
import { urlFlag } from '../common-flags.ts'
import { parsePriceTicks, parseUnits } from '../decimals.ts'

// Reads the words of `outcomex order`.

const OUTCOMES = ['yes', 'no'] as const
export type OutcomeWord = (typeof OUTCOMES)[number]

const outcome = optional(oneOf(...OUTCOMES))
const unset = undefined

const FLAGS = {
  as: flagOf('as', count(0, 999), 0, 'Number of the trader in demo.json.'),
  market: requiredFlag('market', words('SLUG', 'the slug of a market'), '', 'Slug of the market.'),
  buy: flagOf('buy', outcome, unset, "Buy SIZE@PRICE, or '$SPEND' at the market."),
  sell: flagOf('sell', outcome, unset, 'Sell SIZE@PRICE, or SIZE at the market.'),
  type: flagOf(
    'type',
    optional(oneOf(...ORDER_TYPES)),
    unset,
    'GTC rests, FAK fills what it can at once, FOK fills whole or not at all.',
  ),
  clientOrderId: flagOf(
    'client-order-id',
    optional(words('ID', 'a text')),
    unset,
    'Your own id for the order.',
  ),
  curl: flagOf('curl', onOff, false, 'Print the request as a curl command; do not send it.'),
  url: urlFlag('url', 'Address of the server; else the one in demo.json.'),
} as const

const ORDER_FLAG_ROWS = ORDER_FLAGS.map(({ name, needs, flag, help }) => {
  return { name, needs, row: flagOf(flag, onOff, false, help) }
})

export const ORDER_USAGE: Usage = {
  flags: [
    ...Object.values(FLAGS),
    ...ORDER_FLAG_ROWS.map(({ row }) => row),
    SETTINGS.data,
    SETTINGS.headerPrefix,
    SETTINGS.domainName,
    SETTINGS.chainId,
  ],
  words: [
    { shape: '<SIZE>', about: "SIZE@PRICE; at the market '$SPEND' to buy and SIZE to sell." },
  ],
  notes: [
    '  outcomex order --as 0 --market SLUG --buy yes 10@0.52    rests until it is matched',
    "  outcomex order --as 1 --market SLUG --buy no '$5'        at the market, all or nothing",
    '  outcomex order --as 2 --market SLUG --sell yes 5         at the market, all or nothing',
  ].join('\n'),
}

/** The two signed amounts and the price that they give. */
export interface OrderTerms {
  readonly orderType: OrderType
  readonly makerAmount: number
  readonly takerAmount: number
  /** 0 for the market form. */
  readonly priceTicks: number
}

export interface OrderLine extends OrderTerms {
  readonly trader: number
  readonly market: string
  readonly side: number
  readonly outcome: OutcomeWord
  /** Those that are set. */
  readonly flags: Partial<OrderFlags>
  readonly clientOrderId: string | undefined
  readonly curl: boolean
  readonly url: string | undefined
  readonly dataDir: string
  readonly headerPrefix: string
  readonly domain: { readonly name: string; readonly chainId: number }
}

const HOW_MUCH =
  "say how much: SIZE@PRICE like 10@0.52, or at the market --buy yes '$5' (in quotes, because " +
  'the shell replaces a bare $5) or --sell yes 5'

function limitTerms(side: number, text: string, orderType: OrderType): OrderTerms {
  const at = text.indexOf('@')
  const sizeRaw = parseUnits(text.slice(0, at))
  const priceTicks = parsePriceTicks(text.slice(at + 1))
  if (sizeRaw === undefined || sizeRaw % SIZE_STEP_RAW !== 0) {
    throw new WrongUse(`The size in '${text}' must be above 0, in steps of 0.001 shares`)
  }
  if (sizeRaw > LIMITS.orderSizeRawMax) {
    throw new WrongUse(`The size in '${text}' must be at most 10000000 shares`)
  }
  if (priceTicks === undefined) {
    throw new WrongUse(`The price in '${text}' must be from 0.001 to 0.999, in steps of 0.001`)
  }
  const costRaw = costFloorRaw(priceTicks, sizeRaw)
  return side === SIDE.BUY
    ? { orderType, makerAmount: costRaw, takerAmount: sizeRaw, priceTicks }
    : { orderType, makerAmount: sizeRaw, takerAmount: costRaw, priceTicks }
}

function marketTerms(side: number, text: string, orderType: OrderType): OrderTerms {
  if (orderType !== 'FOK') {
    throw new WrongUse(`An order without a price is FOK; give ${orderType} a price: SIZE@PRICE`)
  }
  const isSpend = text.startsWith('$')
  const raw = parseUnits(isSpend ? text.slice(1) : text)
  if (raw === undefined || raw > LIMITS.orderSizeRawMax) {
    throw new WrongUse(`'${text}' is no amount; ${HOW_MUCH}`)
  }
  if (side === SIDE.BUY && !isSpend) {
    throw new WrongUse(`A buy at the market names what it spends: '$${text}', in quotes`)
  }
  if (side === SIDE.SELL && isSpend) {
    throw new WrongUse(`A sell at the market names its shares: ${text.slice(1)}, without the $`)
  }
  return { orderType, makerAmount: raw, takerAmount: 1, priceTicks: 0 }
}

/** `10@0.52` is a limit order, `$5` and `5` are market orders (rules §1.5, §1.6). */
export function readTerms(side: number, text: string, type: OrderType | undefined): OrderTerms {
  if (text.includes('@')) return limitTerms(side, text, type ?? 'GTC')
  return marketTerms(side, text, type ?? 'FOK')
}

interface Wanted {
  readonly side: number
  readonly outcome: OutcomeWord
}

function wantedOf({ given }: Line): Wanted {
  const buy = readSetting(FLAGS.buy, given)
  const sell = readSetting(FLAGS.sell, given)
  if (buy !== undefined && sell !== undefined) {
    throw new WrongUse('One order either buys or sells: give --buy or --sell, not both')
  }
  if (buy !== undefined) return { side: SIDE.BUY, outcome: buy }
  if (sell !== undefined) return { side: SIDE.SELL, outcome: sell }
  throw new WrongUse('Say what to trade: --buy yes 10@0.52, or --sell no 10@0.52')
}

function termsOf({ given, words: [text] }: Line, side: number): OrderTerms {
  if (text === '') throw new WrongUse(`An order needs a size; ${HOW_MUCH}`)
  return readTerms(side, text, readSetting(FLAGS.type, given))
}

function flagsOf({ given }: Line, type: OrderType): Partial<OrderFlags> {
  const set = ORDER_FLAG_ROWS.filter(({ row }) => readSetting(row, given))
  for (const { needs, row } of set) {
    if (needs === null || needs === type) continue
    throw new WrongUse(`--${row.flag} is only for ${needs} orders, which have a price, not ${type}`)
  }
  return flagFields(Object.fromEntries(set.map(({ name }) => [name, true])), type)
}

/** What the line orders; a wrong use throws a sentence. */
export function orderLineOf(line: Line): OrderLine {
  const get = <T>(row: Setting<T>) => readSetting(row, line.given)
  const wanted = wantedOf(line)
  const terms = termsOf(line, wanted.side)
  return {
    ...wanted,
    ...terms,
    trader: get(FLAGS.as),
    market: get(FLAGS.market),
    flags: flagsOf(line, terms.orderType),
    clientOrderId: get(FLAGS.clientOrderId),
    curl: get(FLAGS.curl),
    url: get(FLAGS.url),
    dataDir: get(SETTINGS.data),
    headerPrefix: get(SETTINGS.headerPrefix)[0],
    domain: { name: get(SETTINGS.domainName), chainId: get(SETTINGS.chainId) },
  }
}
