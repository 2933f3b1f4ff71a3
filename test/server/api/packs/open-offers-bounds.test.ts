import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fairOffers } from '../../../../server/api/packs/services.ts'

// The round robin over makers in the list of open offers.

interface Offer {
  readonly id: number
  readonly owner: number
  readonly network: string
}

const KEYS = {
  owner: ({ owner }: Offer) => owner,
  network: ({ network }: Offer) => network,
}

/** Offers of each owner, one owner after the other; the last ones are the newest. */
function newestFirst(
  makers: readonly (readonly [owner: number, network: string, count: number])[],
) {
  const offers: Offer[] = []
  for (const [owner, network, count] of makers) {
    for (let made = 0; made < count; made++) offers.push({ id: offers.length, owner, network })
  }
  return offers.reverse()
}

test('each maker has a place before any has a second, newest first', () => {
  const offers = newestFirst([
    [1, 'a', 2],
    [2, 'b', 3],
    [3, 'c', 1],
  ])
  const ids = fairOffers(offers, KEYS, 10).map(({ id }) => id)
  assert.deepEqual(ids, [5, 4, 1, 3, 0, 2])
  assert.deepEqual(
    fairOffers(offers, KEYS, 2).map(({ id }) => id),
    [5, 4],
  )
})

test('five makers of twenty newer offers do not own the first hundred', () => {
  const crowd = [2, 3, 4, 5, 6].map((owner) => [owner, `n${owner}`, 20] as const)
  const offers = newestFirst([[1, 'a', 1], ...crowd])
  const first = fairOffers(offers, KEYS, 100)
  assert.equal(first.length, 100)
  assert.equal(
    first.findIndex(({ owner }) => owner === 1),
    5,
  )
})

test('two hundred makers of one network leave the makers of others their places', () => {
  const crowd = Array.from({ length: 200 }, (_each, at) => [100 + at, 'crowd', 20] as const)
  const offers = newestFirst([[1, 'a', 1], [2, 'b', 1], ...crowd])
  const first = fairOffers(offers, KEYS, 100).map(({ owner }) => owner)
  assert.ok(first.indexOf(1) < 5, 'the oldest offer of all is among the first')
  assert.ok(first.indexOf(2) < 5)
})
