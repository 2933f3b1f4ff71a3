import type { Context } from '../context.ts'
import { still, type View } from '../page/view.ts'

export function marketsView(_context: Context, _params: Readonly<Record<string, string>>): View {
  return still('Markets')
}
