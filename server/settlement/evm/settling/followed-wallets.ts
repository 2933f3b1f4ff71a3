// Main's side of the wallets that the thread of the chain follows: which wallets there are, and
// whose shares a token is.

import type { Clearing } from '../../../../engine/core/clearing.ts'
import type { SeenChain, SeenMove } from '../../../../engine/core/decide/money/chain-moves.ts'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { replicatedBy } from '../../../../engine/core/markets/market-commands.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import { OUTCOME } from '../../../../engine/domain/order.ts'
import { checkedAddress } from '../evm-address.ts'
import type { TokenMove, Wallet, WatchedBlocks } from './chain-messages.ts'

interface Token {
  readonly marketId: MarketId
  readonly outcome: number
}

export class FollowedWallets {
  readonly #clearing: Clearing
  /** By token id. */
  readonly #tokens = new Map<string, Token>()

  constructor(clearing: Clearing) {
    this.#clearing = clearing
    for (const market of clearing.catalogue.all()) this.#add(market)
  }

  /** Wallets that are counted already. */
  counted(): Wallet[] {
    return [...this.#clearing.chainFunds.wallets()].map(([profileId, address]) => {
      return walletOf(profileId, address)
    })
  }

  /** Wallets of profiles that are not counted yet, or are not the ones that are counted. */
  uncounted(): Wallet[] {
    const { accounts, chainFunds } = this.#clearing
    const ids = Array.from({ length: accounts.count }, (_, index) => index + 1)
    return ids
      .flatMap((profileId) => this.#walletOf(profileId))
      .filter((wallet) => {
        return chainFunds.walletOf(wallet.profileId) !== wallet.address
      })
  }

  /** A command was applied; the wallets that it adds. */
  applied(command: ControlCommand): Wallet[] {
    const { kind } = command
    const isNew = kind === 'createProfile' || kind === 'createSubAccount'
    const isOther = kind === 'editProfile' && command.profile.smartWallet !== undefined
    if (isNew || isOther) return this.#walletOf(command.profileId)
    for (const market of replicatedBy(command, this.#clearing.catalogue)) this.#add(market)
    if (kind === 'archiveMarket') this.#forgetArchived()
    return []
  }

  /** The moves by market. A token of no market here is left out. */
  seen({ moves = [], ...blocks }: WatchedBlocks): SeenChain {
    return { ...blocks, moves: moves.map((move) => this.#seenMove(move)) }
  }

  #seenMove({ moved, ...move }: TokenMove): SeenMove {
    let collateralRaw = 0
    const shares = new Map<MarketId, { marketId: MarketId; yesRaw: number; noRaw: number }>()
    for (const [tokenId, raw] of moved) {
      const token = this.#tokens.get(tokenId)
      if (tokenId === '') collateralRaw = Number(raw)
      if (token === undefined) continue
      const { marketId, outcome } = token
      const of = shares.get(marketId) ?? { marketId, yesRaw: 0, noRaw: 0 }
      shares.set(marketId, of)
      if (outcome === OUTCOME.YES) of.yesRaw += Number(raw)
      else of.noRaw += Number(raw)
    }
    return { ...move, collateralRaw, shares: [...shares.values()] }
  }

  #add({ marketId, yesTokenId, noTokenId }: Market): void {
    if (yesTokenId === '') return
    this.#tokens.set(yesTokenId, { marketId, outcome: OUTCOME.YES })
    this.#tokens.set(noTokenId, { marketId, outcome: OUTCOME.NO })
  }

  #forgetArchived(): void {
    for (const [tokenId, { marketId }] of this.#tokens) {
      if (this.#clearing.catalogue.byId(marketId) === undefined) this.#tokens.delete(tokenId)
    }
  }

  /** A profile trades with its smart wallet if it has one, else with its account. */
  #walletOf(profileId: ProfileId): Wallet[] {
    const { account = '', smartWallet } = this.#clearing.accounts.byId(profileId) ?? {}
    const address = smartWallet ?? account
    return address === '' ? [] : [walletOf(profileId, address)]
  }
}

function walletOf(profileId: ProfileId, address: string): Wallet {
  return { profileId, address: checkedAddress(address) }
}
