// Only operators read metrics. The public listener requires an operator's token. The operators'
// listener does not: everyone who can reach it may read them.

import { type Auth, admin, open } from '../../auth/auth-scheme.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { text } from '../../edge/http/schema/scalars.ts'
import type { Caller } from '../../messages/call.ts'
import type { SystemServices } from './services.ts'

function metricsFor<C extends Caller | null>(auth: Auth<C>) {
  return route({
    method: 'GET',
    path: '/metrics',
    auth,
    rateClass: 'admin',
    about: 'Returns metrics in the Prometheus text format.',
    reply: text(),
    means: 'Every metric of the process, one per line.',
    produces: 'text/plain',
    example: { reply: '# HELP …' },
    handle: async (_input, { metricsText }: SystemServices) =>
      bytes(await metricsText(), 'text/plain; version=0.0.4; charset=utf-8'),
  })
}

export const metrics = metricsFor(admin('read'))
export const openMetrics = metricsFor(open())
