import assert from 'node:assert/strict'
import { DOCUMENTED_EVENTS } from '../../server/api/streams/schema/asyncapi.ts'
import { type Checker, compile } from '../../server/edge/http/schema/schema.ts'

// Every frame that a test sees is held to the schema of its event.

const events = new Map(DOCUMENTED_EVENTS.map((each) => [each.name, each]))
const checkers = new Map<string, Checker<unknown>>()

export function assertFrame(name: string, payload: unknown): void {
  const event = events.get(name)
  assert.ok(event !== undefined, `${name} is an event of the document`)
  const checker = checkers.get(name) ?? compile(event.payload)
  checkers.set(name, checker)
  if (checker.holds(payload)) return
  assert.fail(`${name} ${JSON.stringify(payload)}: ${JSON.stringify(checker.issues(payload))}`)
}
