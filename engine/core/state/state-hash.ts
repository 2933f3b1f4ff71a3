// One number for a whole state: SHA-256 over profiles, markets, money, live orders by age, and
// every book by market, tick and queue. Slots are left out, because they may differ.
//
// The hash of an old journal never changes: recorded hashes are tests (test/golden). So the lists
// of numbers below stay as they are. A new fact is a named field of a profile, token, session or
// market, which counts only where it is not empty. Or it is a line of its own at the end of
// clearingFacts, written only when it is not empty.

import type { Book } from '../../domain/ids.ts'
import { eachHeld, eachResting } from '../book/market.ts'
import { f64Bytes } from '../cells/columns.ts'
import { bytesToHex, sha256, utf8ToBytes } from '../cells/digest.ts'
import type { Clearing } from '../clearing.ts'
import { STATE } from '../orders/order-table.ts'

/** Digest of one book: 32 bytes. It runs on the thread that holds the book. */
export function bookDigest(book: Book): Uint8Array {
  const rows: number[] = []
  const add = (ticks: number, _slot: number, owner: number, leftRaw: number) => {
    rows.push(ticks, owner, leftRaw)
  }
  eachResting(book, add)
  eachHeld(book, add)
  return sha256(f64Bytes(rows))
}

/** Up to the last account that holds something: one that a later version adds is no fact before. */
function heldBySystem(systemRaw: readonly number[]): readonly number[] {
  let count = systemRaw.length
  while (count > 1 && systemRaw[count - 1] === 0) count--
  return systemRaw.slice(0, count)
}

function moneyFacts(clearing: Clearing): number[] {
  const { ledger } = clearing
  const facts: number[] = [ledger.fundedRaw]
  const system = heldBySystem(ledger.systemRaw)
  facts.push(system.length, ...system)
  for (let account = 1; account <= clearing.accounts.count; account++) {
    facts.push(ledger.collateralFreeRaw[account], ledger.collateralReservedRaw[account])
  }
  const rows = Array.from({ length: ledger.rows.end }, (_none, row) => row).filter((row) =>
    ledger.rows.isLive(row),
  )
  rows.sort(
    (a, b) =>
      ledger.rows.marketOf(a) - ledger.rows.marketOf(b) ||
      ledger.rows.accountOf(a) - ledger.rows.accountOf(b),
  )
  for (const row of rows) {
    const held = [
      ledger.sharesFreeRaw[row * 2],
      ledger.sharesFreeRaw[row * 2 + 1],
      ledger.sharesReservedRaw[row * 2],
      ledger.sharesReservedRaw[row * 2 + 1],
    ]
    // An empty row is an index, not a fact.
    if (held.every((raw) => raw === 0)) continue
    facts.push(ledger.rows.accountOf(row), ledger.rows.marketOf(row), ...held)
  }
  return facts
}

/** Slots of the live orders, oldest order first. */
function liveSlots({ orders }: Clearing): number[] {
  const live: number[] = []
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.FREE) live.push(slot)
  }
  return live.sort((a, b) => orders.seqOf(a) - orders.seqOf(b))
}

function orderFacts({ orders }: Clearing, live: readonly number[]): number[] {
  const facts: number[] = []
  for (const slot of live) {
    facts.push(
      orders.seqOf(slot),
      orders.accountOf(slot),
      orders.marketOf(slot),
      orders.sideOf(slot),
      orders.outcomeOf(slot),
      orders.orderTypeOf(slot),
      orders.feeBpsOf(slot),
      orders.priceTicksOf(slot),
      orders.sizeRawOf(slot),
      orders.leftRawOf(slot),
      orders.reservedRawOf(slot),
      orders.expirationSecOf(slot),
    )
  }
  return facts
}

/**
 * One line for each fact: a single text of all facts could be longer than a string may be. Columns
 * are hashed as bytes.
 */
function hashFacts(hash: ReturnType<typeof sha256.create>, facts: Iterable<unknown>): void {
  for (const fact of facts) {
    hash.update(fact instanceof Uint8Array ? fact : utf8ToBytes(`${JSON.stringify(fact)}\n`))
  }
}

function* clearingFacts(clearing: Clearing): Iterable<unknown> {
  const { lastSeq, lastNowMs, rulesVersion, seen } = clearing
  yield [lastSeq, lastNowMs, rulesVersion, seen.count, seen.clientIdCount, seen.folded]
  yield* clearing.accounts.facts()
  yield* clearing.catalogue.facts()
  yield* clearing.series.facts()
  yield* clearing.oracle.facts()
  yield* clearing.blocks.facts()
  yield* clearing.reversals.facts()
  yield* clearing.calls.facts()
  yield* clearing.pools.facts()
  yield* clearing.rewards.facts()
  yield* clearing.packs.facts()
  yield* clearing.modes.facts()
  yield* clearing.heartbeats.facts()
  yield* clearing.frozen.facts()
  yield* clearing.operators.facts()
  yield* clearing.pages.facts()
  yield* clearing.properties.facts()
  yield* clearing.matches.facts()
  yield* clearing.social.facts()
  const { orders } = clearing
  const held = liveSlots(clearing).filter((slot) => orders.stateOf(slot) === STATE.HELD)
  for (const slot of held) {
    yield ['held', orders.seqOf(slot), orders.held.eligibleMsOf(slot), orders.held.stpOf(slot)]
  }
}

/** Lowercase hex. `bookDigests` come from bookDigest, in the order of `openBooks`. */
export function stateHash(clearing: Clearing, bookDigests: readonly Uint8Array[]): string {
  const hash = sha256.create()
  hashFacts(hash, clearingFacts(clearing))
  hash.update(f64Bytes(moneyFacts(clearing)))
  const live = liveSlots(clearing)
  hash.update(f64Bytes(orderFacts(clearing, live)))
  const named = live.filter((slot) => clearing.orders.clientIdOf(slot) !== '')
  hashFacts(
    hash,
    named.map((slot) => [clearing.orders.seqOf(slot), clearing.orders.clientIdOf(slot)]),
  )
  for (const digest of bookDigests) hash.update(digest)
  return bytesToHex(hash.digest())
}
