// Bookmarked markets of profiles, and whether others may read them. Only commands change them; one
// thread writes. A market may be archived while it is bookmarked.
// Invariants: a profile has at most one bookmark per market; no list is empty; `owners` counts the
// bookmarks of each list.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { MarketId, ProfileId, Seq } from '../../domain/ids.ts'
import { BOOKMARK_KINDS, type BookmarkKind } from '../../domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../domain/social/social-limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { f64Bytes, u32Bytes } from '../cells/columns.ts'

export interface Bookmark {
  readonly marketId: MarketId
  readonly targetKind: BookmarkKind
  /** Seq of the command that added it: its permanent id. */
  readonly seq: Seq
  readonly putMs: TimeMs
}

export interface CapturedBookmarks {
  /** By ascending profile: its id, its number of bookmarks, and their fields, oldest first. */
  readonly lists: Float64Array
  /** Profiles with public bookmarks, by ascending id. */
  readonly shown: Uint32Array
}

/** Market, kind, seq and time of each bookmark, in one array of numbers. */
const FIELDS = 4

function bookmarkAt(list: readonly number[], at: number): Bookmark {
  const [marketId, kind, seq, putMs] = list.slice(at, at + FIELDS)
  return { marketId, targetKind: BOOKMARK_KINDS[kind], seq, putMs }
}

export class Bookmarks {
  readonly #lists = new Map<ProfileId, number[]>()
  readonly #shown = new Set<ProfileId>()
  readonly owners: OwnerCounts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** A copy, oldest first. */
  of(profileId: ProfileId): Bookmark[] {
    const list = this.#lists.get(profileId) ?? []
    return Array.from({ length: list.length / FIELDS }, (_, index) => {
      return bookmarkAt(list, index * FIELDS)
    })
  }

  /** The bookmark for a market. */
  find(profileId: ProfileId, marketId: MarketId): Bookmark | undefined {
    return this.of(profileId).find((each) => each.marketId === marketId)
  }

  isShown(profileId: ProfileId): boolean {
    return this.#shown.has(profileId)
  }

  put(profileId: ProfileId, { marketId, targetKind, seq, putMs }: Bookmark): void {
    assert(this.find(profileId, marketId) === undefined, 'a market is bookmarked once')
    const has = this.owners.of(profileId)
    assert(
      has < SOCIAL_LIMITS.bookmarksPerProfileMax,
      'a profile has fewer bookmarks than the limit',
    )
    const list = this.#lists.get(profileId) ?? []
    this.#lists.set(profileId, list)
    list.push(marketId, BOOKMARK_KINDS.indexOf(targetKind), seq, putMs)
    this.owners.add(profileId, 1)
  }

  remove(profileId: ProfileId, marketId: MarketId): void {
    const list = this.#lists.get(profileId)
    const index = this.of(profileId).findIndex((each) => each.marketId === marketId)
    assert(list !== undefined && index >= 0, 'only an existing bookmark is removed')
    list.splice(index * FIELDS, FIELDS)
    this.owners.add(profileId, -1)
    if (list.length === 0) this.#lists.delete(profileId)
  }

  clear(profileId: ProfileId): void {
    this.owners.add(profileId, -this.owners.of(profileId))
    this.#lists.delete(profileId)
  }

  show(profileId: ProfileId, isPublic: boolean): void {
    if (isPublic) this.#shown.add(profileId)
    else this.#shown.delete(profileId)
  }

  /** The full state, for the state hash; empty if no profile has or shows bookmarks. */
  *hashedFields(): Iterable<unknown> {
    const { lists, shown } = this.capture()
    if (lists.length > 0) {
      yield ['bookmarks', this.owners.all]
      yield f64Bytes(lists)
    }
    if (shown.length === 0) return
    yield ['bookmarks shown', shown.length]
    yield u32Bytes(shown)
  }

  /** Sorted, because the order in which profiles came is not part of the state. */
  capture(): CapturedBookmarks {
    const lists = new Float64Array(this.#lists.size * 2 + this.owners.all * FIELDS)
    let at = 0
    for (const [profileId, list] of [...this.#lists].sort(([a], [b]) => a - b)) {
      lists[at] = profileId
      lists[at + 1] = list.length / FIELDS
      lists.set(list, at + 2)
      at += 2 + list.length
    }
    return { lists, shown: Uint32Array.from(this.#shown).sort() }
  }

  restore({ lists, shown }: CapturedBookmarks): void {
    assert(this.owners.all === 0, 'only a fresh state is restored')
    for (let at = 0; at < lists.length; at += 2 + lists[at + 1] * FIELDS) {
      const count = lists[at + 1]
      this.#lists.set(lists[at], [...lists.subarray(at + 2, at + 2 + count * FIELDS)])
      this.owners.add(lists[at], count)
    }
    for (const profileId of shown) this.#shown.add(profileId)
  }
}
