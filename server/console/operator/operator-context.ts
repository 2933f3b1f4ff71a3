// What every view of operators gets.

import type { Notices } from '../page/notices.ts'
import type { Access } from './access.ts'

export interface OperatorContext {
  readonly access: Access
  readonly notices: Notices
}
