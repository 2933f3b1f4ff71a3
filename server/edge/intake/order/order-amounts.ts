import { LIMITS } from '../../../../engine/domain/limits.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { PRICE_ONE_TICKS, SIZE_STEP_RAW } from '../../../../engine/domain/units.ts'
import type { Extra } from '../../../messages/refusal.ts'

// Price and size from the two signed amounts (rules §1.4 to §1.6).

/** Filled by `readAmounts`; one object serves every order. */
interface Amounts {
  marketForm: boolean
  /** 0 for the market form. */
  priceTicks: number
  sizeRaw: number
  spendRaw: number
}

export function blankAmounts(): Amounts {
  return { marketForm: false, priceTicks: 0, sizeRaw: 0, spendRaw: 0 }
}

export interface GivenAmounts {
  readonly side: number
  readonly isFok: boolean
  readonly makerAmount: number
  readonly takerAmount: number
  readonly price: number | undefined
}

/** A client's price may have a floating-point error, but never another tick. */
const PRICE_NOISE = 1e-9

function isAmount(raw: number): boolean {
  return raw >= 1 && raw <= LIMITS.orderSizeRawMax
}

/** Null, or AMOUNTS_INVALID or PRICE_MISMATCH. */
export function readAmounts(given: GivenAmounts, amounts: Amounts): Reject | null {
  const { makerAmount, takerAmount } = given
  const isBuy = given.side === SIDE.BUY
  if (given.isFok && takerAmount === 1) {
    if (!isAmount(makerAmount)) return REJECT.AMOUNTS_INVALID
    amounts.marketForm = true
    amounts.priceTicks = 0
    amounts.sizeRaw = isBuy ? 0 : makerAmount
    amounts.spendRaw = isBuy ? makerAmount : 0
    return given.price === undefined ? null : REJECT.PRICE_MISMATCH
  }
  const sizeRaw = isBuy ? takerAmount : makerAmount
  const costRaw = isBuy ? makerAmount : takerAmount
  if (!isAmount(sizeRaw) || sizeRaw % SIZE_STEP_RAW !== 0) return REJECT.AMOUNTS_INVALID
  // On aligned sizes, ceil and floor of rules §1.5 agree: the cost is exactly ticks times steps.
  const steps = sizeRaw / SIZE_STEP_RAW
  if (costRaw % steps !== 0) return REJECT.AMOUNTS_INVALID
  const priceTicks = costRaw / steps
  if (priceTicks < 1 || priceTicks >= PRICE_ONE_TICKS) return REJECT.AMOUNTS_INVALID
  amounts.marketForm = false
  amounts.priceTicks = priceTicks
  amounts.sizeRaw = sizeRaw
  amounts.spendRaw = 0
  if (given.price === undefined) return null
  const isSame = Math.abs(given.price - priceTicks / PRICE_ONE_TICKS) <= PRICE_NOISE
  return isSame ? null : REJECT.PRICE_MISMATCH
}

// The fields of AMOUNTS_INVALID and PRICE_MISMATCH: the rule that the amounts violate, the implied
// price, and valid amounts. Only a refusal pays for this.

/** Digits of a price: the largest size at the finest price has fewer. */
const PRICE_DIGITS = 15
const TICK_MAX = PRICE_ONE_TICKS - 1
const SIZE_MAX = LIMITS.orderSizeRawMax

/** Collateral per share, rounded down, as decimal text; null without shares. */
function priceText(costRaw: number, sizeRaw: number): string | null {
  if (sizeRaw === 0) return null
  const scale = 10n ** BigInt(PRICE_DIGITS)
  const scaled = (BigInt(costRaw) * scale) / BigInt(sizeRaw)
  const fraction = String(scaled % scale).padStart(PRICE_DIGITS, '0')
  return `${scaled / scale}.${fraction}`.replace(/\.?0+$/, '')
}

/** The whole ticks at and around a price: one if the price is a tick or outside the valid range. */
function nearestTicks(costRaw: number, sizeRaw: number): number[] {
  if (sizeRaw === 0) return []
  const scaledRaw = BigInt(costRaw) * BigInt(PRICE_ONE_TICKS)
  const below = Number(scaledRaw / BigInt(sizeRaw))
  const above = scaledRaw % BigInt(sizeRaw) === 0n ? below : below + 1
  const inRange = (ticks: number) => Math.min(Math.max(ticks, 1), TICK_MAX)
  return [...new Set([inRange(below), inRange(above)])]
}

function tickText(ticks: number): string {
  return String(ticks / PRICE_ONE_TICKS)
}

function sizeAdvice(sizeRaw: number, isBuy: boolean): string {
  const below = sizeRaw - (sizeRaw % SIZE_STEP_RAW)
  const sizes = below === 0 ? `${SIZE_STEP_RAW}` : `${below} or ${below + SIZE_STEP_RAW}`
  const remainder = 'To sell all of it, send orderType FOK with takerAmount 1, which has no step.'
  const advice = `send ${sizes}, with the collateral for that size.`
  return isBuy ? advice : `${advice} ${remainder}`
}

/** Why `readAmounts` refused, and what to send instead. */
export function amountsRefusal(given: GivenAmounts): Extra {
  const { side, isFok, makerAmount, takerAmount } = given
  const isBuy = side === SIDE.BUY
  const hasPrice = takerAmount !== 1
  const [sizeRaw, costRaw] = isBuy ? [takerAmount, makerAmount] : [makerAmount, takerAmount]
  const impliedPrice = hasPrice ? priceText(costRaw, sizeRaw) : null
  const ticks = hasPrice ? nearestTicks(costRaw, sizeRaw) : []
  const because = (rule: string, message: string): Extra => {
    return { message, rule, impliedPrice, nearestPrices: ticks.map(tickText) }
  }
  if (makerAmount === 0 || takerAmount === 0) {
    const name = makerAmount === 0 ? 'makerAmount' : 'takerAmount'
    return because('AMOUNT_ZERO', `${name} is 0: both amounts of an order must be positive.`)
  }
  const isMarketForm = isFok && !hasPrice
  const sizeName = isBuy && !isMarketForm ? 'takerAmount' : 'makerAmount'
  const largestRaw = isMarketForm ? makerAmount : sizeRaw
  if (largestRaw > SIZE_MAX) {
    const most = `send at most ${SIZE_MAX} (10000000 shares) in one order.`
    return because('SIZE_MAX', `${sizeName} ${largestRaw} raw units is too large: ${most}`)
  }
  if (!hasPrice) {
    const only = 'takerAmount 1 is the market form, which requires orderType FOK: send FOK,'
    return because('MARKET_FORM', `${only} or the amounts of a price and a size.`)
  }
  if (sizeRaw % SIZE_STEP_RAW !== 0) {
    const what = `${sizeName} ${sizeRaw} raw units is not a multiple of ${SIZE_STEP_RAW}`
    const rule = '(0.001 share), as a priced order requires:'
    return because('SIZE_STEP', `${what} ${rule} ${sizeAdvice(sizeRaw, isBuy)}`)
  }
  const steps = sizeRaw / SIZE_STEP_RAW
  const right = ticks.map((each) => `${each * steps} for ${tickText(each)}`).join(' or ')
  const advice = `for this size send ${isBuy ? 'makerAmount' : 'takerAmount'} ${right}.`
  const price = `The amounts imply a price of ${impliedPrice} per share`
  if (costRaw % steps !== 0) {
    return because('PRICE_TICK', `${price}, which is not on the tick of 0.001: ${advice}`)
  }
  return because('PRICE_RANGE', `${price}, outside 0.001 to 0.999: ${advice}`)
}

/** The fields of a `price` that the amounts contradict; `priceTicks` is 0 for the market form. */
export function priceRefusal(price: number | undefined, priceTicks: number): Extra {
  const stated = `Price does not match amounts: `
  if (priceTicks === 0) {
    const why = `takerAmount 1 with FOK is the market form, which has no price; omit price.`
    return { message: stated + why, impliedPrice: null }
  }
  const impliedPrice = tickText(priceTicks)
  const why = `price is ${price}, but the amounts imply ${impliedPrice}; send that, or omit it.`
  return { message: stated + why, impliedPrice }
}
