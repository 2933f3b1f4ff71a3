// The visitor in the head of the page: a login, or who is there and what may be spent.

import { Button } from '../page/blocks.tsx'
import './account.css'
import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import type { Profile } from '../exchange/trader.ts'
import { CallButton } from '../page/act-form.tsx'
import { dollars, shortAddress } from '../page/format.ts'
import { useReading } from '../page/reading.tsx'
import { openLogin } from './access/login-dialog.tsx'
import type { Balance } from './account-replies.ts'
import { PAUSE_MS, useOwnEvents } from './part.tsx'

export function VisitorMenu({ context }: { readonly context: Context }) {
  const profile = context.trader.profile.value
  return (
    <div class="visitor">
      {profile === null ? (
        <Button label="Log in" class="main" onClick={() => openLogin(context)} />
      ) : (
        <Visitor key={profile} profile={profile} context={context} />
      )}
    </div>
  )
}

interface VisitorProps {
  readonly profile: Profile
  readonly context: Context
}

function Visitor({ profile: { displayName, account }, context }: VisitorProps) {
  const balance = useReading((signal) => read<Balance>('/portfolio/balance', signal), PAUSE_MS)
  useOwnEvents(context, () => balance.again())
  const free = balance.reply.value?.free
  return (
    <>
      <a class="name" href="#/account">
        <bdi>{displayName === account ? shortAddress(account) : displayName}</bdi>
      </a>
      <span class="hidden">Free balance</span>
      <span class="free" title={balance.fault.value || 'Free balance'}>
        {free !== undefined && dollars(free)}
      </span>
      <CallButton notices={context.notices} call={() => context.trader.logout()}>
        Log out
      </CallButton>
    </>
  )
}
