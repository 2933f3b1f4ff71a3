import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  OWNER_PARTS,
  OwnerCounts,
  sharedTable,
  shareOf,
} from '../../../engine/domain/fair-share.ts'

const CAPACITY = 4096

/** Each of these owners takes rows one by one, in turns, until none of them may have more. */
function takeAll(counts: OwnerCounts, table: ReturnType<typeof sharedTable>, owners: number[]) {
  let taking = owners
  while (taking.length > 0) {
    taking = taking.filter((owner) => {
      if (counts.boundOf(table, owner) !== null) return false
      counts.add(owner, 1)
      return true
    })
  }
}

function from(first: number, count: number): number[] {
  return Array.from({ length: count }, (_each, index) => first + index)
}

test('the share of an owner is a part of the free rows, between its floor and its most', () => {
  const { owner } = sharedTable({ capacity: 800, floor: 4, most: 60 })
  const rows: readonly [used: number, ownerUsed: number, share: number][] = [
    [0, 0, 60],
    [320, 0, 60],
    [321, 0, 59],
    [400, 0, 50],
    [760, 0, 5],
    [768, 0, 4],
    [790, 0, 4],
    [797, 2, 4],
    [797, 0, 3],
    [799, 9, 4],
    [800, 0, 0],
    [800, 9, 4],
    [900, 0, 0],
  ]
  for (const [used, ownerUsed, share] of rows) {
    assert.equal(shareOf(owner, used, ownerUsed), share, `${used} used, ${ownerUsed} of them own`)
  }
})

test('however many owners take all they may, the next one gets nearly as much as each', () => {
  const table = sharedTable({ capacity: CAPACITY, floor: 1 })
  for (const owners of [1, 8, 64, 205, 1000, 4000]) {
    const counts = new OwnerCounts()
    takeAll(counts, table, from(1, owners))
    const next = owners + 1
    takeAll(counts, table, [next])
    assert.ok(counts.of(next) >= 1, `${owners} owners leave a row`)
    // With the next one each may hold a ninth less, which the others no longer give back.
    const expected = Math.floor(((CAPACITY / (OWNER_PARTS + owners)) * OWNER_PARTS) / 9)
    assert.ok(counts.of(next) >= expected, `${owners} owners leave ${expected} to the next`)
  }
})

test('the sub-accounts of a partner hold no more than the partner may', () => {
  const table = sharedTable({ capacity: CAPACITY, floor: 1 })
  const partner = 1
  const isSub = (owner: number) => owner >= 100 && owner < 1100
  const counts = new OwnerCounts((owner) => (isSub(owner) ? partner : owner))
  takeAll(counts, table, [partner, ...from(100, 1000)])
  assert.equal(counts.ofPartner(partner), counts.all)
  assert.equal(counts.ofPartner(777), counts.all)
  assert.ok(counts.all <= CAPACITY / 3 + 1, 'a partner holds a third')
  assert.equal(counts.boundOf(table, 100), 'partner')
  assert.equal(counts.boundOf(table, 2), null)
  takeAll(counts, table, [2])
  assert.ok(counts.of(2) >= CAPACITY / 16)
})

test('in a nearly full table a partner has the floors of four owners', () => {
  const table = sharedTable({ capacity: 1000, floor: 10 })
  const counts = new OwnerCounts((owner) => (owner >= 100 ? 1 : owner))
  counts.add(2, 950)
  takeAll(counts, table, from(100, 50))
  assert.equal(counts.ofPartner(1), 40)
  assert.equal(counts.boundOf(table, 100), 'partner')
  takeAll(counts, table, [3])
  assert.equal(counts.of(3), 10)
  assert.equal(counts.boundOf(table, 4), 'table')
})

test('rows that go make the shares of all owners grow again', () => {
  const table = sharedTable({ capacity: 90, floor: 1 })
  const counts = new OwnerCounts()
  takeAll(counts, table, from(1, 9))
  assert.equal(counts.boundOf(table, 1), 'owner')
  for (const owner of from(2, 8)) counts.add(owner, -counts.of(owner))
  assert.equal(counts.boundOf(table, 1), null)
  assert.equal(counts.all, counts.of(1))
})

test('a full table bars everybody, and many rows count at once', () => {
  const table = sharedTable({ capacity: 100, floor: 2 })
  const counts = new OwnerCounts()
  assert.equal(counts.boundOf(table, 1, 12), null)
  assert.equal(counts.boundOf(table, 1, 13), 'owner')
  assert.equal(counts.boundOf(table, 1, 101), 'table')
  counts.add(2, 100)
  assert.equal(counts.boundOf(table, 1), 'table')
  assert.throws(() => counts.add(1, -1), /no more leaves a sum than came/)
})
