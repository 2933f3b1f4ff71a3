import assert from 'node:assert/strict'
import { at, type LiveExchange, type Reply, type Trader } from './live-exchange.ts'

/** Reads a path. A busy machine may answer too late; every client comes again then. */
export async function readOf(live: LiveExchange, path: string): Promise<Reply> {
  for (;;) {
    const reply = await live.send('GET', path)
    if (reply.status !== 503) return reply
  }
}

/** A signed call that reads, or that changes nothing when it comes too late; like `readOf`. */
export async function patientCall(
  live: LiveExchange,
  who: Pick<Trader, 'tokenId' | 'secret'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  for (;;) {
    const reply = await live.call(who, method, path, body)
    if (reply.status !== 503) return reply
  }
}

/** The items of a list in a reply. */
export function listAt(reply: Reply, ...path: string[]): readonly unknown[] {
  const found = at(reply.body, ...path)
  assert.ok(Array.isArray(found), reply.text)
  return found
}
