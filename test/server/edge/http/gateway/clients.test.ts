import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compilePrinted } from '../../../../../server/edge/http/schema/printed-text.ts'
import {
  integer,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../../../../server/edge/http/schema/scalars.ts'
import { anyOf, list, object, optional } from '../../../../../server/edge/http/schema/schema.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

// Requests of clients that others wrote, and the replies to them.

let toys: ToyExchange
before(async () => {
  toys = await startToys()
})
after(() => toys.gateway.stop())

async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const response = await fetch(toys.url + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const COOKIE = { cookie: 'session=alice' }
const SIGNED = { 'svc-api-key': 'alice' }

test('a call with a cookie and no body needs no content type', async () => {
  // The call passes to the schema, which requires a note.
  const bare = await send('POST', '/orders/1', COOKIE)
  assert.match(bare.text, /"code":"VALIDATION"/)
  const form = { ...COOKIE, 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await send('POST', '/orders/1', form, 'note=a')).status, 415)
})

test('a reply says how long its connection is kept open', async () => {
  const { headers } = await send('GET', '/health', {})
  assert.equal(headers.get('keep-alive'), 'timeout=3')
})

test('a compressed body gets a code of its own before the caller is proven', async () => {
  for (const encoding of ['gzip', 'br', 'x', 'GZIP, identity']) {
    const refused = await send('POST', '/orders/1', { 'content-encoding': encoding }, '{}')
    assert.equal(refused.status, 415, encoding)
    assert.match(refused.text, /"code":"BODY_ENCODED"/)
  }
  const plain = { ...SIGNED, 'content-encoding': 'Identity' }
  assert.equal((await send('POST', '/orders/1', plain, '{"note":"a"}')).status, 201)
})

test('a parameter that may be repeated may be written with brackets', async () => {
  const path = '/markets/btc/echo'
  const both = await send('GET', `${path}?statuses[]=LIVE&statuses%5B%5D=MATCHED&statuses=LIVE`, {})
  assert.deepEqual(JSON.parse(both.text).query.statuses, ['LIVE', 'MATCHED', 'LIVE'])
  for (const wrong of ['limit[]=1', 'nope[]=1', '[]=1', 'statuses[][]=LIVE']) {
    assert.equal((await send('GET', `${path}?${wrong}`, {})).status, 400, wrong)
  }
})

test('null in an optional field means absent, also inside lists', async () => {
  const nulls = '{"note":"a","count":null,"tags":null}'
  assert.equal((await send('POST', '/orders/1', SIGNED, nulls)).status, 201)
  assert.equal((await send('POST', '/orders/1', SIGNED, '{"note":null}')).status, 400)
  const stated = compilePrinted(
    object({
      bio: optional(nullable(text(5))),
      items: list(object({ size: optional(integer(1)), kind: oneOf('A') })),
      either: optional(anyOf(integer(0), object({ to: optional(text()) }))),
    }),
  )
  const value = {
    bio: null,
    items: [
      { size: null, kind: 'A' },
      { size: 2, kind: 'A' },
    ],
    either: { to: null },
  }
  assert.ok(stated.holds(value))
  assert.deepEqual(value, {
    bio: null,
    items: [{ kind: 'A' }, { size: 2, kind: 'A' }],
    either: {},
  })
  for (const wrong of [{ items: [{ kind: null }] }, { items: null }, { items: [null] }, null]) {
    assert.equal(stated.holds(wrong), false, JSON.stringify(wrong))
  }
})

test('a validation message is in words, without patterns and schema terms', () => {
  const stated = compilePrinted(
    object({
      slug: pattern('^[a-z]+$', 'Slug: lower-case letters.'),
      bio: optional(nullable(text(5))),
      kind: optional(oneOf('A', 'B')),
      at: optional(anyOf(integer(0), text(3))),
      count: optional(integer(1, 9)),
      names: optional(list(text(3, 1), 1, 2)),
    }),
  )
  const wordsOf = (fields: object) =>
    Object.fromEntries(
      stated.issues({ slug: 'a', ...fields }).map((each) => [each.field, each.message]),
    )
  const rows: [fields: object, words: Record<string, string>][] = [
    [{ slug: 'A' }, { slug: 'must have this form: Slug: lower-case letters' }],
    [{ slug: 1 }, { slug: 'must be text' }],
    [{ bio: '123456' }, { bio: 'must have at most 5 characters' }],
    [{ bio: 1 }, { bio: 'must be text' }],
    [{ kind: 'C' }, { kind: 'must be one of A, B' }],
    [{ at: true }, { at: 'must be an integer or text' }],
    [{ at: 'long' }, { at: 'must be an integer or text' }],
    [{ count: 0 }, { count: 'must be at least 1' }],
    [{ count: 10 }, { count: 'must be at most 9' }],
    [{ count: 1.5 }, { count: 'must be an integer' }],
    [{ names: [] }, { names: 'must not be empty' }],
    [{ names: ['', 'a'] }, { 'names.0': 'must not be empty' }],
    [{ names: ['a', 'b', 'c'] }, { names: 'must have at most 2 items' }],
    [{ names: 'a' }, { names: 'must be a list' }],
    [{ more: 1 }, { more: 'is not a known field' }],
  ]
  for (const [fields, words] of rows) assert.deepEqual(wordsOf(fields), words)
})
