// Ids. Each is a number with its own type: an id of one kind cannot pass for another, and numbers
// from columns or literals need no cast.

import { assert } from './assert.ts'
import { LIMITS } from './limits.ts'

declare const kind: unique symbol

/** A number of one kind. Arithmetic yields a plain number. */
export type Kind<Name extends string> = number & { readonly [kind]?: Name }

/** Position of a command in the journal. Counts from 1 without gaps; 0 is before the first. */
export type Seq = Kind<'seq'>
/** Owner of balances: a profile or a system account (`isSystemAccount`). */
export type AccountId = Kind<'account'>
/** An account that belongs to a person. Counts from 1. */
export type ProfileId = AccountId
/** Counts from 1 and is never reused; 0 = no market. */
export type MarketId = Kind<'market'>
/** Counts from 1 and is never reused; 0 = no series. */
export type SeriesId = Kind<'series'>
/** The scores provider's number of a match; set by the operator. */
export type FixtureId = Kind<'fixture'>
/** Seq of the command that created the order group; 0 = no group. */
export type OrderGroupId = Seq
/** Index of a live market's book, returned when the book closes; 0 = no book (design §10). */
export type Book = Kind<'book'>
/** Index of an order's columns, reused after the order ends; 0 = none. */
export type Slot = Kind<'slot'>
/** How often a slot has been used. Slot and generation together identify an order permanently. */
export type Generation = Kind<'generation'>
/** Counts from 1 and is not reused while the process runs. */
export type TokenNo = Kind<'token'>
/** Index of one account's position in one market; 0 = none. */
export type PositionRow = Kind<'row'>

// System accounts hold what belongs to no profile. They place no orders, so nothing of theirs is
// ever reserved. Their ids are above those of all profiles.
const FIRST_OF_SYSTEM = 1 << 24
assert(LIMITS.profilesMax < FIRST_OF_SYSTEM, 'no profile has the id of a system account')

/** No token. */
export const NO_TOKEN: TokenNo = 0

/** Receives the fees of all trades. */
export const FEE_ACCOUNT: AccountId = FIRST_OF_SYSTEM
/** Holds the NO shares taken by conversions. They are never sold (rules §6.3). */
export const BURN_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 1
/** Receives the fees of conversions. */
export const VAULT_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 2
/** Holds the shares and fees of all pools (rules §7). */
export const POOL_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 3
/** Holds the collateral that pays rewards (rules §11.3). */
export const REWARDS_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 4
/** Holds the collateral that the house may lose to packs (rules §8.5). */
export const HOUSE_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 5
/** Holds the stakes of packs and their possible winnings. */
export const PACK_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 6
/**
 * Holds the shares that are in wallets of nobody here, where trades settle on an EVM chain (design
 * §12). It has no collateral.
 */
export const OUTSIDE_ACCOUNT: AccountId = FIRST_OF_SYSTEM + 7
export const SYSTEM_ACCOUNTS: readonly AccountId[] = [
  FEE_ACCOUNT,
  BURN_ACCOUNT,
  VAULT_ACCOUNT,
  POOL_ACCOUNT,
  REWARDS_ACCOUNT,
  HOUSE_ACCOUNT,
  PACK_ACCOUNT,
  OUTSIDE_ACCOUNT,
]

export function isSystemAccount(accountId: AccountId): boolean {
  return accountId >= FIRST_OF_SYSTEM
}

/** Index of a system account among all of them, from 0. */
export function systemIndex(accountId: AccountId): number {
  return accountId - FIRST_OF_SYSTEM
}

export function systemAccountAt(index: number): AccountId {
  return FIRST_OF_SYSTEM + index
}
