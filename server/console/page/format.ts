// Numbers, times and texts as people read them. Raw amounts have six decimals.

const RAW = 1_000_000
const CENTS = 100

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const money = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const secondForm = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const minuteForm = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayTimeForms = {
  short: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
  medium: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
}
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A price of one share as cents, like `52.5¢`; a dash without one. */
export function cents(price: number | null | undefined): string {
  if (price === null || price === undefined) return '–'
  return `${Number((price * CENTS).toFixed(1))}¢`
}

/** The same with one decimal always, so that prices of a column stand below each other. */
export function evenCents(price: number | null | undefined): string {
  if (price === null || price === undefined) return '–'
  return `${(price * CENTS).toFixed(1)}¢`
}

export function percent(fraction: number | null | undefined): string {
  if (fraction === null || fraction === undefined) return '–'
  return `${Math.round(fraction * CENTS)}%`
}

/** A rate in basis points, like `0.4%`. */
export function bpsPercent(bps: number): string {
  return `${bps / CENTS}%`
}

/** Raw shares or collateral as units with at most two decimals. */
export function units(raw: number | string): string {
  return grouped.format(Number(raw) / RAW)
}

/** Raw shares with their unit, like `1 share` or `2.5 shares`. */
export function shares(raw: number | string): string {
  const text = units(raw)
  return `${text} ${text === '1' ? 'share' : 'shares'}`
}

export function dollars(raw: number | string): string {
  return `$${money.format(Number(raw) / RAW)}`
}

export function signedDollars(raw: number | string): string {
  const value = Number(raw) / RAW
  return `${value < 0 ? '−' : '+'}$${money.format(Math.abs(value))}`
}

export function short(raw: number | string): string {
  return compact.format(Number(raw) / RAW)
}

/** Units with at most six decimals as exact raw units; null when the text is no such number. */
export function rawOf(text: string): number | null {
  const found = /^(\d{1,9})(?:\.(\d{0,6}))?$/.exec(text.trim())
  if (found === null) return null
  const [, whole = '', part = ''] = found
  return Number(whole) * RAW + Number(part.padEnd(6, '0'))
}

/** Cents with at most one decimal as ticks of a tenth of a cent; null outside 0.1 to 99.9. */
export function ticksOf(text: string): number | null {
  const found = /^(\d{1,2})(?:\.(\d))?$/.exec(text.trim())
  if (found === null) return null
  const ticks = Number(found[1]) * 10 + Number(found[2] ?? 0)
  return ticks >= 1 && ticks <= 999 ? ticks : null
}

/** A time that is none is shown as such: a formatter would throw. */
function written(form: Intl.DateTimeFormat, at: string | number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(date) : form.format(date)
}

export function clockTime(at: string | number): string {
  return written(secondForm, at)
}

export function hourMinute(at: string | number): string {
  return written(minuteForm, at)
}

/** With seconds it is `medium`. */
export function dayTime(at: string | number, timeStyle: 'short' | 'medium' = 'short'): string {
  return written(dayTimeForms[timeStyle], at)
}

const DAY_SEC = 86_400

function dayOf(atSec: number): string {
  return written(dayForm, atSec * 1000)
}

/**
 * The labels of an axis below its marks, in Unix seconds, `stepSec` apart: the time, and the day
 * where a new one begins, or days alone.
 */
export function axisTimes(marksSec: readonly number[], stepSec: number): string[] {
  return marksSec.map((atSec, index) => {
    const day = dayOf(atSec)
    if (stepSec >= DAY_SEC) return day
    const time = stepSec < 60 ? clockTime(atSec * 1000) : hourMinute(atSec * 1000)
    const isNew = index === 0 || dayOf(marksSec[index - 1]) !== day
    return isNew ? `${time}\n${day}` : time
  })
}

/** The time until then, like `4:07`, `3 h 12 min` or `5 days`; `now` when it has come. */
export function countdown(untilMs: number, nowMs: number): string {
  const sec = Math.ceil((untilMs - nowMs) / 1000)
  if (sec <= 0) return 'now'
  if (sec < 3600) return `${Math.floor(sec / 60)}:${String(sec % 60).padStart(2, '0')}`
  if (sec < 172_800) return `${Math.floor(sec / 3600)} h ${Math.floor((sec % 3600) / 60)} min`
  return `${Math.floor(sec / 86_400)} days`
}

/** The beginning and the end of an address. */
export function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu
const MARK = '\u{FFFD}'

/**
 * User-supplied text, shown before an operator confirms an action. Characters that are not seen
 * could reverse the order of the others or hide a part of them, so each shows as a mark.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, MARK)
}
