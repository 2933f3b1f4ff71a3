import assert from 'node:assert/strict'
import { at, type LiveExchange, type Reply } from './live-exchange.ts'

/** Reads a path. A busy machine may answer too late; every client comes again then. */
export async function readOf(live: LiveExchange, path: string): Promise<Reply> {
  for (;;) {
    const reply = await live.send('GET', path)
    if (reply.status !== 503) return reply
  }
}

/** The items of a list in a reply. */
export function listAt(reply: Reply, ...path: string[]): readonly unknown[] {
  const found = at(reply.body, ...path)
  assert.ok(Array.isArray(found), reply.text)
  return found
}
