// The heartbeat deadline of a profile (rules §4.9).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { hmac } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { integer, means, nullable } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import type { OrderServices } from './services.ts'

export const beat = route({
  method: 'POST',
  path: '/heartbeats',
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: 'Sets the time at which all resting orders of the caller are canceled; {} clears it.',
  body: object({
    cancelAt: means(
      optional(integer(0)),
      `The deadline in Unix milliseconds, at least ${LIMITS.heartbeatAheadMsMin} ms after server ` +
        'time; absent to clear it.',
    ),
  }),
  reply: object({
    cancelAt: means(nullable(integer(0)), 'The deadline in Unix milliseconds; null for none.'),
    serverTime: means(integer(0), 'Exchange time in Unix milliseconds.'),
  }),
  means: 'The deadline is set as shown, replacing any earlier one.',
  rejects: ['OVERLOADED', 'VALIDATION', 'HEARTBEAT_CANCELING'],
  example: {
    body: { cancelAt: 1_796_126_410_000 },
    reply: { cancelAt: 1_796_126_410_000, serverTime: 1_796_126_400_000 },
  },
  handle: async ({ body, owner }, { heartbeats }: OrderServices) => {
    const reported = await heartbeats.beat(owner, body.cancelAt ?? null)
    if (reported === REJECT.VALIDATION) {
      return invalid({ field: 'cancelAt', message: 'must be at least 5 s after server time' })
    }
    if (reported instanceof Reject) return refuse(reported)
    return { cancelAt: reported.cancelAtMs, serverTime: reported.nowMs }
  },
})
