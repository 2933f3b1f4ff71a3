// What identifies what. Each is a number with a name: a value of one is never taken for another,
// while a number out of a column or a literal needs no cast.

declare const kind: unique symbol

/** A number of one kind. Arithmetic gives a plain number again. */
export type Kind<Name extends string> = number & { readonly [kind]?: Name }

/** Place of a command in the journal; counts from 1 without a gap, 0 is before the first. */
export type Seq = Kind<'seq'>
/** Owner of balances; 0 receives fees. */
export type AccountId = Kind<'account'>
/** An account with a person; counts from 1. */
export type ProfileId = AccountId
/** Counts from 1 for ever, and is never used again; 0 names no market. */
export type MarketId = Kind<'market'>
/** Place of a live market's book, given back when the book closes; 0 is no book (design §10). */
export type Book = Kind<'book'>
/** Index of an order's columns, used again after it ended; 0 is none. */
export type Slot = Kind<'slot'>
/** How often a slot was used: slot and generation name an order for ever. */
export type Generation = Kind<'generation'>
/** Index of what one account has of one market; 0 is none. */
export type PositionRow = Kind<'row'>
