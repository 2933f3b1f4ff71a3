import { SIDE } from '../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import type { DemoTrader } from '../../demo/demo-client.ts'
import {
  compile,
  list,
  object,
  openObject,
  optional,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { WrongUse } from '../../settings/flags.ts'
import { EXIT, Failure, type Shell } from '../../shell.ts'
import { accepted, type Credentials, curlText, send, signedRequest } from '../client.ts'
import { formatUnits } from '../decimals.ts'
import { readDemo } from '../demo-file.ts'
import { ORDER_USAGE, type OrderLine, orderLineOf } from './order-line.ts'
import { feeBpsOf, signedBody, type Venue, venueOf } from './order-request.ts'

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
function replyText(value: unknown, line: OrderLine): string {
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

/** Salts are milliseconds times this, as in the public client, so they stay below 2^53. */
const SALTS_PER_MS = 1000

function traderOf(line: OrderLine, traders: readonly DemoTrader[]): DemoTrader {
  if (line.trader < traders.length) return traders[line.trader]
  throw new WrongUse(
    `demo.json has no trader ${line.trader}; give --as a number from 0 to ${traders.length - 1}`,
  )
}

interface Place {
  readonly baseUrl: string
  readonly credentials: Credentials
}

async function venueFrom(baseUrl: string, market: string): Promise<Venue> {
  const path = `/markets/${encodeURIComponent(market)}`
  return venueOf(accepted(await send(baseUrl, { method: 'GET', path, headers: {}, body: '' })))
}

async function feeBpsFrom(place: Place, venue: Venue, shell: Shell): Promise<number> {
  if (!venue.takesFees) return 0
  const call = { method: 'GET', path: '/profiles/me', body: '' }
  const request = signedRequest(call, place.credentials, shell.nowMs())
  return feeBpsOf(accepted(await send(place.baseUrl, request)), venue)
}

function newSalt(nowMs: number): number {
  return nowMs * SALTS_PER_MS + Math.floor(Math.random() * SALTS_PER_MS)
}

async function work(split: Line, shell: Shell): Promise<number> {
  const line = orderLineOf(split)
  const demo = readDemo(line.dataDir)
  const trader = traderOf(line, demo.traders)
  const { tokenId, secret } = trader
  const { headerPrefix } = line
  const place = {
    baseUrl: line.url ?? demo.baseUrl,
    credentials: { tokenId, secret, headerPrefix },
  }
  await keccakReady
  const venue = await venueFrom(place.baseUrl, line.market)
  const feeBps = await feeBpsFrom(place, venue, shell)
  const body = signedBody({ line, trader, venue, feeBps, salt: newSalt(shell.nowMs()) })
  const call = { method: 'POST', path: '/orders', body }
  const request = signedRequest(call, place.credentials, shell.nowMs())
  if (line.curl) {
    shell.say(curlText(place.baseUrl, request))
    shell.warn('The signed headers are good for 30 seconds, and for this one order.')
    return EXIT.OK
  }
  shell.say(replyText(accepted(await send(place.baseUrl, request)), line))
  return EXIT.OK
}

export const orderCommand: CommandSpec = { ...ORDER_USAGE, work }
