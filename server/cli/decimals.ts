import { PRICE_ONE_TICKS, UNIT_RAW } from '../../engine/domain/units.ts'

// Decimal text as people write it. It is read exactly, never as a floating-point number.

const UNITS = /^(\d{1,10})(?:\.(\d{1,6}))?$/
const PRICE = /^0?\.(\d{1,3})0*$/
const DECIMALS = 6
const UNIT = BigInt(UNIT_RAW)

/** Raw units of '100.5'; undefined when it is no positive amount of at most six decimals. */
export function parseUnits(text: string): number | undefined {
  const found = UNITS.exec(text)
  if (found === null) return undefined
  const raw = Number(found[1]) * UNIT_RAW + Number((found[2] ?? '').padEnd(DECIMALS, '0'))
  return raw > 0 && Number.isSafeInteger(raw) ? raw : undefined
}

/** Ticks of '0.52'; undefined when it is not from 0.001 to 0.999 in steps of 0.001. */
export function parsePriceTicks(text: string): number | undefined {
  const found = PRICE.exec(text)
  if (found === null) return undefined
  const ticks = Number(found[1].padEnd(3, '0'))
  return ticks > 0 && ticks < PRICE_ONE_TICKS ? ticks : undefined
}

/** Gives '100.5' for 100500000, without trailing zeros. */
export function formatUnits(raw: number): string {
  const whole = Math.floor(raw / UNIT_RAW)
  const rest = String(raw % UNIT_RAW)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(whole) : `${whole}.${rest}`
}

/** Raw units as whole ones with all six decimals. */
export function unitsOf(raw: bigint): string {
  const size = raw < 0n ? -raw : raw
  const decimals = (size % UNIT).toString().padStart(6, '0')
  return `${raw < 0n ? '-' : ''}${size / UNIT}.${decimals}`
}
