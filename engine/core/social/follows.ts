// Who follows whom. Only commands change it; one thread writes.
// A list in the order of ids needs no hash, so nobody can choose whom to follow to make it slow: a
// change moves at most ten thousand numbers.
// Invariants: the ids of a list rise, and no list is empty; `#followers` counts the lists that have
// a profile, and holds no zero; `owners` counts the ids of each list.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { SOCIAL_LIMITS } from '../../domain/social/social-limits.ts'
import { u32Bytes } from '../cells/columns.ts'

/** By rising follower: its id, how many it follows, and their ids. */
export type CapturedFollows = Uint32Array

interface Followed {
  ids: Uint32Array
  count: number
}

const FIRST_IDS = 4
/** A list keeps at most this many cells for each id in it. */
const CAPACITY_PER_ID_MAX = 4

/** The place of the id in the list, or where it belongs. */
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
  /** How many profiles each one follows. */
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
    assert(list.count < SOCIAL_LIMITS.followsPerProfileMax, 'a profile follows so many at most')
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
    assert(list !== undefined, 'only a follow that is there ends')
    const place = placeOf(list, followedId)
    assert(list.ids[place] === followedId, 'only a follow that is there ends')
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

  /** All the state, for the state hash; no fact while nobody follows anybody. */
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
      assert(list !== undefined, 'a list that is walked is there')
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
