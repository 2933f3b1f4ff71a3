// Fair shares of the tables that all callers share. An owner may hold a fixed part of the rows that
// are free now, so its share shrinks as the table fills: n owners that take all they may leave
// 8/(8 + n) of the rows free, and the next owner gets eight ninths of what each of them has. Gates
// use it once, when a command is decided. A replay never does, so the figures may change between
// versions.

import { assert } from './assert.ts'
import { addTo } from './sums.ts'

export interface ShareRule {
  /** Rows of the table. */
  readonly capacity: number
  /** An owner may hold one part of so many of the free rows. */
  readonly parts: number
  /** An owner may hold as many however full the table is, while a row is free. */
  readonly floor: number
  /** An owner may hold no more, even of an empty table. */
  readonly most: number
}

/** The rules of one table: for an owner, and for a partner together with all its sub-accounts. */
export interface SharedTable {
  readonly capacity: number
  readonly owner: ShareRule
  readonly partner: ShareRule
}

/** An owner alone holds a ninth of a table, a partner a third. */
export const OWNER_PARTS = 8
export const PARTNER_PARTS = 2

/** In a nearly full table a partner has the floors of so many owners. */
const PARTNER_OWNERS = OWNER_PARTS / PARTNER_PARTS

/** `floor` and `most` are those of one owner. */
export function sharedTable({
  capacity,
  floor,
  most = capacity,
}: {
  readonly capacity: number
  readonly floor: number
  readonly most?: number
}): SharedTable {
  assert(floor >= 1, 'an owner may hold a row')
  assert(floor * PARTNER_OWNERS <= capacity, 'the least share of a partner fits its table')
  assert(floor <= most, 'the least share is within the largest')
  return {
    capacity,
    owner: { capacity, parts: OWNER_PARTS, floor, most },
    partner: { capacity, parts: PARTNER_PARTS, floor: floor * PARTNER_OWNERS, most: capacity },
  }
}

/** Rows that an owner may hold now, those that it has included. */
export function shareOf(rule: ShareRule, used: number, ownerUsed: number): number {
  const free = Math.max(0, rule.capacity - used)
  const share = Math.max(rule.floor, Math.floor(free / rule.parts))
  return Math.min(share, rule.most, ownerUsed + free)
}

/** What bars an owner from more rows: its own share, that of its partner, or a full table. */
export type ShareBound = 'owner' | 'partner' | 'table'

/**
 * Rows of one table by owner. The rows of a sub-account count for its partner as well. Invariant: a
 * sub-account has one partner for ever, so `partnerOf` gives the same for each of its rows.
 */
export class OwnerCounts {
  readonly #partnerOf: (owner: number) => number
  readonly #byOwner = new Map<number, number>()
  /** Rows of all sub-accounts of a partner, without its own. */
  readonly #bySubAccounts = new Map<number, number>()
  #all = 0

  /** `partnerOf` gives the partner of a sub-account, and any other owner itself. */
  constructor(partnerOf: (owner: number) => number = (owner) => owner) {
    this.#partnerOf = partnerOf
  }

  get all(): number {
    return this.#all
  }

  of(owner: number): number {
    return this.#byOwner.get(owner) ?? 0
  }

  /** Rows of the owner's partner and of all its sub-accounts; without a partner, its own. */
  ofPartner(owner: number): number {
    const partner = this.#partnerOf(owner)
    return this.of(partner) + (this.#bySubAccounts.get(partner) ?? 0)
  }

  /** Counts rows that an owner got, or gave back when `rows` is below zero. */
  add(owner: number, rows: number): void {
    addTo(this.#byOwner, owner, rows)
    const partner = this.#partnerOf(owner)
    if (partner !== owner) addTo(this.#bySubAccounts, partner, rows)
    this.#all += rows
  }

  /** Null when the owner may have so many more rows. */
  boundOf(table: SharedTable, owner: number, rows = 1): ShareBound | null {
    const all = this.#all
    if (all + rows > table.capacity) return 'table'
    const own = this.of(owner)
    if (own + rows > shareOf(table.owner, all, own)) return 'owner'
    const shared = this.ofPartner(owner)
    return shared + rows > shareOf(table.partner, all, shared) ? 'partner' : null
  }
}
