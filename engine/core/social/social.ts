// Follows and bookmarks. They move no money. Only commands change them; one thread writes.

import type { CommandOf } from '../../domain/command-kinds.ts'
import type { ShareOwnerOf } from '../../domain/fair-share.ts'
import { Bookmarks, type CapturedBookmarks } from './bookmarks.ts'
import { type CapturedFollows, Follows } from './follows.ts'

export interface CapturedSocial {
  readonly follows: CapturedFollows
  readonly bookmarks: CapturedBookmarks
}

export class Social {
  readonly follows: Follows
  readonly bookmarks: Bookmarks

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.follows = new Follows(shareOwnerOf)
    this.bookmarks = new Bookmarks(shareOwnerOf)
  }

  apply(command: CommandOf<'social'>): void {
    const { follows, bookmarks } = this
    const { profileId } = command
    switch (command.kind) {
      case 'followProfile':
        follows.add(profileId, command.followedId)
        return
      case 'unfollowProfile':
        follows.remove(profileId, command.followedId)
        return
      case 'putBookmark': {
        const { marketId, targetKind, seq, nowMs: putMs } = command
        bookmarks.put(profileId, { marketId, targetKind, seq, putMs })
        return
      }
      case 'removeBookmark':
        bookmarks.remove(profileId, command.marketId)
        return
      case 'clearBookmarks':
        bookmarks.clear(profileId)
        return
      case 'showBookmarks':
        bookmarks.show(profileId, command.isPublic)
        return
      default:
        command satisfies never
    }
  }

  /** The full state, for the state hash; empty if there is none. */
  *hashedFields(): Iterable<unknown> {
    yield* this.follows.hashedFields()
    yield* this.bookmarks.hashedFields()
  }

  capture(): CapturedSocial {
    return { follows: this.follows.capture(), bookmarks: this.bookmarks.capture() }
  }

  restore({ follows, bookmarks }: CapturedSocial): void {
    this.follows.restore(follows)
    this.bookmarks.restore(bookmarks)
  }
}
