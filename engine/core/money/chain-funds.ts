// The wallets of profiles on an EVM chain, as far as blocks of the chain are counted (design §12):
// which wallets are watched, and what they allow the exchange contract to move. Their balances are
// in the ledger. Only commands change it; one thread writes. On the embedded chain it stays empty.

import type { PlaceOrder } from '../../domain/command.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type {
  ChainAllowance,
  ChainPlace,
  DueMove,
  FollowChain,
  UncountedRaw,
} from '../../domain/moves/move-command.ts'
import { SIDE } from '../../domain/order.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { CollateralRaw } from '../../domain/units.ts'
import type { Ledger } from './ledger.ts'

export interface CapturedChainFunds {
  readonly place: ChainPlace | null
  readonly wallets: readonly (readonly [profileId: ProfileId, address: string])[]
  readonly allowances: readonly ChainAllowance[]
  readonly short: readonly (readonly [profileId: ProfileId, seq: Seq])[]
  readonly uncounted: readonly UncountedRaw[]
  readonly due: readonly DueMove[]
}

export class ChainFunds {
  /** Null before the first block is counted. */
  place: ChainPlace | null = null
  /** EIP-55 text. */
  readonly #wallets = new Map<ProfileId, string>()
  readonly #allowances = new Map<ProfileId, ChainAllowance>()
  /** The command after which none of its orders stays. */
  readonly #short = new Map<ProfileId, Seq>()
  readonly #uncounted = new Map<string, number>()
  /** Moves of server wallets that no transaction has made, oldest first. */
  readonly #due = new Map<Seq, DueMove>()

  /** Undefined while the wallet of the profile is not watched. */
  walletOf(profileId: ProfileId): string | undefined {
    return this.#wallets.get(profileId)
  }

  wallets(): Iterable<readonly [profileId: ProfileId, address: string]> {
    return this.#wallets
  }

  allowanceOf(profileId: ProfileId): ChainAllowance | undefined {
    return this.#allowances.get(profileId)
  }

  owes(move: DueMove): void {
    this.#due.set(move.seq, move)
  }

  /** Approvals are among them, which are due nowhere. */
  made(seqs: readonly Seq[]): void {
    for (const seq of seqs) this.#due.delete(seq)
  }

  dueMove(seq: Seq): DueMove | undefined {
    return this.#due.get(seq)
  }

  /** Oldest first. */
  due(): readonly DueMove[] {
    return [...this.#due.values()]
  }

  /** What came of this kind and is not in the ledger. */
  uncountedRaw(key: string): number {
    return this.#uncounted.get(key) ?? 0
  }

  get uncountedCount(): number {
    return this.#uncounted.size
  }

  /** By ascending profile id: whose orders must be canceled that precede the command. */
  short(): (readonly [profileId: ProfileId, seq: Seq])[] {
    return [...this.#short].sort(([a], [b]) => a - b)
  }

  followed(command: FollowChain, seq: Seq): void {
    const { place, wallets = [], moves = [], allowances = [], short = [], uncounted = [] } = command
    this.place = place
    for (const { profileId, address } of wallets) this.#wallets.set(profileId, address)
    for (const { owner } of moves) this.#short.delete(owner)
    for (const allowance of allowances) {
      this.#allowances.set(allowance.profileId, allowance)
      this.#short.delete(allowance.profileId)
    }
    for (const profileId of short) this.#short.set(profileId, seq)
    for (const [key, raw] of uncounted) {
      if (raw === 0) this.#uncounted.delete(key)
      else this.#uncounted.set(key, raw)
    }
  }

  /** Why the contract could not move what the order reserves, or null. */
  gateAllowance({ accountId, side, reserveRaw }: PlaceOrder, ledger: Ledger): Reject | null {
    if (side === SIDE.SELL) {
      const { ofShares = false } = this.#allowances.get(accountId) ?? {}
      return ofShares ? null : REJECT.SHARES_NOT_APPROVED
    }
    const leftRaw = this.unreservedRaw(accountId, ledger)
    if (leftRaw >= reserveRaw) return null
    return REJECT.ALLOWANCE_TOO_SMALL.short(leftRaw, reserveRaw)
  }

  /** Collateral that the contract may move beyond what orders reserve. */
  unreservedRaw(profileId: ProfileId, ledger: Ledger): CollateralRaw {
    const { collateralRaw = 0 } = this.#allowances.get(profileId) ?? {}
    return Math.max(0, collateralRaw - ledger.reservedRaw(profileId))
  }

  /** For the state hash; empty before the first block is counted. */
  *hashedFields(): Iterable<unknown> {
    if (this.place === null) return
    const { place, wallets, allowances, short, uncounted, due } = this.capture()
    yield ['chain', place?.block, place?.hash, place?.taken, wallets, short, uncounted]
    for (const move of due) yield ['due', ...Object.values(move)]
    for (const { profileId, collateralRaw, ofShares } of allowances) {
      yield ['allowance', profileId, collateralRaw, ofShares]
    }
  }

  capture(): CapturedChainFunds {
    const wallets = [...this.#wallets].sort(([a], [b]) => a - b)
    const allowances = [...this.#allowances.values()].sort((a, b) => a.profileId - b.profileId)
    const uncounted = [...this.#uncounted].sort(([a], [b]) => (a < b ? -1 : 1))
    const due = this.due()
    return { place: this.place, wallets, allowances, short: this.short(), uncounted, due }
  }

  /** Absent in snapshots of versions without it. */
  restore(captured?: CapturedChainFunds): void {
    if (captured === undefined) return
    const { place, wallets, allowances, short, uncounted, due } = captured
    this.place = place
    for (const move of due) this.#due.set(move.seq, move)
    for (const [key, raw] of uncounted) this.#uncounted.set(key, raw)
    for (const [profileId, address] of wallets) this.#wallets.set(profileId, address)
    for (const allowance of allowances) this.#allowances.set(allowance.profileId, allowance)
    for (const [profileId, seq] of short) this.#short.set(profileId, seq)
  }
}
