// Health, readiness, metrics and the document of all routes.

import { open } from '../http/auth-scheme.ts'
import { refuse } from '../http/refusal.ts'
import { bytes } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { boolean, integer, text } from '../http/scalars.ts'
import { object, openObject } from '../http/schema.ts'
import type { Services } from './services.ts'

export const health = route({
  method: 'GET',
  path: '/health',
  auth: open(),
  lane: 'public',
  about: 'Says that the process runs.',
  reply: object({ status: text() }),
  example: { reply: { status: 'ok' } },
  handle: () => ({ status: 'ok' }),
})

export const ready = route({
  method: 'GET',
  path: '/ready',
  auth: open(),
  lane: 'public',
  about: 'Says whether orders are taken, and the newest durable command.',
  reply: object({ ready: boolean(), seq: integer(0) }),
  rejects: ['NOT_READY'],
  example: { reply: { ready: true, seq: 41 } },
  handle: (_input, { isReady, pipeline }: Services) =>
    isReady() ? { ready: true, seq: pipeline.durableSeq } : refuse('NOT_READY'),
})

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  auth: open(),
  lane: 'public',
  about: 'Metrics in the Prometheus text format.',
  reply: text(),
  produces: 'text/plain',
  example: { reply: '# HELP …' },
  handle: async (_input, { metricsText }: Services) =>
    bytes(await metricsText(), 'text/plain; version=0.0.4; charset=utf-8'),
})

export const openApi = route({
  method: 'GET',
  path: '/openapi.json',
  auth: open(),
  lane: 'public',
  about: 'This document.',
  reply: openObject({ openapi: text() }),
  example: { reply: { openapi: '3.1.0' } },
  handle: (_input, services: Services) => bytes(services.openApi()),
})
