import assert from 'node:assert/strict'
import { at, type LiveExchange, type Reply, type Trader } from './live-exchange.ts'

/** Asks until there is an answer: a busy machine may be too late, and every client comes again. */
export async function answered(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await request()
    if (reply.status !== 503) return reply
  }
}

export function readOf(live: LiveExchange, path: string): Promise<Reply> {
  return answered(() => live.send('GET', path))
}

/** A signed call that reads, or that changes nothing when it comes too late; like `readOf`. */
export function patientCall(
  live: LiveExchange,
  who: Pick<Trader, 'tokenId' | 'secret'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  return answered(() => live.call(who, method, path, body))
}

/** The items of a list in a reply. */
export function listAt(reply: Reply, ...path: string[]): readonly unknown[] {
  const found = at(reply.body, ...path)
  assert.ok(Array.isArray(found), reply.text)
  return found
}
