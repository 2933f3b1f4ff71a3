// Health, readiness, the time and the document of all routes.

import { type Auth, admin, open } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { check } from '../../edge/http/refusal-schemas.ts'
import { bytes, fresh } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, text } from '../../edge/http/schema/scalars.ts'
import { list, object, openObject } from '../../edge/http/schema/schema.ts'
import type { Caller } from '../../messages/call.ts'
import { timeText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ACCOUNT } from '../examples.ts'
import type { SystemServices } from './services.ts'

export const health = route({
  method: 'GET',
  path: '/health',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'vital',
  about: 'Liveness check.',
  reply: object({ status: means(text(), 'Always the text ok.') }),
  means: 'The process is running and answers.',
  example: { reply: { status: 'ok' } },
  handle: () => ({ status: 'ok' }),
})

export const time = route({
  method: 'GET',
  path: '/time',
  auth: open(),
  rateClass: 'public',
  about: 'Returns the server time, which is used to check signatures and receive windows.',
  reply: object({
    serverTime: means(integer(0), 'Wall clock of the server in Unix milliseconds.'),
    iso: means(isoTime(), 'The same time as ISO 8601 text.'),
  }),
  means: 'The time at which the call was answered.',
  example: { reply: { serverTime: 1_767_225_600_000, iso: '2026-01-01T00:00:00.000Z' } },
  handle: (_input, { clock, pipeline }: SystemServices) =>
    fresh(timeText(clock()), pipeline.published.versions.ofTime()),
})

export const ready = route({
  method: 'GET',
  path: '/ready',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'vital',
  about: 'Readiness check: whether orders are accepted, and the newest durable command.',
  reply: object({
    ready: means(boolean(), 'True when orders are accepted.'),
    seq: means(integer(0), 'Seq of the newest durable command, counted from 1.'),
    checks: means(list(check()), 'The results, one per checked part.'),
  }),
  means: 'Orders are accepted.',
  rejects: ['NOT_READY'],
  example: {
    reply: { ready: true, seq: 41, checks: [{ name: 'journal', ok: true, detail: '' }] },
  },
  handle: (_input, { readiness, pipeline }: SystemServices) => {
    const found = { seq: pipeline.durableSeq, ...readiness() }
    return found.ready ? found : refuse('NOT_READY', found)
  },
})

export const openApi = route({
  method: 'GET',
  path: '/openapi.json',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns this document.',
  reply: openObject({ openapi: means(text(), 'OpenAPI version of this document.') }),
  means: 'The document, generated from the routes.',
  example: { reply: { openapi: '3.1.0' } },
  handle: (_input, services: SystemServices) => bytes(services.openApi()),
})

export const asyncApi = route({
  method: 'GET',
  path: '/asyncapi.json',
  auth: open(),
  rateClass: 'public',
  // Without a public URL it contains the host of the call, so shared caches must not store it.
  about: 'Returns all socket channels and events as an AsyncAPI document.',
  reply: openObject({ asyncapi: means(text(), 'AsyncAPI version of this document.') }),
  means: 'The document, generated from the channels.',
  example: { reply: { asyncapi: '3.0.0' } },
  handle: ({ call }, services: SystemServices) => {
    return bytes(services.asyncApi(call.headers.get('host') ?? ''))
  },
})

// The traders of a demo exchange, for trying it out. They trade with worthless money, so their keys
// are not secret. An exchange that is not a demo has none.

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

// Only operators read metrics. The public listener requires an operator's token. The operators'
// listener does not: everyone who can reach it may read them.

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
