import { PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import { parseAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { domainSeparator, signOrder } from '../../crypto/eip712.ts'
import { wordOf } from '../../crypto/uint256.ts'
import type { DemoTrader } from '../../demo/demo-client.ts'
import { compile, object, openObject, schemaOf } from '../../edge/http/schema/schema.ts'
import { Failure } from '../../shell.ts'
import type { OrderLine } from './order-line.ts'

// Makes the signed body of POST /orders. Hashing needs `keccakReady`.

const text = () => schemaOf<string>({ type: 'string' })

const tradable = compile(
  openObject({
    slug: text(),
    tokens: object({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
    metadata: openObject({ fee: schemaOf<boolean>({ type: 'boolean' }) }),
  }),
)

const profile = compile(
  openObject({ effectiveFeeRateBps: schemaOf<number | null>({ type: ['integer', 'null'] }) }),
)

/** The fields of a market that its orders sign. */
export interface Venue {
  readonly slug: string
  readonly tokens: { readonly yes: string; readonly no: string }
  readonly exchange: string
  readonly takesFees: boolean
}

/** The venue of a market, from GET /markets/{slug}. */
export function venueOf(value: unknown): Venue {
  if (!tradable.holds(value)) throw new Failure('This market has no order book to trade on.')
  const { slug, tokens, venue, metadata } = value
  return { slug, tokens, exchange: venue.exchange, takesFees: metadata.fee }
}

/** The rate to sign (rules §3.3), from GET /profiles/me. */
export function feeBpsOf(value: unknown, venue: Venue): number {
  if (!venue.takesFees) return 0
  if (!profile.holds(value) || value.effectiveFeeRateBps === null) {
    throw new Failure('This profile has no rank, so it cannot trade on a market with fees.')
  }
  return value.effectiveFeeRateBps
}

function addressBytes(address: string): Uint8Array {
  const bytes = parseAddress(address)
  if (bytes === undefined) throw new Failure(`${address} is not an address.`)
  return bytes
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

interface Signing {
  readonly line: OrderLine
  readonly trader: DemoTrader
  readonly venue: Venue
  readonly feeBps: number
  /** A positive number that this trader never used before; it makes the order unique. */
  readonly salt: number
}

/** The body of POST /orders as JSON text. */
export function signedBody({ line, trader, venue, feeBps, salt }: Signing): string {
  const tokenId = venue.tokens[line.outcome]
  const { makerAmount, takerAmount, side } = line
  const maker = addressBytes(trader.account)
  const fields = {
    salt: wordOf(String(salt)),
    maker,
    signer: maker,
    taker: addressBytes(ZERO_ADDRESS),
    tokenId: wordOf(tokenId),
    makerAmount,
    takerAmount,
    expirationSec: 0,
    nonce: 0,
    feeBps,
    side,
    signatureType: 0,
  }
  const { name, chainId } = line.domain
  const separator = domainSeparator(name, chainId, addressBytes(venue.exchange))
  const privateKey = Buffer.from(trader.privateKey.slice(2), 'hex')
  const order = {
    salt,
    maker: trader.account,
    signer: trader.account,
    taker: ZERO_ADDRESS,
    tokenId,
    makerAmount,
    takerAmount,
    expiration: 0,
    nonce: 0,
    feeRateBps: feeBps,
    side,
    signatureType: 0,
    signature: hex(signOrder(fields, separator, privateKey)),
    ...(line.priceTicks === 0 ? {} : { price: line.priceTicks / PRICE_ONE_TICKS }),
  }
  return JSON.stringify({
    order,
    ownerId: trader.profileId,
    orderType: line.orderType,
    marketSlug: venue.slug,
    ...line.flags,
    ...(line.clientOrderId === undefined ? {} : { clientOrderId: line.clientOrderId }),
  })
}
