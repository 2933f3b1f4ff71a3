// What identifies what. Each is a number with a name: a value of one is never taken for another,
// while a number out of a column or a literal needs no cast.

import { assert } from './assert.ts'
import { LIMITS } from './limits.ts'

declare const kind: unique symbol

/** A number of one kind. Arithmetic gives a plain number again. */
export type Kind<Name extends string> = number & { readonly [kind]?: Name }

/** Place of a command in the journal; counts from 1 without a gap, 0 is before the first. */
export type Seq = Kind<'seq'>
/** Owner of balances: a profile, or an account of the system (`isSystemAccount`). */
export type AccountId = Kind<'account'>
/** An account with a person; counts from 1. */
export type ProfileId = AccountId
/** Counts from 1 for ever, and is never used again; 0 names no market. */
export type MarketId = Kind<'market'>
/** Counts from 1 for ever; 0 names no series. */
export type SeriesId = Kind<'series'>
/** Number of a match where its scores come from; the operator gives it. */
export type FixtureId = Kind<'fixture'>
/** Place of a live market's book, given back when the book closes; 0 is no book (design §10). */
export type Book = Kind<'book'>
/** Index of an order's columns, used again after it ended; 0 is none. */
export type Slot = Kind<'slot'>
/** How often a slot was used: slot and generation name an order for ever. */
export type Generation = Kind<'generation'>
/** Counts from 1 and is never used again while the process runs. */
export type TokenNo = Kind<'token'>
/** Index of what one account has of one market; 0 is none. */
export type PositionRow = Kind<'row'>

// Accounts of the system have no person: they hold what belongs to no profile, and place no orders,
// so nothing of theirs is ever reserved. Their ids lie above those of all profiles.
const FIRST_OF_SYSTEM = 1 << 24
assert(LIMITS.profilesMax < FIRST_OF_SYSTEM, 'no profile has the id of a system account')

/** Names no token. */
export const NO_TOKEN: TokenNo = 0

/** Receives the fees of all trades. */
export const FEE_ACCOUNT: AccountId = FIRST_OF_SYSTEM
/** Holds the NO shares that conversions took; nobody ever sells them (rules §6.3). */
export const BURN_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 1
/** Receives the fees of conversions. */
export const VAULT_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 2
/** Holds the shares and the fees of all pools (rules §7). */
export const POOL_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 3
/** Holds the collateral that pays rewards (rules §11.3). */
export const REWARDS_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 4
/** Holds what the house may lose to packs (rules §8.5). */
export const HOUSE_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 5
/** Holds the stakes of packs, and what they can win. */
export const PACK_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 6
export const SYSTEM_ACCOUNTS: readonly AccountId[] = [
  FEE_ACCOUNT,
  BURN_ACCOUNT,
  VAULT_ACCOUNT,
  POOL_ACCOUNT,
  REWARDS_ACCOUNT,
  HOUSE_ACCOUNT,
  PACK_ACCOUNT,
]

export function isSystemAccount(accountId: AccountId): boolean {
  return accountId >= FIRST_OF_SYSTEM
}

/** The place of a system account among all of them, from 0. */
export function systemIndex(accountId: AccountId): number {
  return accountId - FIRST_OF_SYSTEM
}

export function systemAccountAt(index: number): AccountId {
  return FIRST_OF_SYSTEM + index
}
