import assert from 'node:assert/strict'
import { at } from './json-path.ts'
import { ADMIN_TOKEN, type LiveExchange } from './live-exchange.ts'
import type { Reply } from './replies.ts'

// Matches and scores for tests, as operators send them over HTTP.

export function asOperator(
  live: LiveExchange,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  return live.send(method, path, { headers, ...text })
}

/** A football match of these markets, with what `changes` says instead. */
export function matchBody(
  fixtureId: number,
  markets: readonly string[],
  changes: object = {},
): Record<string, unknown> {
  return {
    title: `Match ${fixtureId}`,
    sportType: 'football',
    fixtureId,
    startsAt: '2026-03-01T12:00:00Z',
    home: { name: 'Reds' },
    away: { name: 'Blues' },
    markets: markets.map((slug) => ({ slug })),
    ...changes,
  }
}

export const askMatch = (live: LiveExchange, slug: string, body: unknown): Promise<Reply> =>
  asOperator(live, 'PUT', `/admin/sports/matches/${slug}`, body)

export async function putMatch(
  live: LiveExchange,
  slug: string,
  ...stated: Parameters<typeof matchBody>
): Promise<void> {
  const reply = await askMatch(live, slug, matchBody(...stated))
  assert.equal(reply.status, 200, reply.text)
}

export async function removeMatch(live: LiveExchange, slug: string): Promise<void> {
  const reply = await asOperator(live, 'DELETE', `/admin/sports/matches/${slug}`)
  assert.equal(reply.status, 200, reply.text)
}

export const askScores = (live: LiveExchange, ...events: unknown[]): Promise<Reply> =>
  asOperator(live, 'POST', '/admin/sports/scores', { events })

/** An event of football. */
export function eventOf(fixtureId: number, sequence: number, changes: object = {}): object {
  const named = { eventId: `e${fixtureId}-${sequence}`, fixtureId, sequence }
  return { ...named, sportType: 'football', homeScore: 0, awayScore: 0, ...changes }
}

/** Counts of what was applied, repeated and outdated. */
export async function publishScores(live: LiveExchange, ...events: unknown[]): Promise<unknown[]> {
  const reply = await askScores(live, ...events)
  assert.equal(reply.status, 200, reply.text)
  return ['applied', 'repeated', 'outdated'].map((name) => at(reply.body, name))
}
