// Hot path. bench/core.bench.ts
// Rows of a shared table per account, and per partner with all its sub-accounts. The counts are
// derived from the rows and are not state: replays and snapshots count again. System accounts count
// only for the table.
// Invariant: an account's partner is known before its first row; each change calls `moved`.

import { assert } from '../../domain/assert.ts'
import { type ShareBound, shareOf } from '../../domain/fair-share.ts'
import { type AccountId, isSystemAccount, type ProfileId } from '../../domain/ids.ts'
import type { TableShares } from '../../domain/share-limits.ts'
import { wideByAccount } from './columns.ts'

function cellOf(column: Int32Array, account: AccountId): number {
  return account < column.length ? column[account] : 0
}

/** Accounts whose rows counted for one account and now count for another. */
export interface ShareMove {
  /** `to` itself comes first. */
  readonly members: readonly ProfileId[]
  readonly from: ProfileId
  readonly to: ProfileId
}

/** The partner of each sub-account. A sub-account of a sub-account has the top partner. */
export class ShareOwners {
  #ownerOf = new Int32Array(1024)

  /** The account itself if it is not a sub-account. */
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
  /** Those of the accounts. A table by itself has no sub-accounts. */
  owners = new ShareOwners()
  #ofAccount = new Int32Array(1024)
  /** Rows of all sub-accounts of a partner, without the partner's own. */
  #ofSubAccounts = new Int32Array(64)
  /** Tests use smaller shares. */
  shares: TableShares

  constructor(shares: TableShares) {
    this.shares = shares
  }

  of(account: AccountId): number {
    return cellOf(this.#ofAccount, account)
  }

  /**
   * Rows of the account's partner and all its sub-accounts; without a partner, the account's rows.
   */
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
    assert(this.#ofAccount[account] > 0, 'a removed row was counted')
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

  /** null if the account's shares allow this many more rows. */
  boundOf(account: AccountId, rows: number): ShareBound | null {
    const { owner, partner } = this.shares.whole
    const own = this.of(account)
    // Only others' rows reduce a share: an account alone in a table may hold the largest share.
    if (own + rows > owner.floor && own + rows > shareOf(owner, this.all - own)) return 'owner'
    const shared = this.ofPartner(account)
    if (shared === own) return null
    const isIn = shared + rows <= shareOf(partner, this.all - shared)
    return isIn ? null : 'partner'
  }

  /** Whether the account has so many rows that new ones must not be small. */
  isMany(account: AccountId, rows: number): boolean {
    const { owner } = this.shares.small
    const own = this.of(account)
    return own + rows > owner.floor && own + rows > shareOf(owner, this.all - own)
  }
}
