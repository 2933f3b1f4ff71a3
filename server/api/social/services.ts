import type { SharedServices } from '../shared-services.ts'
import type { BookmarkViews } from './bookmark-views.ts'
import type { SocialChanges } from './social-changes.ts'
import type { SocialConnections } from './social-connections.ts'

/** What the routes of this folder need. */
export interface SocialServices extends SharedServices {
  readonly social: SocialChanges
  readonly bookmarks: BookmarkViews
  readonly connections: SocialConnections
}
