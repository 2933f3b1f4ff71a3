import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT, type RejectName } from '../../../../engine/domain/reject-precedence.ts'
import { api } from '../../../../server/api/routes.ts'

// The sentences of the catalogue: what was wrong or expected, then what to do. The form is checked
// here; a reader judges the words.

/** Refusals after which there is nothing to do: the caller has what it requested, or never can. */
const NOTHING_TO_DO: ReadonlySet<RejectName> = new Set<RejectName>([
  'FOLLOW_OF_SELF',
  'SOCIAL_CONNECTION_OFF',
  'ACCURACY_OFF',
  'PARTNER_REQUIRED',
  'NO_PARTNER',
])

/** Sentences that clients of other exchanges compare, letter by letter. */
const PINNED: ReadonlySet<RejectName> = new Set<RejectName>(['INTENT_EXPIRED'])

/** Words that a reply has no use for: none says what a program should do. */
const EMPTY_WORDS = /\b(please|sorry|oops|simply|invalid request|something|an error)\b/i

test('each sentence of the catalogue says what is wrong, and then what to do', () => {
  for (const { name, sentence } of Object.values(REJECT)) {
    if (PINNED.has(name)) continue
    assert.match(sentence, /^[A-Z]/, name)
    assert.match(sentence, /[.]$/, name)
    assert.doesNotMatch(sentence, / {2}|[.] *[.]|;$|\n/, name)
    assert.doesNotMatch(sentence, EMPTY_WORDS, name)
    assert.ok(sentence.length <= 240, `${name} has ${sentence.length} characters`)
    // A fault and an advice are two parts: two sentences, or one with a colon or a semicolon.
    const parts = sentence.split(/[;:] |[.] (?=[A-Z])/)
    assert.equal(parts.length < 2, NOTHING_TO_DO.has(name), `${name}: ${sentence}`)
    for (const part of parts) assert.ok(part.trim().split(' ').length >= 2, `${name}: ${part}`)
  }
})

const NAMED_CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/[a-z:A-Z/.-]*[a-zA-Z])/g

test('each call that a sentence names is a call of the exchange', () => {
  const calls = new Set(api.map(({ method, path }) => `${method} ${path}`))
  for (const { name, sentence } of Object.values(REJECT)) {
    for (const [call] of sentence.matchAll(NAMED_CALL))
      assert.ok(calls.has(call), `${name}: ${call}`)
  }
})

test('no two refusals have one sentence, besides those that mean the same to a caller', () => {
  const names = new Map<string, string[]>()
  for (const { name, sentence } of Object.values(REJECT)) {
    names.set(sentence, [...(names.get(sentence) ?? []), name])
  }
  const shared = [...names.values()].filter((each) => each.length > 1)
  assert.deepEqual(shared, [])
})
