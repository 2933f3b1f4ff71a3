import assert from 'node:assert/strict'
import { at, textAt } from './json-path.ts'

// What tests check in a reply of the exchange, over HTTP or inside a batch.

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body read as JSON. */
  readonly body: unknown
}

export function codeOf(reply: Pick<Reply, 'body'>): string {
  return String(at(reply.body, 'code'))
}

/** A refusal with this status and code has the form of all refusals. */
export function assertRefused(
  { status, headers, text, body }: Reply,
  expected: number,
  code: string,
  what = text,
): void {
  assert.deepEqual([status, at(body, 'code')], [expected, code], what)
  assert.equal(at(body, 'statusCode'), expected, what)
  assert.equal(typeof at(body, 'error'), 'string', what)
  assert.match(String(headers.get('content-type')), /^application\/json/, what)
}

/** The body of a reply that must have this status. */
export function bodyOf(reply: Reply, status = 200): unknown {
  assert.equal(reply.status, status, reply.text)
  return reply.body
}

/** The reply to a call that must give this status. */
export async function accepted(call: Promise<Reply>, status = 200): Promise<Reply> {
  const reply = await call
  assert.equal(reply.status, status, reply.text)
  return reply
}

/** The id of the order in a reply to POST /orders. */
export const orderIdOf = ({ body }: Reply): string => textAt(body, 'order', 'id')

/** The items of a list in a reply. */
export function listAt(reply: Reply, ...path: string[]): readonly unknown[] {
  const found = at(reply.body, ...path)
  assert.ok(Array.isArray(found), reply.text)
  return found
}

/** Sends again after each 503: a busy machine may be too late, and every client tries again. */
export async function answered(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send()
    if (reply.status !== 503) return reply
  }
}
