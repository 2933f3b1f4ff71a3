// Asks who the visitor is: a wallet in the browser, or a trader of the demo.

import type { Context } from '../../context.ts'
import { Refused, read } from '../../exchange/api.ts'
import { injectedWallet } from '../../exchange/signer.ts'
import type { DemoTrader } from '../../exchange/trader.ts'
import { button, fill, h, write } from '../../page/dom.ts'
import { openDialog } from '../../page/parts/dialog.ts'

const NO_WALLET =
  'This browser has no wallet. An extension that offers one to pages (EIP-1193) works here.'
const NOT_FOUND = 404

/** The traders that a demo gives away; none when the exchange is no demo. */
async function demoTraders(): Promise<readonly DemoTrader[]> {
  try {
    const { traders } = await read<{ traders: readonly DemoTrader[] }>('/demo/traders')
    return traders
  } catch (error) {
    if (error instanceof Refused && error.status === NOT_FOUND) return []
    throw error
  }
}

export function openLogin({ trader, notices }: Context): void {
  const notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  const demo = h('div', { class: 'logins' })
  const hasWallet = injectedWallet() !== undefined
  const login = async (act: () => Promise<void>) => {
    write(notice, '')
    choices.disabled = true
    try {
      await act()
      dialog.close()
      notices.good('You are logged in.')
    } catch (error) {
      write(notice, error instanceof Error ? error.message : String(error))
    }
    choices.disabled = false
  }
  const wallet = button('Wallet in this browser', () => login(() => trader.loginByWallet()), {
    class: 'main',
    attrs: { disabled: !hasWallet, 'aria-describedby': 'wallet-hint' },
  })
  const choices = h('fieldset', { class: 'logins' }, wallet, demo)
  const hint = hasWallet ? 'It signs a text. That costs nothing and moves nothing.' : NO_WALLET
  wallet.after(h('p', { class: 'soft', id: 'wallet-hint' }, hint))
  const close = button('Cancel', () => dialog.close())
  const dialog = openDialog('Log in', choices, notice, h('div', { class: 'row' }, close))
  const show = (traders: readonly DemoTrader[]) => {
    if (traders.length === 0) return
    const buttons = traders.map((each, index) =>
      button(`Demo trader ${index + 1}`, () => login(() => trader.loginAsDemo(each))),
    )
    fill(
      demo,
      h('p', { class: 'soft' }, 'This exchange is a demo. Everybody may trade as one of these:'),
      h('div', { class: 'row' }, ...buttons),
    )
  }
  demoTraders().then(show, (error: Error) => write(notice, error.message))
}
