import { LIMITS } from '../../../../engine/domain/limits.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { PRICE_ONE_TICKS, SIZE_STEP_RAW } from '../../../../engine/domain/units.ts'

// Price and size from the two signed amounts (rules §1.4 to §1.6).

/** Filled by `readAmounts`; one object serves every order. */
export interface Amounts {
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
