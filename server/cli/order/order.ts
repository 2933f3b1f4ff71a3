import type { CommandSpec, Line } from '../../command-line.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import type { DemoTrader } from '../../demo/demo-client.ts'
import { WrongUse } from '../../settings/flags.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { accepted, type Credentials, curlText, send, signedRequest } from '../client.ts'
import { readDemo } from '../demo-file.ts'
import { ORDER_USAGE, type OrderLine, orderLineOf } from './order-line.ts'
import { replyText } from './order-reply.ts'
import { feeBpsOf, signedBody, type Venue, venueOf } from './order-request.ts'

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
