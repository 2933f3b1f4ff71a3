// Health, readiness and the document of all routes.

import { open } from '../../http/auth-scheme.ts'
import { refuse } from '../../http/refusal.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { boolean, integer, text } from '../../http/schema/scalars.ts'
import { list, object, openObject } from '../../http/schema/schema.ts'
import type { Services } from '../services.ts'

export const health = route({
  method: 'GET',
  path: '/health',
  auth: open(),
  lane: 'public',
  room: 'vital',
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
  room: 'vital',
  about: 'Says whether orders are taken, by what it is known, and the newest durable command.',
  reply: object({
    ready: boolean(),
    seq: integer(0),
    checks: list(object({ name: text(), ok: boolean(), detail: text() })),
  }),
  rejects: ['NOT_READY'],
  example: {
    reply: { ready: true, seq: 41, checks: [{ name: 'journal', ok: true, detail: '' }] },
  },
  handle: (_input, { readiness, pipeline }: Services) => {
    const found = { seq: pipeline.durableSeq, ...readiness() }
    return found.ready ? found : refuse('NOT_READY', found)
  },
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
