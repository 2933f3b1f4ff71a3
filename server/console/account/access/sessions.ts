// The sessions of the visitor: in this browser and in others.

import type { Context } from '../../context.ts'
import { button, h } from '../../page/dom.ts'
import { secondLook } from '../../page/parts/dialog.ts'
import { region } from '../../page/parts/region.ts'
import type { Part } from '../part.ts'

export function sessionsPart({ trader, notices }: Context): Part {
  const everywhere = button('Log out everywhere', () =>
    secondLook({
      title: 'Log out everywhere?',
      about: [
        h('p', {}, 'Every session of this account ends, in this browser and in all others. '),
        h(
          'p',
          { class: 'soft' },
          'Tokens that these pages made end too. Other API tokens and open orders stay.',
        ),
      ],
      act: 'Log out all browsers',
      async run() {
        await trader.logoutEverywhere()
        notices.good('All sessions are over.')
      },
    }),
  )
  return {
    element: region(
      'Sessions',
      h(
        'p',
        {},
        'A session lasts until you log out. If somebody else may have one, end all of them.',
      ),
      everywhere,
    ),
    stop() {},
  }
}
