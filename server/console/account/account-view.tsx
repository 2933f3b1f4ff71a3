// The visitor's own page: balance, positions, orders, history, API tokens and sessions.

import { Button } from '../page/blocks.tsx'
import './account.css'
import type { Context } from '../context.ts'
import type { Profile } from '../exchange/trader.ts'
import { shortAddress } from '../page/format.ts'
import { openLogin } from './access/login-dialog.tsx'
import { Sessions } from './access/sessions.tsx'
import { Tokens } from './access/tokens.tsx'
import { History } from './history.tsx'
import { OpenOrders } from './holdings/open-orders.tsx'
import { ProfitAndLoss } from './holdings/pnl.tsx'
import { BalancePart, PositionsPart } from './holdings/positions.tsx'

export function AccountView({ context }: { readonly context: Context }) {
  const profile = context.trader.profile.value
  return (
    <div class="view account">
      <h1>Account</h1>
      {profile === null ? (
        <BeforeLogin context={context} />
      ) : (
        <Own key={profile} profile={profile} context={context} />
      )}
    </div>
  )
}

function BeforeLogin({ context }: { readonly context: Context }) {
  return (
    <div class="panel before-login">
      <p>
        Balance, positions, orders and API tokens belong to a wallet. Log in to see yours: the
        wallet signs a text, which costs nothing and moves nothing.
      </p>
      <Button label="Log in" class="main" onClick={() => openLogin(context)} />
    </div>
  )
}

interface OwnProps {
  readonly profile: Profile
  readonly context: Context
}

function Own({ profile: { account, displayName, id }, context }: OwnProps) {
  return (
    <>
      <p class="soft whose">
        {displayName !== account && <bdi class="own-name">{displayName}</bdi>}
        <span title={account}>{shortAddress(account)}</span>
        <span>Profile {id}</span>
      </p>
      <BalancePart context={context} />
      <PositionsPart context={context} />
      <ProfitAndLoss context={context} />
      <OpenOrders context={context} />
      <History context={context} />
      <div class="access">
        <Tokens context={context} />
        <Sessions context={context} />
      </div>
    </>
  )
}
