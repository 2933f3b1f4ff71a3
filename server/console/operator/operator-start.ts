// The page of operators: a token first, then the views.

import './operator.css'
import { button, fill, h } from '../page/dom.ts'
import { Notices } from '../page/notices.ts'
import { openShell } from '../page/shell.ts'
import { startTheme } from '../page/theme.ts'
import { type Place, Places, type View } from '../page/view.ts'
import { Access } from './access.ts'
import { auditView } from './audit.ts'
import { healthView } from './health/health.ts'
import { solvencyView } from './health/solvency.ts'
import { marketsView } from './markets/markets.ts'
import type { OperatorContext } from './operator-context.ts'
import { profilesView } from './profiles/profiles.ts'
import { tokenView } from './token-form.ts'
import { tradingView } from './trading.ts'

type Open = (context: OperatorContext) => View

const VIEWS: readonly (readonly [fragment: string, label: string, open: Open])[] = [
  ['#/', 'Markets', marketsView],
  ['#/profiles', 'Profiles', profilesView],
  ['#/trading', 'Trading', tradingView],
  ['#/audit', 'Audit', auditView],
  ['#/health', 'Health', healthView],
  ['#/solvency', 'Solvency', solvencyView],
]

/** Without a token every address shows the form that asks for one. */
function guarded(open: Open): Open {
  return (context) => (context.access.isOpen.value ? open(context) : tokenView(context))
}

export function operatorStart(): void {
  startTheme()
  const notices = new Notices()
  const access = new Access()
  const leave = h('span', {})
  const shell = openShell({
    home: '#/',
    links: VIEWS.map(([fragment, label]) => [fragment, label]),
    aside: [h('span', { class: 'soft' }, 'Operators'), leave],
    foot: ['The token is kept in this tab alone, and for half an hour without a touch.'],
    notices: notices.element,
  })
  const places: readonly Place<OperatorContext>[] = VIEWS.map(([pattern, , open]) => ({
    pattern,
    open: guarded(open),
  }))
  const shown = new Places(shell.root, { access, notices }, places, shell.mark)
  let wasOpen = access.isOpen.value
  access.isOpen.watch((isOpen) => {
    fill(leave, isOpen ? button('Forget token', () => access.close()) : null)
    if (isOpen !== wasOpen) shown.show(true)
    wasOpen = isOpen
  })
}
