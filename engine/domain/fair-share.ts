// Fair shares of the tables that all callers share. The share of an owner halves with each equal
// step by which others fill the table, from its most to its floor. So each owner that comes to a
// nearly full table takes little more of it than the floor: to fill 2^18 rows with a most of 4,096
// and a floor of 4, it takes about 12,000 owners, and not 64. (A share of the rows that are free
// would not do: owners that come one after the other fill such a table with a hundred.)
// Gates use it once, when a command is decided. A replay never does, so the figures may change
// between versions.

import { assert } from './assert.ts'
import { addTo } from './sums.ts'

export interface ShareRule {
  /** Rows of the table. */
  readonly capacity: number
  /** An owner may hold as many of a table that is empty. */
  readonly most: number
  /** An owner may hold as many however full the table is, while a row is free. */
  readonly floor: number
  /** The share halves each time that others use so many more rows. */
  readonly stepRows: number
}

/** The rules of one table: for an owner, and for a partner together with all its sub-accounts. */
export interface SharedTable {
  readonly capacity: number
  readonly owner: ShareRule
  readonly partner: ShareRule
}

/** A partner has the floors of so many owners, and one of so many parts of an empty table. */
const PARTNER_FLOORS = 16
const PARTNER_PARTS = 4

export function shareRule(capacity: number, most: number, floor: number): ShareRule {
  assert(floor >= 1, 'an owner may hold a row')
  assert(floor <= most, 'the least share is within the largest')
  assert(most <= capacity, 'the largest share fits its table')
  const halvings = Math.ceil(Math.log2(most / floor))
  return { capacity, most, floor, stepRows: Math.ceil(capacity / (halvings + 1)) }
}

/** `floor` and `most` are those of one owner. */
export function sharedTable({
  capacity,
  most,
  floor,
}: {
  readonly capacity: number
  readonly most: number
  readonly floor: number
}): SharedTable {
  const ofPartner = Math.max(most, Math.floor(capacity / PARTNER_PARTS))
  const floorOfPartner = Math.min(floor * PARTNER_FLOORS, ofPartner)
  return {
    capacity,
    owner: shareRule(capacity, most, floor),
    partner: shareRule(capacity, ofPartner, floorOfPartner),
  }
}

/**
 * Rows that an owner may hold now, those that it has included, while a row is free. Only the rows
 * of others make a share smaller, so an owner alone may have its most.
 */
export function shareOf(rule: ShareRule, othersUsed: number): number {
  const halvings = Math.floor(Math.max(0, othersUsed) / rule.stepRows)
  return Math.max(rule.floor, Math.floor(rule.most / 2 ** halvings))
}

/** What bars an owner from more rows: its own share, that of its partner, or a full table. */
export type ShareBound = 'owner' | 'partner' | 'table'

/** Gives the partner of a sub-account, and any other owner itself. */
export type ShareOwnerOf = (owner: number) => number

/**
 * Rows of one table by owner. The rows of a sub-account count for its partner as well. Invariant:
 * `moved` follows each change of what `shareOwnerOf` gives for an owner with rows.
 */
export class OwnerCounts {
  readonly #shareOwnerOf: ShareOwnerOf
  readonly #byOwner = new Map<number, number>()
  /** Rows of all sub-accounts of a partner, without its own. */
  readonly #bySubAccounts = new Map<number, number>()
  #all = 0

  constructor(shareOwnerOf: ShareOwnerOf = (owner) => owner) {
    this.#shareOwnerOf = shareOwnerOf
  }

  get all(): number {
    return this.#all
  }

  of(owner: number): number {
    return this.#byOwner.get(owner) ?? 0
  }

  /** Rows of the owner's partner and of all its sub-accounts; without a partner, its own. */
  ofPartner(owner: number): number {
    const partner = this.#shareOwnerOf(owner)
    return this.of(partner) + (this.#bySubAccounts.get(partner) ?? 0)
  }

  /** Counts rows that an owner got, or gave back when `rows` is below zero. */
  add(owner: number, rows: number): void {
    addTo(this.#byOwner, owner, rows)
    const partner = this.#shareOwnerOf(owner)
    if (partner !== owner) addTo(this.#bySubAccounts, partner, rows)
    this.#all += rows
  }

  /** The rows of the members counted for `from`, and count for `to` now, which is one of them. */
  moved(move: {
    readonly members: readonly number[]
    readonly from: number
    readonly to: number
  }): void {
    const { members, from, to } = move
    for (const owner of members) {
      const rows = this.of(owner)
      addTo(this.#bySubAccounts, from, -rows)
      if (owner !== to) addTo(this.#bySubAccounts, to, rows)
    }
  }

  /** Null when the owner may have so many more rows. */
  boundOf(table: SharedTable, owner: number, rows = 1): ShareBound | null {
    const all = this.#all
    if (all + rows > table.capacity) return 'table'
    const own = this.of(owner)
    if (own + rows > shareOf(table.owner, all - own)) return 'owner'
    const shared = this.ofPartner(owner)
    return shared + rows > shareOf(table.partner, all - shared) ? 'partner' : null
  }
}
