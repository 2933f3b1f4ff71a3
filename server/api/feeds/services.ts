import type { SharedServices } from '../shared-services.ts'
import type { Feeds } from './feeds-service.ts'

/** What the routes of this folder need. */
export interface FeedServices extends SharedServices {
  readonly feeds: Feeds
}
