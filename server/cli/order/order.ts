import { keccakReady } from '../../crypto/keccak.ts'
import type { DemoTrader } from '../../demo/demo-client.ts'
import { helpText, WrongUse } from '../../settings/flags.ts'
import { command, EXIT, type Shell } from '../../shell.ts'
import { accepted, type Credentials, curlText, send, signedRequest } from '../client.ts'
import { readDemo } from '../demo-file.ts'
import { ORDER_ROWS, type OrderLine, readOrderLine } from './order-line.ts'
import { replyText } from './order-reply.ts'
import { feeBpsOf, signedBody, type Venue, venueOf } from './order-request.ts'

const ABOUT = 'Signs and sends an order as a demo trader.'
/** Salts are milliseconds times this, as in the public client, so they stay below 2^53. */
const SALTS_PER_MS = 1000

function help(): string {
  return [
    "outcomex order --market SLUG --buy|--sell yes|no SIZE@PRICE|SIZE|'$SPEND'",
    ABOUT,
    '',
    '  outcomex order --as 0 --market SLUG --buy yes 10@0.52    rests until it is matched',
    "  outcomex order --as 1 --market SLUG --buy no '$5'        at the market, all or nothing",
    '  outcomex order --as 2 --market SLUG --sell yes 5         at the market, all or nothing',
    '',
    helpText(ORDER_ROWS),
  ].join('\n')
}

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

async function work(args: readonly string[], shell: Shell): Promise<number> {
  const line = readOrderLine(args, shell.env)
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

export const orderCommand = command({ about: ABOUT, flags: ORDER_ROWS, help, work })
