import { decideBookmark, decideFollow } from '../../../engine/core/decide/social.ts'
import type { Bookmark } from '../../../engine/core/social/bookmarks.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { BookmarkKind } from '../../../engine/domain/social/social-command.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { SharedServices } from '../shared-services.ts'
import type { BookmarkViews } from './bookmark-views.ts'
import type { SocialConnections } from './social-connections.ts'

// Changes of follows and bookmarks. A request for what already exists changes nothing.

/** The relation of one profile to another. */
interface FollowState {
  readonly profileId: ProfileId
  readonly isFollowing: boolean
  readonly followersCount: number
}

export class SocialChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  async follow(profileId: ProfileId, followedId: ProfileId): Promise<FollowState | Reject> {
    const { clearing } = this.#pipeline
    const changing = this.#pipeline.change(() => {
      if (clearing.social.follows.isFollowing(profileId, followedId)) return null
      const reject = decideFollow(clearing, profileId, followedId)
      return reject ?? { kind: 'followProfile', profileId, followedId }
    })
    const state = this.#stateOf(profileId, followedId)
    return (await changing) ?? state
  }

  async unfollow(profileId: ProfileId, followedId: ProfileId): Promise<FollowState | Reject> {
    const { follows } = this.#pipeline.clearing.social
    const changing = this.#pipeline.change(() => {
      if (!follows.isFollowing(profileId, followedId)) return null
      return { kind: 'unfollowProfile', profileId, followedId }
    })
    const state = this.#stateOf(profileId, followedId)
    return (await changing) ?? state
  }

  /** Read it before the wait for a change: later commands may not be durable. */
  #stateOf(profileId: ProfileId, followedId: ProfileId): FollowState {
    const { follows } = this.#pipeline.clearing.social
    return {
      profileId: followedId,
      isFollowing: follows.isFollowing(profileId, followedId),
      followersCount: follows.followersOf(followedId),
    }
  }

  /** A market that is already bookmarked keeps its bookmark, with its id and its kind. */
  async bookmark(
    profileId: ProfileId,
    marketId: MarketId,
    targetKind: BookmarkKind,
  ): Promise<Bookmark | Reject> {
    const { clearing } = this.#pipeline
    const { bookmarks } = clearing.social
    const changing = this.#pipeline.change(() => {
      if (bookmarks.find(profileId, marketId) !== undefined) return null
      const reject = decideBookmark(clearing, profileId)
      return reject ?? { kind: 'putBookmark', profileId, marketId, targetKind }
    })
    const put = bookmarks.find(profileId, marketId)
    const refused = await changing
    if (refused !== null) return refused
    assert(put !== undefined, 'a bookmark that was put exists')
    return put
  }

  /** The id of another profile's bookmark is refused like an unknown id. */
  removeBookmark(profileId: ProfileId, bookmarkId: Seq): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      const found = bookmarks.of(profileId).find(({ seq }) => seq === bookmarkId)
      if (found === undefined) return REJECT.BOOKMARK_NOT_FOUND
      return { kind: 'removeBookmark', profileId, marketId: found.marketId }
    })
  }

  clearBookmarks(profileId: ProfileId): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      return bookmarks.owners.of(profileId) === 0 ? null : { kind: 'clearBookmarks', profileId }
    })
  }

  showBookmarks(profileId: ProfileId, isPublic: boolean): Promise<Reject | null> {
    const { bookmarks } = this.#pipeline.clearing.social
    return this.#pipeline.change(() => {
      if (bookmarks.isShown(profileId) === isPublic) return null
      return { kind: 'showBookmarks', profileId, isPublic }
    })
  }
}

/** What the routes of this folder need. */
export interface SocialServices extends SharedServices {
  readonly social: SocialChanges
  readonly bookmarks: BookmarkViews
  readonly connections: SocialConnections
}
