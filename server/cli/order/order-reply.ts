import { SIDE } from '../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import {
  compile,
  list,
  object,
  openObject,
  optional,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { Failure } from '../../shell.ts'
import { formatUnits } from '../decimals.ts'
import type { OrderLine } from './order-line.ts'

// Turns the 201 reply of POST /orders into text for a terminal.

const text = () => schemaOf<string>({ type: 'string' })
const raw = () => schemaOf<string>({ type: 'string', pattern: '^[0-9]{1,16}$' })
const integer = () => schemaOf<number>({ type: 'integer' })

const reply = compile(
  openObject({
    order: openObject({ id: text(), status: text() }),
    makerMatches: list(openObject({ matchedSize: raw(), orderId: text() })),
    execution: openObject({
      matched: schemaOf<boolean>({ type: 'boolean' }),
      settlementStatus: text(),
      reason: optional(text()),
      effectiveFeeBps: integer(),
      totalsRaw: object({
        contractsGross: raw(),
        contractsFee: raw(),
        contractsNet: raw(),
        usdGross: raw(),
        usdFee: raw(),
        usdNet: raw(),
      }),
    }),
  }),
)

const AVERAGE_DIGITS = 6

function units(rawText: string): string {
  return formatUnits(Number(rawText))
}

function wantedText(line: OrderLine): string {
  const { side, outcome, makerAmount, takerAmount, priceTicks, orderType, market } = line
  const verb = side === SIDE.BUY ? 'buy' : 'sell'
  const size = formatUnits(side === SIDE.BUY ? takerAmount : makerAmount)
  const price = priceTicks / PRICE_ONE_TICKS
  const atMarket = side === SIDE.BUY ? `for ${formatUnits(makerAmount)}` : size
  const flags = ORDER_FLAGS.map(({ name, flag }) => (line.flags[name] === true ? ` ${flag}` : ''))
  const what = priceTicks === 0 ? `${outcome} ${atMarket}` : `${outcome} ${size} @ ${price}`
  return `${verb} ${what} ${orderType}${flags.join('')} in ${market}`
}

/** Shows the order, its status, the matched size and average price, each maker, and the fee. */
export function replyText(value: unknown, line: OrderLine): string {
  if (!reply.holds(value)) throw new Failure('The reply of the exchange has an unexpected form.')
  const { order, makerMatches, execution } = value
  const { totalsRaw, settlementStatus, reason } = execution
  const lines = [`order    ${order.id}`, `wanted   ${wantedText(line)}`, `status   ${order.status}`]
  if (!execution.matched) {
    lines.push(`matched  nothing${reason === undefined ? '' : ` (${reason})`}`)
    return lines.join('\n')
  }
  const { contractsGross, usdGross } = totalsRaw
  const average = (Number(usdGross) / Number(contractsGross)).toFixed(AVERAGE_DIGITS)
  const shares = `${units(contractsGross)} shares for ${units(usdGross)}`
  lines.push(`matched  ${shares}, average ${Number(average)}, ${settlementStatus}`)
  for (const { matchedSize, orderId } of makerMatches) {
    lines.push(`fill     ${units(matchedSize)} against ${orderId}`)
  }
  const fee =
    line.side === SIDE.BUY
      ? `${units(totalsRaw.contractsFee)} shares, ${units(totalsRaw.contractsNet)} stay`
      : `${units(totalsRaw.usdFee)} collateral, ${units(totalsRaw.usdNet)} stay`
  lines.push(`fee      ${fee} (${execution.effectiveFeeBps} bps)`)
  return lines.join('\n')
}
