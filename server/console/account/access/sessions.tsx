// The sessions of the visitor: in this browser and in others.

import type { Context } from '../../context.ts'
import { Button, Region } from '../../page/blocks.tsx'
import { confirmAct } from '../../page/dialog.tsx'

export function Sessions({ context }: { readonly context: Context }) {
  return (
    <Region label="Sessions">
      <p>A session lasts until you log out. If somebody else may have one, end all of them.</p>
      <Button label="Log out everywhere" onClick={() => confirmLogout(context)} />
    </Region>
  )
}

function confirmLogout({ trader, notices }: Context): void {
  confirmAct({
    title: 'Log out everywhere?',
    about: (
      <>
        <p>Every session of this account ends, in this browser and in all others.</p>
        <p class="soft">
          Tokens that these pages made end too. Other API tokens and open orders stay.
        </p>
      </>
    ),
    act: 'Log out all browsers',
    async run() {
      await trader.logoutEverywhere()
      notices.good('All sessions are over.')
    },
  })
}
