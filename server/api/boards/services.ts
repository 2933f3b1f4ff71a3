import type { PageServices } from '../pages/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { Boards } from './boards.ts'

/** What the routes of this folder need. */
export interface BoardServices extends SharedServices, Pick<PageServices, 'marketPages'> {
  readonly boards: Boards
}
