import { assert } from '../../../../engine/domain/assert.ts'
import { parseAddress, ZERO_ADDRESS } from '../../../crypto/address.ts'
import { DOMAIN_VERSION, domainSeparator } from '../../../crypto/eip712.ts'
import type { Directory, SigningDomain, VenuePart } from '../directory.ts'

// The EIP-712 domains that clients sign for by mistake: other venues of the exchange, other chains
// and other names. A wrong signature is checked against each, so their number is bounded.

/** A domain in the form that clients write. */
export interface OrderDomain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: string
}

export interface ConfusableDomain {
  readonly domain: OrderDomain
  readonly separator: Uint8Array
  /** The difference from the right domain, in words. */
  readonly differs: string
}

const CHAIN_IDS = [1, 137, 8453, 84532, 31337]
const NAMES = ['Limitless CTF Exchange', 'Polymarket CTF Exchange', 'CTF Exchange']
const VENUES_TRIED_MAX = 8
/** Cached lists; each has some fifteen separators. */
const LISTS_MAX = 16

const WORDS_OF_PART: Readonly<Record<VenuePart, string>> = {
  exchange: 'the exchange contract of another venue',
  adapter: 'an adapter, not an exchange contract',
}

export function orderDomain({ name, chainId }: SigningDomain, exchange: string): OrderDomain {
  return { name, version: DOMAIN_VERSION, chainId, verifyingContract: exchange }
}

export class ConfusableDomains {
  readonly #directory: Directory
  /** By the exchange contract of a market, for the venues known when the list was built. */
  readonly #known = new Map<string, readonly ConfusableDomain[]>()
  #venuesKnown = 0

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** The domains besides the right one of a market with this exchange contract. */
  of(exchange: string): readonly ConfusableDomain[] {
    const { venues } = this.#directory
    if (venues.size !== this.#venuesKnown || this.#known.size >= LISTS_MAX) this.#known.clear()
    this.#venuesKnown = venues.size
    const known = this.#known.get(exchange)
    if (known !== undefined) return known
    const made = this.#besides(exchange)
    this.#known.set(exchange, made)
    return made
  }

  #besides(exchange: string): readonly ConfusableDomain[] {
    const { domain, venues } = this.#directory
    const right = orderDomain(domain, exchange)
    const others = [...venues].filter(([address]) => address !== exchange)
    const tried = others.slice(0, VENUES_TRIED_MAX).map(([address, part]) => {
      return [address, WORDS_OF_PART[part]] as const
    })
    const addresses = [...tried, [ZERO_ADDRESS, 'the zero address'] as const]
    return [
      ...addresses.map(([verifyingContract, words]) => {
        const differs = `verifyingContract ${verifyingContract}, which is ${words}`
        return confusable({ ...right, verifyingContract }, differs)
      }),
      ...CHAIN_IDS.filter((chainId) => chainId !== right.chainId).map((chainId) =>
        confusable({ ...right, chainId }, `the chain id ${chainId}`),
      ),
      ...NAMES.filter((name) => name !== right.name).map((name) =>
        confusable({ ...right, name }, `the name "${name}"`),
      ),
    ]
  }
}

function confusable(domain: OrderDomain, differs: string): ConfusableDomain {
  const { name, chainId, verifyingContract } = domain
  const exchange = parseAddress(verifyingContract)
  assert(exchange !== undefined, 'an address of the exchange has a valid checksum')
  return { domain, separator: domainSeparator(name, chainId, exchange), differs }
}
