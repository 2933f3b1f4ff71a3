// One hash of a whole state: SHA-256 over profiles, markets, money, live orders by age, and all
// books by market, tick and queue. Slots are excluded, because they may differ.
//
// The hash of an old journal never changes: recorded hashes are tests (test/golden). So the lists
// of numbers below are fixed. A new value is a named field of a profile, token, session or market,
// which counts only if it is not empty, or a separate line at the end of clearingFields, written
// only if it is not empty.

import type { Book } from '../../domain/ids.ts'
import { eachHeld, eachResting } from '../book/market.ts'
import { HashedNumbers } from '../cells/columns.ts'
import { bytesToHex, portableSha256, type Sha256, utf8ToBytes } from '../cells/digest.ts'
import type { Clearing } from '../clearing.ts'
import type { Ledger } from '../money/ledger.ts'
import { STATE } from '../orders/order-table.ts'

/** Digest of one book: 32 bytes. It runs on the thread that has the book. */
export function bookDigest(book: Book, newSha256 = portableSha256): Uint8Array {
  const hash = newSha256()
  const rows = new HashedNumbers(hash)
  const add = (ticks: number, _slot: number, owner: number, leftRaw: number) => {
    rows.add(ticks)
    rows.add(owner)
    rows.add(leftRaw)
  }
  eachResting(book, add)
  eachHeld(book, add)
  rows.end()
  return hash.digest()
}

/**
 * Up to the last account with a balance: an account added by a later version is excluded until
 * then.
 */
function heldBySystem(systemRaw: readonly number[]): readonly number[] {
  let count = systemRaw.length
  while (count > 1 && systemRaw[count - 1] === 0) count--
  return systemRaw.slice(0, count)
}

function hashMoney(hash: Sha256, { ledger, accounts }: Clearing): void {
  const hashedFields = new HashedNumbers(hash)
  hashedFields.add(ledger.fundedRaw)
  const system = heldBySystem(ledger.systemRaw)
  hashedFields.add(system.length)
  for (const raw of system) hashedFields.add(raw)
  for (let account = 1; account <= accounts.count; account++) {
    hashedFields.add(ledger.collateralFreeRaw[account])
    hashedFields.add(ledger.collateralReservedRaw[account])
  }
  for (const row of rowsInOrder(ledger)) {
    // An empty row is only an index, not part of the state.
    if (ledger.isRowEmpty(row)) continue
    hashedFields.add(ledger.rows.accountOf(row))
    hashedFields.add(ledger.rows.marketOf(row))
    hashedFields.add(ledger.sharesFreeRaw[row * 2])
    hashedFields.add(ledger.sharesFreeRaw[row * 2 + 1])
    hashedFields.add(ledger.sharesReservedRaw[row * 2])
    hashedFields.add(ledger.sharesReservedRaw[row * 2 + 1])
  }
  hashedFields.end()
}

/** Live rows by market, then by account. */
function rowsInOrder({ rows }: Ledger): Uint32Array {
  const live = new Uint32Array(rows.count)
  let count = 0
  for (let row = 1; row < rows.end; row++) if (rows.isLive(row)) live[count++] = row
  return live.sort(
    (a, b) => rows.marketOf(a) - rows.marketOf(b) || rows.accountOf(a) - rows.accountOf(b),
  )
}

/** Slots of the live orders, oldest order first. */
function liveSlots({ orders }: Clearing): Uint32Array {
  const seqs = new Float64Array(orders.live.all)
  let count = 0
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.FREE) seqs[count++] = orders.seqOf(slot)
  }
  // Typed arrays sort numbers fast but pairs slowly, so each slot looks up the rank of its seq.
  seqs.sort()
  const slots = new Uint32Array(count)
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.FREE) slots[placeOf(orders.seqOf(slot), seqs)] = slot
  }
  return slots
}

/** The index of a number in ascending numbers. */
function placeOf(value: number, rising: Float64Array): number {
  let [low, high] = [0, rising.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rising[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

function hashOrders(hash: Sha256, { orders }: Clearing, live: Uint32Array): void {
  const hashedFields = new HashedNumbers(hash)
  for (const slot of live) {
    hashedFields.add(orders.seqOf(slot))
    hashedFields.add(orders.accountOf(slot))
    hashedFields.add(orders.marketOf(slot))
    hashedFields.add(orders.sideOf(slot))
    hashedFields.add(orders.outcomeOf(slot))
    hashedFields.add(orders.orderTypeOf(slot))
    hashedFields.add(orders.feeBpsOf(slot))
    hashedFields.add(orders.priceTicksOf(slot))
    hashedFields.add(orders.sizeRawOf(slot))
    hashedFields.add(orders.leftRawOf(slot))
    hashedFields.add(orders.reservedRawOf(slot))
    hashedFields.add(orders.expirationSecOf(slot))
  }
  hashedFields.end()
}

function* clientIds({ orders }: Clearing, live: Uint32Array): Iterable<unknown> {
  for (const slot of live) {
    const clientId = orders.clientIdOf(slot)
    if (clientId !== '') yield [orders.seqOf(slot), clientId]
  }
}

/** Number of characters hashed together. */
const TEXT_LENGTH = 1 << 15

/**
 * Hashes one line per value, several thousand at a time: a single text could exceed the maximum
 * string length. Columns are hashed as bytes.
 */
function hashFields(hash: Sha256, hashedFields: Iterable<unknown>): void {
  let text = ''
  const end = () => {
    hash.update(utf8ToBytes(text))
    text = ''
  }
  for (const event of hashedFields) {
    if (event instanceof Uint8Array) {
      end()
      hash.update(event)
      continue
    }
    text += `${JSON.stringify(event)}\n`
    if (text.length >= TEXT_LENGTH) end()
  }
  end()
}

function* clearingFields(clearing: Clearing, live: Uint32Array): Iterable<unknown> {
  const { lastSeq, lastNowMs, rulesVersion, seen } = clearing
  yield [lastSeq, lastNowMs, rulesVersion, seen.count, seen.clientIdCount, seen.folded]
  yield* clearing.accounts.hashedFields()
  yield* clearing.catalogue.hashedFields()
  yield* clearing.series.hashedFields()
  yield* clearing.oracle.hashedFields()
  yield* clearing.blocks.hashedFields()
  yield* clearing.reversals.hashedFields()
  yield* clearing.calls.hashedFields()
  yield* clearing.pools.hashedFields()
  yield* clearing.rewards.hashedFields()
  yield* clearing.packs.hashedFields()
  yield* clearing.modes.hashedFields()
  yield* clearing.heartbeats.hashedFields()
  yield* clearing.frozen.hashedFields()
  yield* clearing.operators.hashedFields()
  yield* clearing.pages.hashedFields()
  yield* clearing.properties.hashedFields()
  yield* clearing.matches.hashedFields()
  yield* clearing.social.hashedFields()
  yield* clearing.transactions.hashedFields()
  yield* clearing.chainFunds.hashedFields()
  const { orders } = clearing
  for (const slot of live) {
    if (orders.stateOf(slot) !== STATE.HELD) continue
    yield ['held', orders.seqOf(slot), orders.held.eligibleMsOf(slot), orders.held.stpOf(slot)]
  }
  yield* clearing.orderGroups.hashedFields(orders)
}

/** Lowercase hex. `bookDigests` are results of bookDigest, in the order of `openBooks`. */
export function stateHash(
  clearing: Clearing,
  bookDigests: readonly Uint8Array[],
  newSha256 = portableSha256,
): string {
  const hash = newSha256()
  const live = liveSlots(clearing)
  hashFields(hash, clearingFields(clearing, live))
  hashMoney(hash, clearing)
  hashOrders(hash, clearing, live)
  hashFields(hash, clientIds(clearing, live))
  for (const digest of bookDigests) hash.update(digest)
  return bytesToHex(hash.digest())
}
