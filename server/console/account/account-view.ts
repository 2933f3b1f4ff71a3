// The visitor's own page: balance, positions, orders, history, API tokens and sessions.

import './account.css'
import type { Context } from '../context.ts'
import type { Profile } from '../exchange/trader.ts'
import { button, fill, h } from '../page/dom.ts'
import type { View } from '../page/view.ts'
import { shortAddress } from '../page/words.ts'
import { openLogin } from './access/login-dialog.ts'
import { sessionsPart } from './access/sessions.ts'
import { tokensPart } from './access/tokens.ts'
import { historyPart } from './history.ts'
import { openOrdersPart } from './holdings/open-orders.ts'
import { pnlPart } from './holdings/pnl.ts'
import { balancePart, positionsPart } from './holdings/positions.ts'
import type { Part } from './part.ts'

export function accountView(context: Context): View {
  const element = h('div', { class: 'view account' })
  let parts: readonly Part[] = []
  const stopParts = () => {
    for (const part of parts) part.stop()
    parts = []
  }
  const unwatch = context.trader.profile.watch((profile) => {
    stopParts()
    if (profile === null) return fill(element, ...beforeLogin(context))
    parts = [balancePart, positionsPart, pnlPart, openOrdersPart, historyPart].map((open) =>
      open(context),
    )
    const access = [tokensPart(context), sessionsPart(context)]
    const pair = h('div', { class: 'access' }, ...access.map((part) => part.element))
    const own = parts.map((part) => part.element)
    parts = [...parts, ...access]
    fill(element, h('h1', {}, 'Account'), whoseLine(profile), ...own, pair)
  })
  return {
    title: 'Account',
    element,
    stop() {
      unwatch()
      stopParts()
    },
  }
}

function beforeLogin(context: Context) {
  return [
    h('h1', {}, 'Account'),
    h(
      'div',
      { class: 'panel before-login' },
      h(
        'p',
        {},
        'Balance, positions, orders and API tokens belong to a wallet. Log in to see yours: ',
        'the wallet signs a text, which costs nothing and moves nothing.',
      ),
      button('Log in', () => openLogin(context), { class: 'main' }),
    ),
  ]
}

function whoseLine({ account, displayName, id }: Profile) {
  const name = displayName === account ? null : h('bdi', { class: 'own-name' }, displayName)
  return h(
    'p',
    { class: 'soft whose' },
    name,
    h('span', { attrs: { title: account } }, shortAddress(account)),
    h('span', {}, `Profile ${id}`),
  )
}
