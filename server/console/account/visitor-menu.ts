// The visitor in the head of the page: a login, or who is there and what may be spent.

import './account.css'
import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import type { Profile } from '../exchange/trader.ts'
import { button, fill, h, write } from '../page/dom.ts'
import { onLoginRequested } from '../page/login-request.ts'
import { Refresher } from '../page/refresher.ts'
import { dollars, shortAddress } from '../page/words.ts'
import { openLogin } from './access/login-dialog.ts'
import type { Balance } from './account-replies.ts'
import { failureOf, onOwnUpdates } from './own-updates.ts'

const PAUSE_MS = 700

export function visitorMenu(context: Context): HTMLElement {
  const { trader } = context
  const element = h('div', { class: 'visitor' })
  let end = () => {}
  trader.profile.watch((profile) => {
    end()
    if (profile === null) end = showLogin(element, context)
    else end = showVisitor(element, profile, context)
  })
  onLoginRequested(() => {
    if (trader.profile.value === null) openLogin(context)
  })
  return element
}

function showLogin(element: HTMLElement, context: Context): () => void {
  fill(
    element,
    button('Log in', () => openLogin(context), { class: 'main' }),
  )
  return () => {}
}

/** A profile without a name is shown by its address. */
export function nameOf({ displayName, account }: Profile): string {
  return displayName === account ? shortAddress(account) : displayName
}

function showVisitor(element: HTMLElement, profile: Profile, context: Context): () => void {
  const free = h('span', { class: 'free', attrs: { title: 'Free balance' } })
  const refresher = new Refresher(async (signal) => {
    try {
      const balance = await read<Balance>('/portfolio/balance', signal)
      if (!signal.aborted) write(free, dollars(balance.free))
    } catch (error) {
      if (!signal.aborted) free.title = failureOf(error)
    }
  }, PAUSE_MS)
  const leave = button('Log out', async () => {
    leave.disabled = true
    try {
      await context.trader.logout()
    } catch (error) {
      context.notices.failure(error)
      leave.disabled = false
    }
  })
  fill(
    element,
    h('a', { class: 'name', href: '#/account' }, h('bdi', {}, nameOf(profile))),
    h('span', { class: 'hidden' }, 'Free balance'),
    free,
    leave,
  )
  const unwatch = onOwnUpdates(context, () => refresher.ask())
  refresher.ask()
  return () => {
    unwatch()
    refresher.stop()
  }
}
