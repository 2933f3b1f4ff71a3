import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  OwnerCounts,
  type SharedTable,
  sharedTable,
  shareOf,
} from '../../../engine/domain/fair-share.ts'

/** The owner takes rows one by one, as many as it may have. */
function takeAll(counts: OwnerCounts, table: SharedTable, owner: number): void {
  while (counts.boundOf(table, owner) === null) counts.add(owner, 1)
}

test('the share of an owner halves with each step by which the table fills', () => {
  const { owner } = sharedTable({ capacity: 800, most: 64, floor: 8 })
  const rows: readonly [othersUsed: number, share: number][] = [
    [0, 64],
    [199, 64],
    [200, 32],
    [399, 32],
    [400, 16],
    [600, 8],
    [799, 8],
    [800, 8],
    [9000, 8],
  ]
  for (const [used, share] of rows) assert.equal(shareOf(owner, used), share, `${used} used`)
})

test('a share that never halves is the same for a table that is empty or full', () => {
  const { owner } = sharedTable({ capacity: 100, most: 3, floor: 3 })
  for (const used of [0, 50, 98]) assert.equal(shareOf(owner, used), 3)
})

// The first figure is how many owners filled such a table when each might have the most of it.
test('it takes very many owners to fill a table, alternating or one after the other', () => {
  for (const { capacity, most, floor, before, now } of [
    { capacity: 1 << 18, most: 4096, floor: 4, before: 64, now: 11_900 },
    { capacity: 4096, most: 20, floor: 1, before: 205, now: 1500 },
    { capacity: 1 << 21, most: 1 << 18, floor: 64, before: 8, now: 5000 },
  ]) {
    const table = sharedTable({ capacity, most, floor })
    for (const inSlices of [false, true]) {
      const counts = new OwnerCounts()
      let owners = 0
      while (counts.all < capacity) {
        owners++
        const share = Math.min(shareOf(table.owner, counts.all), capacity - counts.all)
        const takes = inSlices ? Math.min(share, Math.ceil(share / 2)) : share
        assert.equal(counts.boundOf(table, owners, takes), null)
        counts.add(owners, takes)
      }
      assert.ok(owners >= now && owners > before, `${owners} owners fill ${capacity} rows`)
    }
  }
})

test('a partner holds a quarter with all its sub-accounts, and others half of their most', () => {
  const table = sharedTable({ capacity: 4096, most: 20, floor: 1 })
  const partner = 1
  const counts = new OwnerCounts((owner) => (owner >= 100 && owner < 1100 ? partner : owner))
  for (let sub = 100; sub < 1100; sub++) takeAll(counts, table, sub)
  assert.equal(counts.ofPartner(partner), counts.all)
  assert.equal(counts.ofPartner(777), counts.all)
  assert.ok(counts.all <= 1024, `a partner holds ${counts.all} rows`)
  assert.equal(counts.of(partner), 0)
  assert.equal(counts.boundOf(table, 1099), 'partner')
  assert.equal(counts.boundOf(table, partner), 'partner')
  takeAll(counts, table, 2)
  assert.equal(counts.of(2), 10)
})

test('in a nearly full table a partner has the floors of sixteen owners', () => {
  const table = sharedTable({ capacity: 1000, most: 100, floor: 2 })
  const counts = new OwnerCounts((owner) => (owner >= 100 ? 1 : owner))
  counts.add(2, 960)
  for (let sub = 100; sub < 200; sub++) takeAll(counts, table, sub)
  assert.equal(counts.ofPartner(1), 32)
  assert.equal(counts.boundOf(table, 199), 'partner')
  takeAll(counts, table, 3)
  assert.equal(counts.of(3), 2)
  assert.equal(counts.boundOf(table, 3), 'owner')
})

test('rows that go make the shares of all owners grow again', () => {
  const table = sharedTable({ capacity: 80, most: 8, floor: 1 })
  const counts = new OwnerCounts()
  for (let owner = 1; owner <= 9; owner++) takeAll(counts, table, owner)
  assert.equal(counts.boundOf(table, 9), 'owner')
  for (let owner = 1; owner <= 8; owner++) counts.add(owner, -counts.of(owner))
  assert.equal(counts.boundOf(table, 9), null)
  assert.equal(counts.all, counts.of(9))
})

test('a full table bars everybody, and many rows count at once', () => {
  const table = sharedTable({ capacity: 100, most: 12, floor: 2 })
  const counts = new OwnerCounts()
  assert.equal(counts.boundOf(table, 1, 12), null)
  assert.equal(counts.boundOf(table, 1, 13), 'owner')
  assert.equal(counts.boundOf(table, 1, 101), 'table')
  counts.add(2, 100)
  assert.equal(counts.boundOf(table, 1), 'table')
  assert.throws(() => counts.add(1, -1), /a sum never falls below zero/)
})
