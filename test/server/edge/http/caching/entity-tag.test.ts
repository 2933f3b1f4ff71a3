import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EntityTags, knownTag } from '../../../../../server/edge/http/caching/entity-tag.ts'
import { Joined } from '../../../../../server/messages/payload.ts'

const tags = new EntityTags()
const BOOK = Buffer.from('{"bids":[],"asks":[]}')
const known = tags.of(BOOK)

test('a tag follows from the bytes alone, and each coding has its own', () => {
  assert.match(known.identity, /^"[\w-]{22}"$/)
  assert.deepEqual(tags.of(Buffer.from(BOOK)), known)
  assert.deepEqual(tags.of(BOOK.toString()), known)
  assert.deepEqual(new EntityTags().of(BOOK), known)
  assert.equal(tags.of(BOOK), known)
  assert.notEqual(tags.of('{"bids":[],"asks":[] }').identity, known.identity)
  assert.equal(new Set(Object.values(known)).size, 3)
})

test('the tag of a joined body follows from all parts and their order', () => {
  const [one, two] = ['{"id":1}', '{"id":2}'].map((text) => Buffer.from(text))
  const whole = new Joined([one, ',', two])
  const tag = tags.of(whole).identity
  assert.match(tag, /^"[\w-]{22}"$/)
  assert.equal(tags.of(new Joined([Buffer.from(one), ',', two])).identity, tag)
  assert.equal(new EntityTags().of(new Joined([one, ',', two])).identity, tag)
  const others = [[two, ',', one], [one, ','], [one, two], [one, ',', Buffer.from('{}')], []]
  for (const parts of others) assert.notEqual(tags.of(new Joined(parts)).identity, tag)
})

test('a tag is found wherever it stands in the list, weak or strong', () => {
  for (const tag of Object.values(known)) {
    const lists = [tag, ` ${tag} `, `W/${tag}`, `"x",${tag}`, `W/"x", W/${tag}, "y"`, `${tag},`]
    for (const list of lists) assert.equal(knownTag(list, known), tag, list)
  }
  assert.equal(knownTag('*', known), known.identity)
  assert.equal(knownTag(' * ', known), known.identity)
})

test('what names no tag of the reply is not known', () => {
  const bare = known.identity.slice(1, -1)
  const lists = [
    '',
    '""',
    '"x"',
    '"*"',
    '*, "x"',
    bare,
    `"${bare}`,
    `${bare}"`,
    `"x${bare}"`,
    `"${bare}x"`,
    `"${bare}-"`,
    `"${bare}-zstd"`,
    known.identity.toUpperCase(),
    '"x", '.repeat(1000),
  ]
  for (const list of lists) assert.equal(knownTag(list, known), null, list.slice(0, 60))
})
