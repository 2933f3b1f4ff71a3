import { assert } from '../../../engine/domain/assert.ts'
import type { Scope } from '../../../engine/domain/command.ts'
import type { Book, MarketId, ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { parseAddress } from '../../crypto/address.ts'
import { type Signer, signerOf } from '../../crypto/ecdsa.ts'
import { domainSeparator } from '../../crypto/eip712.ts'
import { wordOf } from '../../crypto/uint256.ts'
import type { WalletCode } from '../../messages/wallet-signature.ts'
import { FactoryWallets } from './order/factory-wallets.ts'

// The part of the exchange that the intake needs: tokens, profiles and markets. Each edge thread
// has its own copy, and main sends it all changes in order. A late change is harmless, because the
// sequencer checks again that the token is still valid.

export type DirectoryChange =
  | {
      readonly kind: 'token'
      readonly tokenId: string
      /** Each result of this token carries it back. */
      readonly tokenNo: TokenNo
      readonly profileId: ProfileId
      readonly account: string
      readonly scopes: readonly Scope[]
      readonly secretBase64: string
    }
  | { readonly kind: 'revoke'; readonly tokenId: string }
  | { readonly kind: 'forget'; readonly profileId: ProfileId }
  | {
      readonly kind: 'profile'
      readonly profileId: ProfileId
      /** The partner that may act for it; 0 for none. */
      readonly partnerId: ProfileId
      readonly account: string
      readonly smartWallet: string | null
      /** The fee rate that its orders on fee-enabled markets must sign. */
      readonly feeBps: number
      /** Key of its server wallet; '' without one. */
      readonly keyBase64: string
      /** Exchanges and adapters that its server wallet approved. */
      readonly approved: readonly string[]
    }
  | {
      readonly kind: 'market'
      readonly marketId: MarketId
      readonly book: Book
      readonly slug: string
      readonly yesTokenId: string
      readonly noTokenId: string
      readonly exchangeAddress: string
      /** Absent or null without one. */
      readonly adapterAddress?: string | null
      /** Present for a market that trades with a pool and has no book. */
      readonly poolAddress?: string | undefined
      readonly feeEnabled: boolean
    }
  | { readonly kind: 'archive'; readonly slug: string }
  /** Trades settle on an EVM chain; the addresses of the factory and of its code. */
  | { readonly kind: 'chain'; readonly wallets: WalletCode | null }

/** A market in the form sent to the intake. */
export type MarketEntry = Omit<Extract<DirectoryChange, { kind: 'market' }>, 'kind'>

/** The name and chain of this exchange in the EIP-712 domain. */
export interface SigningDomain {
  readonly name: string
  readonly chainId: number
}

/** The role of an address of a market. */
export type VenuePart = 'exchange' | 'adapter'

export interface KnownToken {
  readonly tokenNo: TokenNo
  readonly profileId: ProfileId
  readonly signer: Signer
  readonly scopes: readonly Scope[]
  readonly secret: Uint8Array
}

/** A profile with a partner, or with a wallet besides its account. */
export interface KnownProfile {
  readonly profileId: ProfileId
  readonly partnerId: ProfileId
  readonly account: string
  readonly signer: Signer
  readonly smartWallet: Uint8Array | null
  readonly feeBps: number
  readonly key: Uint8Array | null
  readonly approved: readonly string[]
}

export interface KnownMarket {
  readonly marketId: MarketId
  /** The book that it had when it was created. */
  readonly book: Book
  readonly yesTokenId: string
  readonly noTokenId: string
  readonly yesTokenWord: Uint8Array
  readonly noTokenWord: Uint8Array
  readonly separator: Uint8Array
  readonly feeEnabled: boolean
  readonly exchangeAddress: string
  /** True for a market without a book, which accepts no orders. */
  readonly isPool: boolean
}

export interface KnownChain {
  /** Null until the chain has answered. */
  readonly wallets: FactoryWallets | null
}

function addressBytes(text: string): Uint8Array {
  const bytes = parseAddress(text)
  assert(bytes !== undefined, 'an address of the exchange has a valid checksum')
  return bytes
}

function profileOf(change: Extract<DirectoryChange, { kind: 'profile' }>): KnownProfile {
  const { profileId, partnerId, account, smartWallet, feeBps, keyBase64, approved } = change
  return {
    profileId,
    partnerId,
    account,
    signer: signerOf(addressBytes(account)),
    // A journal may contain a smart wallet whose checksum was never checked.
    smartWallet: smartWallet === null ? null : addressBytes(smartWallet.toLowerCase()),
    feeBps,
    key: keyBase64 === '' ? null : Buffer.from(keyBase64, 'base64'),
    approved,
  }
}

export class Directory {
  readonly #tokens = new Map<string, KnownToken>()
  readonly #markets = new Map<string, KnownMarket>()
  readonly #profiles = new Map<number, KnownProfile>()
  readonly #separators = new Map<string, Uint8Array>()
  readonly domain: SigningDomain
  /** Every exchange or adapter address of any market; orders verify against exchange addresses. */
  readonly venues = new Map<string, VenuePart>()
  /** Null unless trades settle on an EVM chain. */
  chain: KnownChain | null = null

  constructor(domain: SigningDomain) {
    this.domain = domain
  }

  apply(change: DirectoryChange): void {
    switch (change.kind) {
      case 'revoke':
        this.#tokens.delete(change.tokenId)
        return
      case 'token':
        this.#tokens.set(change.tokenId, {
          tokenNo: change.tokenNo,
          profileId: change.profileId,
          signer: signerOf(addressBytes(change.account)),
          scopes: change.scopes,
          secret: Buffer.from(change.secretBase64, 'base64'),
        })
        return
      case 'forget':
        this.#profiles.delete(change.profileId)
        return
      case 'profile':
        this.#profiles.set(change.profileId, profileOf(change))
        return
      case 'market':
        this.venues.set(change.exchangeAddress, 'exchange')
        if (change.adapterAddress) this.venues.set(change.adapterAddress, 'adapter')
        this.#markets.set(change.slug, {
          marketId: change.marketId,
          book: change.book,
          yesTokenId: change.yesTokenId,
          noTokenId: change.noTokenId,
          yesTokenWord: wordOf(change.yesTokenId),
          noTokenWord: wordOf(change.noTokenId),
          separator: this.#separator(change.exchangeAddress),
          feeEnabled: change.feeEnabled,
          exchangeAddress: change.exchangeAddress,
          isPool: change.poolAddress !== undefined,
        })
        return
      case 'archive':
        this.#markets.delete(change.slug)
        return
      case 'chain':
        this.chain = {
          wallets: change.wallets === null ? null : new FactoryWallets(change.wallets),
        }
    }
  }

  token(tokenId: string): KnownToken | undefined {
    return this.#tokens.get(tokenId)
  }

  profile(profileId: ProfileId): KnownProfile | undefined {
    return this.#profiles.get(profileId)
  }

  market(slug: string): KnownMarket | undefined {
    return this.#markets.get(slug)
  }

  /** Many markets share one exchange contract. */
  #separator(exchangeAddress: string): Uint8Array {
    const known = this.#separators.get(exchangeAddress)
    if (known !== undefined) return known
    const { name, chainId } = this.domain
    const separator = domainSeparator(name, chainId, addressBytes(exchangeAddress))
    this.#separators.set(exchangeAddress, separator)
    return separator
  }
}

// Markets that left memory and were loaded into the intake again, because orders for them arrived.
// Such an order is judged like one for any resolved market.
// Invariant: their number is bounded; the least recently used one is evicted.

/** Sends markets to all copies of the directory. */
interface MarketReporter {
  addMarket(market: MarketEntry): void
  archiveMarket(slug: string): void
}

export class RecalledMarkets {
  readonly #intake: MarketReporter
  readonly #slugs = new Set<string>()

  constructor(intake: MarketReporter) {
    this.#intake = intake
  }

  /** Sends the market again: a thread that replaced another may not have it. */
  recall(market: MarketEntry): void {
    this.#slugs.delete(market.slug)
    if (this.#slugs.size === LIMITS.recalledMarketsMax) {
      const [oldest] = this.#slugs
      this.#slugs.delete(oldest)
      this.#intake.archiveMarket(oldest)
    }
    this.#slugs.add(market.slug)
    this.#intake.addMarket(market)
  }
}
