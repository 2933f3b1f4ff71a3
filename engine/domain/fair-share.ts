// Fair shares of tables that all callers use. An owner's share starts at `most` and halves with
// each equal step by which others fill the table, down to `floor`. So a new owner in a nearly full
// table gets little more than the floor: filling 2^18 rows with a most of 4,096 and a floor of 4
// takes about 12,000 owners instead of 64. (A share of the free rows would not work: a hundred
// owners, one after another, fill such a table.) Only the gates use shares, when they decide a
// command. A replay never does, so the figures may change between versions.

import { assert } from './assert.ts'
import { addTo } from './sums.ts'

export interface ShareRule {
  /** Rows in the table. */
  readonly capacity: number
  /** Rows that an owner may hold in an empty table. */
  readonly most: number
  /** Rows that an owner may always hold, as long as the table has free rows. */
  readonly floor: number
  /** The share halves each time others use this many more rows. */
  readonly stepRows: number
}

/** The rules of one table for an owner, and for a partner with all its sub-accounts. */
export interface SharedTable {
  readonly capacity: number
  readonly owner: ShareRule
  readonly partner: ShareRule
}

/** A partner's floor is that of 16 owners; in an empty table it may hold a quarter of the rows. */
const PARTNER_FLOORS = 16
const PARTNER_PARTS = 4

export function shareRule(capacity: number, most: number, floor: number): ShareRule {
  assert(floor >= 1, 'an owner may hold at least one row')
  assert(floor <= most, 'the floor does not exceed the largest share')
  assert(most <= capacity, 'the largest share fits its table')
  const halvings = Math.ceil(Math.log2(most / floor))
  return { capacity, most, floor, stepRows: Math.ceil(capacity / (halvings + 1)) }
}

/** `floor` and `most` apply to one owner. */
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
 * Rows that an owner may hold now, including those it has, if a row is free. Only rows of others
 * reduce a share, so a lone owner may hold `most`.
 */
export function shareOf(rule: ShareRule, othersUsed: number): number {
  const halvings = Math.floor(Math.max(0, othersUsed) / rule.stepRows)
  return Math.max(rule.floor, Math.floor(rule.most / 2 ** halvings))
}

/** What limits an owner: its own share, its partner's share, or a full table. */
export type ShareBound = 'owner' | 'partner' | 'table'

/** Returns the partner of a sub-account; for any other owner, the owner itself. */
export type ShareOwnerOf = (owner: number) => number

/**
 * Rows of one table by owner. A sub-account's rows also count for its partner. Invariant: whenever
 * `shareOwnerOf` changes for an owner with rows, `moved` is called.
 */
export class OwnerCounts {
  readonly #shareOwnerOf: ShareOwnerOf
  readonly #byOwner = new Map<number, number>()
  /** Rows of all sub-accounts of a partner, without the partner's own. */
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

  /** Rows of the owner's partner and all its sub-accounts; without a partner, the owner's rows. */
  ofPartner(owner: number): number {
    const partner = this.#shareOwnerOf(owner)
    return this.of(partner) + (this.#bySubAccounts.get(partner) ?? 0)
  }

  /** Adds rows that an owner gained, or lost if `rows` is negative. */
  add(owner: number, rows: number): void {
    addTo(this.#byOwner, owner, rows)
    const partner = this.#shareOwnerOf(owner)
    if (partner !== owner) addTo(this.#bySubAccounts, partner, rows)
    this.#all += rows
  }

  /**
   * The rows of `members` counted for `from`; they now count for `to`, which is one of the members.
   */
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

  /** The limit that prevents this many more rows; null if none does. */
  boundOf(table: SharedTable, owner: number, rows = 1): ShareBound | null {
    const all = this.#all
    if (all + rows > table.capacity) return 'table'
    const own = this.of(owner)
    if (own + rows > shareOf(table.owner, all - own)) return 'owner'
    const shared = this.ofPartner(owner)
    return shared + rows > shareOf(table.partner, all - shared) ? 'partner' : null
  }
}
