// Hot path. bench/core.bench.ts
// How many rows of a table that all share each account has, and each partner with all of its
// sub-accounts. The counts follow from the rows and are no state: a replay and a snapshot count
// them again. Accounts of the system count for the table alone.
// Invariant: the partner of an account is known before its first row; `moved` follows each change.

import { assert } from '../../domain/assert.ts'
import { type ShareBound, shareOf } from '../../domain/fair-share.ts'
import { type AccountId, isSystemAccount, type ProfileId } from '../../domain/ids.ts'
import type { TableShares } from '../../domain/share-limits.ts'
import { wideByAccount } from './columns.ts'

function cellOf(column: Int32Array, account: AccountId): number {
  return account < column.length ? column[account] : 0
}

/** Accounts whose rows counted for one account, and count for another one now. */
export interface ShareMove {
  /** `to` itself is the first. */
  readonly members: readonly ProfileId[]
  readonly from: ProfileId
  readonly to: ProfileId
}

/** The partner of each sub-account. That of a partner's sub-account stands for its own ones. */
export class ShareOwners {
  #ownerOf = new Int32Array(1024)

  /** The account itself when it is no sub-account. */
  of(account: AccountId): AccountId {
    const owner = cellOf(this.#ownerOf, account)
    return owner === 0 ? account : owner
  }

  add(profileId: ProfileId, partnerId: ProfileId): void {
    this.put(profileId, this.of(partnerId))
  }

  put(profileId: ProfileId, owner: ProfileId): void {
    if (profileId >= this.#ownerOf.length) this.#ownerOf = wideByAccount(this.#ownerOf, profileId)
    this.#ownerOf[profileId] = owner
  }
}

export class SharedCounts {
  all = 0
  /** Those of the accounts; a table alone has no sub-accounts. */
  owners = new ShareOwners()
  #ofAccount = new Int32Array(1024)
  /** Rows of all sub-accounts of a partner, without its own. */
  #ofSubAccounts = new Int32Array(64)
  /** A test makes them smaller. */
  shares: TableShares

  constructor(shares: TableShares) {
    this.shares = shares
  }

  of(account: AccountId): number {
    return cellOf(this.#ofAccount, account)
  }

  /** Rows of the account's partner and of all its sub-accounts; without a partner, its own. */
  ofPartner(account: AccountId): number {
    const owner = this.owners.of(account)
    return this.of(owner) + cellOf(this.#ofSubAccounts, owner)
  }

  add(account: AccountId): void {
    this.all++
    if (isSystemAccount(account)) return
    if (account >= this.#ofAccount.length) {
      this.#ofAccount = wideByAccount(this.#ofAccount, account)
    }
    this.#ofAccount[account]++
    const owner = this.owners.of(account)
    if (owner === account) return
    if (owner >= this.#ofSubAccounts.length) {
      this.#ofSubAccounts = wideByAccount(this.#ofSubAccounts, owner)
    }
    this.#ofSubAccounts[owner]++
  }

  remove(account: AccountId): void {
    this.all--
    if (isSystemAccount(account)) return
    assert(this.#ofAccount[account] > 0, 'a row is counted before it goes')
    this.#ofAccount[account]--
    const owner = this.owners.of(account)
    if (owner !== account) this.#ofSubAccounts[owner]--
  }

  moved({ members, from, to }: ShareMove): void {
    if (to >= this.#ofSubAccounts.length) {
      this.#ofSubAccounts = wideByAccount(this.#ofSubAccounts, to)
    }
    for (const account of members) {
      const rows = this.of(account)
      if (rows === 0) continue
      this.#ofSubAccounts[from] -= rows
      if (account !== to) this.#ofSubAccounts[to] += rows
    }
  }

  /** Null when the account may have so many more rows, as far as its shares go. */
  boundOf(account: AccountId, rows: number): ShareBound | null {
    const { owner, partner } = this.shares.whole
    const own = this.of(account)
    // What others hold shrinks a share: an account alone in a table may have the most of it.
    if (own + rows > owner.floor && own + rows > shareOf(owner, this.all - own)) return 'owner'
    const shared = this.ofPartner(account)
    if (shared === own) return null
    const isIn = shared + rows <= shareOf(partner, this.all - shared)
    return isIn ? null : 'partner'
  }

  /** Whether the account has so many rows that the next ones must not be small. */
  isMany(account: AccountId, rows: number): boolean {
    const { owner } = this.shares.small
    const own = this.of(account)
    return own + rows > owner.floor && own + rows > shareOf(owner, this.all - own)
  }
}
