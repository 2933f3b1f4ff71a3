// What happened to wallets on an EVM chain, as a command (design §12). The chain has decided
// already: a move is refused only when the exchange cannot hold what came.

import type { ProfileChange } from '../../../domain/command.ts'
import type { CommandKind } from '../../../domain/command-kinds.ts'
import {
  type AccountId,
  type MarketId,
  OUTSIDE_ACCOUNT,
  type ProfileId,
} from '../../../domain/ids.ts'
import { LIMITS } from '../../../domain/limits.ts'
import type { ChainMove, FollowChain } from '../../../domain/moves/move-command.ts'
import { OUTCOME } from '../../../domain/order.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'
import { redemptionRaw } from '../../moves/conditions.ts'
import { gateRows } from '../capacity.ts'
import { gateFunds, gateLeaving } from '../funds.ts'

/** Kinds that move money in the ledger alone, though wallets hold it. */
const OF_LEDGER: ReadonlySet<CommandKind> = new Set([
  'adjustBalance',
  'splitPosition',
  'mergePositions',
  'convertPositions',
  'withdraw',
  'fundPool',
  'drainPool',
  'buyFromPool',
  'sellToPool',
  'fundRewards',
  'fundHouse',
  'createPack',
  'offerPack',
  'acceptPackOffer',
])

/** What server wallets do on the chain too. */
const OF_WALLETS: ReadonlySet<CommandKind> = new Set([
  'splitPosition',
  'mergePositions',
  'redeemPositions',
  'convertPositions',
  'withdraw',
])

/** A command before its stamp, or any command. */
type Body = { readonly kind: CommandKind; readonly profileId?: ProfileId } & (
  | { readonly kind: 'editProfile'; readonly profile: ProfileChange }
  | { readonly kind: 'splitPosition'; readonly amountRaw: number }
  | { readonly kind: Exclude<CommandKind, 'editProfile' | 'splitPosition'> }
)

/** Why a command may not be where wallets hold the funds, or null. */
export function whyHeldByWallets(clearing: Clearing, body: Body): Reject | null {
  const { kind, profileId = 0 } = body
  // A redemption without a profile is the exchange's own: it pays nothing to a wallet.
  const isCalled = kind === 'redeemPositions' && profileId > 0
  if (isCalled || OF_LEDGER.has(kind)) {
    const isServers = clearing.accounts.partners.byId(profileId)?.sealedKey != null
    return isServers && OF_WALLETS.has(kind) ? gateDue(clearing, body) : REJECT.HELD_BY_WALLETS
  }
  const isOther = kind === 'editProfile' && body.profile.smartWallet !== undefined
  return isOther && hasFunds(clearing, profileId) ? REJECT.WALLET_IN_USE : null
}

/** Moves of a server wallet wait for the chain, and what they move must be there. */
function gateDue(clearing: Clearing, body: Body): Reject | null {
  const { accounts, chainFunds, unmined } = clearing
  const { kind, profileId = 0 } = body
  const due = chainFunds.due()
  const { shareOwnerOf } = accounts.partners
  const ofWallet = due.filter(({ owner }) => owner === profileId).length
  const ofPartner = due.filter(
    ({ owner }) => shareOwnerOf(owner) === shareOwnerOf(profileId),
  ).length
  if (ofWallet >= LIMITS.dueMoves.wallet || ofPartner >= LIMITS.dueMoves.partner) {
    return REJECT.WALLET_BUSY
  }
  if (due.length >= LIMITS.dueMoves.all) return REJECT.OVERLOADED
  if (kind === 'splitPosition') return gateLeaving(clearing, profileId, body.amountRaw)
  const isOfShares = kind === 'mergePositions' || kind === 'convertPositions'
  return isOfShares && unmined.of(profileId) > 0 ? REJECT.SHARES_NOT_MINED : null
}

function hasFunds({ ledger, chainFunds }: Clearing, profileId: ProfileId): boolean {
  const { rows } = ledger
  if (chainFunds.due().some(({ owner }) => owner === profileId)) return true
  return (
    ledger.freeRaw(profileId) !== 0 ||
    ledger.reservedRaw(profileId) !== 0 ||
    rows.live.of(profileId) > 0
  )
}

/** What one transaction did to the wallet of a profile. */
export interface SeenMove {
  readonly owner: ProfileId
  readonly txHash?: string
  readonly collateralRaw: number
  readonly shares: readonly {
    readonly marketId: MarketId
    readonly yesRaw: number
    readonly noRaw: number
  }[]
}

export type SeenChain = Pick<FollowChain, 'place' | 'allowances' | 'wallets'> & {
  readonly moves: readonly SeenMove[]
}

/** The command, and the moves that are left out because the exchange is full. */
export interface Followed {
  readonly command: FollowChain
  readonly left: readonly SeenMove[]
}

export function decideFollow(clearing: Clearing, seen: SeenChain): Followed {
  return new Following(clearing).of(seen)
}

/** Wallets that receive what is not counted; more of them are not remembered. */
const UNCOUNTED_MAX = 100_000

function keyOf(owner: ProfileId, marketId: MarketId, outcome: number): string {
  return `${owner}:${marketId}:${outcome}`
}

/** Balances as they are after the moves that were decided before in the same command. */
class Following {
  readonly #clearing: Clearing
  readonly #movedRaw = new Map<string, number>()
  readonly #moves: ChainMove[] = []
  readonly #left: SeenMove[] = []
  readonly #uncounted = new Map<string, number>()

  constructor(clearing: Clearing) {
    this.#clearing = clearing
  }

  of({ place, moves, allowances, wallets }: SeenChain): Followed {
    for (const move of moves) this.#add(move)
    const short = this.#short(moves, allowances ?? [])
    const command: FollowChain = {
      kind: 'followChain',
      place,
      ...(this.#moves.length > 0 ? { moves: this.#moves } : {}),
      ...(allowances !== undefined && allowances.length > 0 ? { allowances } : {}),
      ...(wallets !== undefined && wallets.length > 0 ? { wallets } : {}),
      ...(this.#uncounted.size > 0 ? { uncounted: [...this.#uncounted] } : {}),
      ...(short.length > 0 ? { short } : {}),
    }
    return { command, left: this.#left }
  }

  /** Shares first, with the collateral that belongs to them; then the collateral that is left. */
  #add(move: SeenMove): void {
    const key = `${move.owner}`
    const { ledger } = this.#clearing
    const heldRaw = this.#collateralRaw(move.owner) + ledger.reservedRaw(move.owner)
    const movedRaw = this.#beyondUncounted(key, move.collateralRaw)
    let restRaw = this.#counted(move.owner, heldRaw, movedRaw)
    for (const shares of move.shares) restRaw -= this.#addShares(move, shares, restRaw)
    if (restRaw > 0 && gateFunds(this.#clearing, restRaw) !== null) this.#leave(move, key, restRaw)
    else if (restRaw !== 0) {
      this.#put(move, { kind: restRaw > 0 ? 'DEPOSIT' : 'WITHDRAW', collateralRaw: restRaw })
    }
  }

  /** Returns the collateral that belongs to the shares. */
  #addShares(move: SeenMove, shares: SeenMove['shares'][number], restRaw: number): number {
    const { marketId } = shares
    const market = this.#clearing.catalogue.byId(marketId)
    if (market === undefined) return 0
    if (market.isPaidOut) return this.#addRedeemed(move, market, shares, restRaw)
    const [yesRaw, noRaw] = [shares.yesRaw, shares.noRaw].map((raw, outcome) => {
      return this.#countedShares(move, market, outcome, raw)
    })
    const part = { marketId, yesRaw, noRaw }
    const arePairs = yesRaw === noRaw
    if (yesRaw === 0 && noRaw === 0) return 0
    if (arePairs && yesRaw > 0 && restRaw <= -yesRaw) {
      return this.#put(move, { kind: 'SPLIT', ...part, collateralRaw: -yesRaw })
    }
    if (arePairs && yesRaw < 0 && restRaw >= -yesRaw) {
      return this.#put(move, { kind: 'MERGE', ...part, collateralRaw: -yesRaw })
    }
    return this.#put(move, { kind: 'TRANSFER', ...part, collateralRaw: 0 })
  }

  #countedShares(move: SeenMove, market: Market, outcome: number, raw: number): number {
    const key = keyOf(move.owner, market.marketId, outcome)
    const movedRaw = this.#beyondUncounted(key, raw)
    const heldRaw = this.#heldSharesRaw(move.owner, market.marketId, outcome)
    const countedRaw = this.#counted(move.owner, heldRaw, movedRaw)
    if (countedRaw <= 0 || this.#hasRow(move.owner, market, countedRaw)) return countedRaw
    this.#leave(move, key, countedRaw)
    return 0
  }

  /**
   * Without trades that wait for a block, a wallet has what the ledger holds, and perhaps what it
   * had before it was counted: that leaves uncounted.
   */
  #counted(owner: ProfileId, heldRaw: number, movedRaw: number): number {
    if (movedRaw >= 0 || this.#clearing.unmined.of(owner) > 0) return movedRaw
    return Math.max(movedRaw, 0 - Math.max(0, heldRaw))
  }

  #heldSharesRaw(owner: ProfileId, marketId: MarketId, outcome: number): number {
    const { rows, sharesReservedRaw } = this.#clearing.ledger
    const row = rows.find(owner, marketId)
    const reservedRaw = row === 0 ? 0 : sharesReservedRaw[row * 2 + outcome]
    return this.#sharesRaw(owner, marketId, outcome) + reservedRaw
  }

  /** What was never counted is the first to leave. */
  #beyondUncounted(key: string, raw: number): number {
    const knownRaw = this.#uncountedRaw(key)
    const usedRaw = Math.min(knownRaw, Math.max(0, -raw))
    if (usedRaw > 0) this.#uncounted.set(key, knownRaw - usedRaw)
    return raw + usedRaw
  }

  #uncountedRaw(key: string): number {
    return this.#uncounted.get(key) ?? this.#clearing.chainFunds.uncountedRaw(key)
  }

  #leave(move: SeenMove, key: string, raw: number): void {
    this.#left.push(move)
    if (this.#clearing.chainFunds.uncountedCount + this.#uncounted.size >= UNCOUNTED_MAX) return
    this.#uncounted.set(key, this.#uncountedRaw(key) + raw)
  }

  /**
   * After the payout, shares only leave: what the exchange redeemed because it pays nothing is
   * still in the wallet.
   */
  #addRedeemed(
    move: SeenMove,
    { marketId, payoutNumerators }: Market,
    shares: SeenMove['shares'][number],
    restRaw: number,
  ): number {
    const held = (outcome: number) => Math.max(0, this.#sharesRaw(move.owner, marketId, outcome))
    // No subtraction gives -0, which is another number in a record.
    const yesRaw = 0 - Math.min(held(OUTCOME.YES), Math.max(0, -shares.yesRaw))
    const noRaw = 0 - Math.min(held(OUTCOME.NO), Math.max(0, -shares.noRaw))
    if (yesRaw === 0 && noRaw === 0) return 0
    const dueRaw = payoutNumerators === null ? 0 : redemptionRaw(payoutNumerators, -yesRaw, -noRaw)
    const isPaid = dueRaw <= restRaw
    const kind = isPaid ? 'REDEEM' : 'TRANSFER'
    return this.#put(move, { kind, marketId, yesRaw, noRaw, collateralRaw: isPaid ? dueRaw : 0 })
  }

  /** Whether there is a row for the shares, or one can be added. */
  #hasRow(owner: ProfileId, { marketId }: Market, amountRaw: number): boolean {
    if (amountRaw > LIMITS.fundedRawMax) return false
    const { rows } = this.#clearing.ledger
    const missing = (accountId: AccountId) => (rows.find(accountId, marketId) === 0 ? 1 : 0)
    const systemRows = missing(OUTSIDE_ACCOUNT)
    const wanted = { accountId: owner, rows: missing(owner), amountRaw, systemRows }
    return gateRows(this.#clearing, wanted) === null
  }

  #put(
    { owner, txHash }: SeenMove,
    part: Pick<ChainMove, 'kind' | 'collateralRaw'> & Partial<ChainMove>,
  ): number {
    const { marketId = 0, yesRaw = 0, noRaw = 0, collateralRaw, kind } = part
    const before = [
      [collateralRaw, this.#collateralRaw(owner)],
      [yesRaw, this.#sharesRaw(owner, marketId, OUTCOME.YES)],
      [noRaw, this.#sharesRaw(owner, marketId, OUTCOME.NO)],
    ]
    const isOwed = before.some(([raw, freeRaw]) => raw < 0 && freeRaw + raw < 0)
    this.#note(`${owner}`, collateralRaw)
    this.#note(keyOf(owner, marketId, OUTCOME.YES), yesRaw)
    this.#note(keyOf(owner, marketId, OUTCOME.NO), noRaw)
    this.#moves.push({
      kind,
      owner,
      marketId,
      yesRaw,
      noRaw,
      collateralRaw,
      ...(isOwed ? { isOwed } : {}),
      ...(txHash === undefined ? {} : { txHash }),
    })
    return collateralRaw
  }

  #note(key: string, raw: number): void {
    this.#movedRaw.set(key, (this.#movedRaw.get(key) ?? 0) + raw)
  }

  #collateralRaw(owner: ProfileId): number {
    return this.#clearing.ledger.collateralFreeRaw[owner] + (this.#movedRaw.get(`${owner}`) ?? 0)
  }

  #sharesRaw(owner: ProfileId, marketId: MarketId, outcome: number): number {
    const movedRaw = this.#movedRaw.get(keyOf(owner, marketId, outcome)) ?? 0
    return this.#clearing.ledger.freeSharesRaw(owner, marketId, outcome) + movedRaw
  }

  /** Whose orders the contract could not settle any more. */
  #short(
    moves: readonly SeenMove[],
    allowances: NonNullable<FollowChain['allowances']>,
  ): ProfileId[] {
    const { ledger, orders, chainFunds } = this.#clearing
    const isOwing = new Set(this.#moves.filter(({ isOwed }) => isOwed).map(({ owner }) => owner))
    const allowed = new Map(allowances.map((each) => [each.profileId, each]))
    const changed = new Set([...moves.map(({ owner }) => owner), ...allowed.keys()])
    return [...changed].filter((profileId) => {
      if (orders.live.of(profileId) === 0) return false
      const before = chainFunds.allowanceOf(profileId)
      const { collateralRaw = 0, ofShares = false } = allowed.get(profileId) ?? before ?? {}
      const isShort = collateralRaw < ledger.collateralReservedRaw[profileId]
      return isShort || isOwing.has(profileId) || (before?.ofShares === true && !ofShares)
    })
  }
}
