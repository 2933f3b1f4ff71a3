// Asks who the visitor is: a wallet in the browser, or a trader of the demo.

import type { Context } from '../../context.ts'
import { messageOf, Refused, read } from '../../exchange/api.ts'
import { injectedWallet } from '../../exchange/signer.ts'
import type { DemoTrader } from '../../exchange/trader.ts'
import { Button } from '../../page/blocks.tsx'
import { openDialog } from '../../page/dialog.tsx'
import { useLayoutEffect, useSignal } from '../../page/preact.ts'
import { Fault } from '../../page/reading.tsx'

const NO_WALLET =
  'This browser has no wallet. An extension that offers one to pages (EIP-1193) works here.'
const NOT_FOUND = 404

/** Opens the login, unless somebody is logged in. */
export function openLogin(context: Context): void {
  if (context.trader.profile.peek() !== null) return
  openDialog('Log in', (close) => <Login context={context} close={close} />)
}

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

interface LoginProps {
  readonly context: Context
  readonly close: () => void
}

function Login({ context: { trader, notices }, close }: LoginProps) {
  const fault = useSignal('')
  const isBusy = useSignal(false)
  const traders = useSignal<readonly DemoTrader[]>([])
  useLayoutEffect(() => {
    demoTraders().then(
      (found) => {
        traders.value = found
      },
      (error: unknown) => {
        fault.value = messageOf(error)
      },
    )
  }, [])
  const login = async (act: () => Promise<void>) => {
    fault.value = ''
    isBusy.value = true
    try {
      await act()
      close()
      notices.good('You are logged in.')
    } catch (error) {
      fault.value = messageOf(error)
    }
    isBusy.value = false
  }
  return (
    <>
      <fieldset class="logins" disabled={isBusy.value}>
        <WalletLogin login={() => login(() => trader.loginByWallet())} />
        {traders.value.length > 0 && (
          <DemoLogins
            traders={traders.value}
            login={(demo) => login(() => trader.loginAsDemo(demo))}
          />
        )}
      </fieldset>
      <Fault text={fault.value} />
      <div class="row">
        <Button label="Cancel" onClick={close} />
      </div>
    </>
  )
}

function WalletLogin({ login }: { readonly login: () => Promise<void> }) {
  const hasWallet = injectedWallet() !== undefined
  return (
    <>
      <Button
        label="Wallet in this browser"
        class="main"
        disabled={!hasWallet}
        aria-describedby="wallet-hint"
        onClick={login}
      />
      <p class="soft" id="wallet-hint">
        {hasWallet ? 'It signs a text. That costs nothing and moves nothing.' : NO_WALLET}
      </p>
    </>
  )
}

interface DemoLoginsProps {
  readonly traders: readonly DemoTrader[]
  readonly login: (trader: DemoTrader) => Promise<void>
}

function DemoLogins({ traders, login }: DemoLoginsProps) {
  return (
    <div class="logins">
      <p class="soft">This exchange is a demo. Everybody may trade as one of these:</p>
      <div class="row">
        {traders.map((each, index) => (
          <button key={each.account} type="button" onClick={() => login(each)}>
            Demo trader {index + 1}
          </button>
        ))}
      </div>
    </div>
  )
}
