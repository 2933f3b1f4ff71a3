import { assert } from '../../../../engine/domain/assert.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../../../crypto/address.ts'
import { addressOfKey } from '../../../crypto/ecdsa.ts'
import { domainSeparator, signOrder } from '../../../crypto/eip712.ts'
import { wordOf } from '../../../crypto/uint256.ts'

// An order as a client writes and signs it, for the command line, the demo and tests.

/** The JSON `order` of POST /orders. */
export interface ClientOrder {
  readonly salt: number | string
  readonly maker: string
  readonly signer: string
  readonly taker: string
  readonly tokenId: string
  readonly makerAmount: number | string
  readonly takerAmount: number | string
  readonly expiration: number | string
  readonly nonce: number | string
  readonly feeRateBps: number
  readonly side: number
  readonly signatureType: number
  readonly signature: string
  readonly price?: number
}

export interface ExchangeDomain {
  readonly name: string
  readonly chainId: number
  /** The market's `venue.exchange`. */
  readonly exchange: string
}

/** The EIP-55 text of the account that a private key controls. */
export function accountOf(privateKey: Uint8Array): string {
  return formatAddress(addressOfKey(privateKey))
}

type OwnTerms = Pick<
  ClientOrder,
  'salt' | 'tokenId' | 'makerAmount' | 'takerAmount' | 'feeRateBps' | 'side'
>

/** An order of an account that signs for itself, for any taker and for ever; not signed yet. */
export function ownOrder(account: string, terms: OwnTerms): ClientOrder {
  return {
    ...terms,
    maker: account,
    signer: account,
    taker: ZERO_ADDRESS,
    expiration: '0',
    nonce: 0,
    signatureType: 0,
    signature: '0x',
  }
}

function bytesOf(address: string): Uint8Array {
  const bytes = parseAddress(address)
  assert(bytes !== undefined, 'a client signs addresses with valid checksums')
  return bytes
}

/** The order with its signature; an existing signature is replaced. */
export function signClientOrder(
  order: ClientOrder,
  domain: ExchangeDomain,
  privateKey: Uint8Array,
): ClientOrder {
  const separator = domainSeparator(domain.name, domain.chainId, bytesOf(domain.exchange))
  const fields = {
    salt: wordOf(String(order.salt)),
    maker: bytesOf(order.maker),
    signer: bytesOf(order.signer),
    taker: bytesOf(order.taker),
    tokenId: wordOf(order.tokenId),
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    expirationSec: Number(order.expiration),
    nonce: Number(order.nonce),
    feeBps: order.feeRateBps,
    side: order.side,
    signatureType: order.signatureType,
  }
  const signature = Buffer.from(signOrder(fields, separator, privateKey)).toString('hex')
  return { ...order, signature: `0x${signature}` }
}
