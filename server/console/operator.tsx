// The page of operators: a token first, then the views. It calls the admin API with that token.

import { Button } from './page/blocks.tsx'
import './style.css'
import './operator/operator.css'
import { Access, type OperatorContext } from './operator/access.ts'
import { AuditView } from './operator/audit.tsx'
import { HealthView } from './operator/health/health.tsx'
import { SolvencyView } from './operator/health/solvency.tsx'
import { MarketsView } from './operator/markets/markets.tsx'
import { ProfilesView } from './operator/profiles/profiles.tsx'
import { TradingView } from './operator/trading.tsx'
import { ActForm, Field, typedIn } from './page/act-form.tsx'
import { Notices } from './page/notices.tsx'
import { showPage } from './page/rendering.ts'
import type { Place } from './page/router.tsx'
import { Shell } from './page/shell.tsx'
import { startTheme } from './page/theme.tsx'

const VIEWS = [
  ['#/', 'Markets', MarketsView],
  ['#/profiles', 'Profiles', ProfilesView],
  ['#/trading', 'Trading', TradingView],
  ['#/audit', 'Audit', AuditView],
  ['#/health', 'Health', HealthView],
  ['#/solvency', 'Solvency', SolvencyView],
] as const
const LINKS = VIEWS.map(([fragment, label]) => [fragment, label] as const)

const access = new Access()
const context: OperatorContext = { access, notices: new Notices() }

const places: readonly Place[] = VIEWS.map(([pattern, title, View]) => ({
  pattern,
  title,
  view: () => <View context={context} />,
}))
/** Without a token every address shows the form for one. */
const locked: readonly Place[] = VIEWS.map(([pattern]) => ({
  pattern,
  title: 'Operators',
  view: () => <TokenView />,
}))

/**
 * The field is not of the kind for passwords: a browser would offer to keep what stands in one.
 */
function TokenView() {
  const open = (form: HTMLFormElement) => access.open(typedIn(form, 'token'))
  return (
    <div class="view token-form">
      <h1>Operators</h1>
      <ActForm act="Open" run={open}>
        <p class="soft">
          The first start prints a token; create more with <code>outcomex admin operator add</code>.
          What a token may do follows from its role.
        </p>
        <Field
          label="Operator token"
          name="token"
          class="masked"
          required
          spellcheck={false}
          autocapitalize="off"
        />
      </ActForm>
    </div>
  )
}

function OperatorPage() {
  const isOpen = access.isOpen.value
  return (
    <Shell
      links={LINKS}
      places={isOpen ? places : locked}
      aside={
        <>
          <span class="soft">Operators</span>
          {isOpen && <Button label="Forget token" onClick={() => access.close()} />}
        </>
      }
      foot="The token is kept in this tab only; it is forgotten after 30 minutes of inactivity."
      notices={context.notices}
    />
  )
}

startTheme()
showPage(<OperatorPage />)
