// The traders of a demo exchange, for trying it out. They trade with worthless money, so their keys
// are not secret. An exchange that is not a demo has none.

import { open } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { account, profileId } from '../../edge/http/schema/fields.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { ACCOUNT } from '../examples.ts'
import type { SystemServices } from './services.ts'

export const demoTraders = route({
  method: 'GET',
  path: '/demo/traders',
  auth: open(),
  rateClass: 'public',
  about: 'Lists the traders of a demo with their keys, so that anyone can trade as one of them.',
  reply: object({
    traders: means(
      list(
        object({
          profileId: profileId(),
          account: account(),
          privateKey: means(text(), 'Private key of the account, with which the console signs.'),
        }),
      ),
      'All traders; an empty list while the demo is still being set up.',
    ),
  }),
  means: 'The exchange is a demo, and these are its traders.',
  rejects: ['PATH_NOT_FOUND'],
  example: {
    reply: {
      traders: [{ profileId: 1, account: ACCOUNT, privateKey: `0x${'11'.repeat(32)}` }],
    },
  },
  handle: (_input, { demoTraders: tradersOf }: SystemServices) => {
    const traders = tradersOf()
    if (traders === null) return refuse('PATH_NOT_FOUND')
    return {
      traders: traders.map(({ profileId, account, privateKey }) => {
        return { profileId, account, privateKey }
      }),
    }
  },
})
