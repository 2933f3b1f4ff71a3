// Follows between profiles. Only commands change them; one thread writes.
// Lists are sorted by id and need no hash, so no choice of follows can make one slow: a change
// moves at most 10,000 numbers.
// Invariants: the ids of a list increase, and no list is empty; `#followers` counts the lists that
// contain a profile, without zeros; `owners` counts the ids of each list.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { SOCIAL_LIMITS } from '../../domain/social/social-limits.ts'
import { u32Bytes } from '../cells/columns.ts'

/** By ascending follower: its id, its number of follows, and their ids. */
export type CapturedFollows = Uint32Array

interface Followed {
  ids: Uint32Array
  count: number
}

const FIRST_IDS = 4
/** A list has at most this many cells per id. */
const CAPACITY_PER_ID_MAX = 4

/** The position of the id in the list, or where it would be inserted. */
function placeOf({ ids, count }: Followed, id: ProfileId): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle] < id) low = middle + 1
    else high = middle
  }
  return low
}

function resized(ids: Uint32Array, length: number): Uint32Array {
  const other = new Uint32Array(length)
  other.set(ids.subarray(0, Math.min(length, ids.length)))
  return other
}

export class Follows {
  readonly #lists = new Map<ProfileId, Followed>()
  readonly #followers = new Map<ProfileId, number>()
  /** Number of profiles that each profile follows. */
  readonly owners: OwnerCounts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  followersOf(profileId: ProfileId): number {
    return this.#followers.get(profileId) ?? 0
  }

  isFollowing(profileId: ProfileId, followedId: ProfileId): boolean {
    const list = this.#lists.get(profileId)
    if (list === undefined) return false
    const place = placeOf(list, followedId)
    return place < list.count && list.ids[place] === followedId
  }

  add(profileId: ProfileId, followedId: ProfileId): void {
    assert(profileId !== followedId, 'no profile follows itself')
    assert(!this.isFollowing(profileId, followedId), 'a profile is followed once')
    const list = this.#lists.get(profileId) ?? { ids: new Uint32Array(FIRST_IDS), count: 0 }
    assert(
      list.count < SOCIAL_LIMITS.followsPerProfileMax,
      'a profile follows fewer profiles than the limit',
    )
    this.#lists.set(profileId, list)
    if (list.count === list.ids.length) list.ids = resized(list.ids, list.count * 2)
    const place = placeOf(list, followedId)
    list.ids.copyWithin(place + 1, place, list.count)
    list.ids[place] = followedId
    list.count++
    this.owners.add(profileId, 1)
    this.#followers.set(followedId, this.followersOf(followedId) + 1)
  }

  remove(profileId: ProfileId, followedId: ProfileId): void {
    const list = this.#lists.get(profileId)
    assert(list !== undefined, 'only an existing follow is removed')
    const place = placeOf(list, followedId)
    assert(list.ids[place] === followedId, 'only an existing follow is removed')
    list.ids.copyWithin(place, place + 1, list.count)
    list.count--
    this.owners.add(profileId, -1)
    if (list.count === 0) this.#lists.delete(profileId)
    else if (list.count * CAPACITY_PER_ID_MAX < list.ids.length)
      list.ids = resized(list.ids, list.ids.length >>> 1)
    const left = this.followersOf(followedId) - 1
    if (left === 0) this.#followers.delete(followedId)
    else this.#followers.set(followedId, left)
  }

  /** The full state, for the state hash; empty without follows. */
  *hashedFields(): Iterable<unknown> {
    if (this.owners.all === 0) return
    yield ['follows', this.owners.all]
    yield u32Bytes(this.capture())
  }

  capture(): CapturedFollows {
    const column = new Uint32Array(this.#lists.size * 2 + this.owners.all)
    let at = 0
    for (const profileId of Uint32Array.from(this.#lists.keys()).sort()) {
      const list = this.#lists.get(profileId)
      assert(list !== undefined, 'a visited list exists')
      column[at] = profileId
      column[at + 1] = list.count
      column.set(list.ids.subarray(0, list.count), at + 2)
      at += 2 + list.count
    }
    return column
  }

  restore(column: CapturedFollows): void {
    assert(this.owners.all === 0, 'only a fresh state is restored')
    for (let at = 0; at < column.length; at += 2 + column[at + 1]) {
      const count = column[at + 1]
      const ids = column.slice(at + 2, at + 2 + count)
      this.#lists.set(column[at], { ids, count })
      this.owners.add(column[at], count)
      for (const id of ids) this.#followers.set(id, this.followersOf(id) + 1)
    }
  }
}
