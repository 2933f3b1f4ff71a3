import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { assertRefused, type Reply } from '../../../support/replies.ts'

// The largest calls whose commands grow with their body. Each is taken, or refused before anything
// is applied; none ends the process.

const { live } = await exchange({ flags: ['--block-ms', '0', '--no-rate-limit'] })

/** Characters of three bytes each in a body and in a record. */
function wide(characters: number): string {
  return '漢'.repeat(characters)
}

function send(method: string, path: string, body: object): Promise<Reply> {
  const text = JSON.stringify(body)
  assert(Buffer.byteLength(text) <= LIMITS.bodyBytesMax, `${path}: a body of ${text.length}`)
  return live.operator(method, path, text)
}

const LABELS = Array.from({ length: 32 }, (_none, index) => `${index}${wide(62)}`)
const VALUES = Array.from({ length: 16 }, (_none, index) => `${index}${wide(20)}`)
const WIDEST = {
  description: wide(LIMITS.descriptionCharactersMax),
  categories: LABELS,
  tags: LABELS,
  properties: Object.fromEntries(
    VALUES.map((_value, index) => [`key${index}`, VALUES.slice(0, 9)]),
  ),
  imageUrl: wide(2048),
}

test('the widest market is made and edited', async () => {
  const market = { kind: 'clob', slug: 'wide-market', title: wide(LIMITS.titleCharactersMax) }
  const made = await send('POST', '/admin/markets', { ...market, ...WIDEST, imageUrl: 'x' })
  assert.equal(made.status, 201, made.text.slice(0, 300))
  const edited = await send('PATCH', '/admin/markets/wide-market', { ...WIDEST, imageUrl: 'y' })
  assert.equal(edited.status, 200, edited.text.slice(0, 300))
})

test('groups of 255 markets are made, with the widest labels or long titles', async () => {
  const children = (slug: string, title: string) =>
    Array.from({ length: LIMITS.groupChildrenMax }, (_none, index) => {
      return { slug: `${slug}-${index}`, title, ...(index % 50 === 49 ? { tags: [] } : {}) }
    })
  const labels = { categories: LABELS, tags: LABELS }
  for (const group of [
    { slug: 'labels', title: 'Who?', ...labels, markets: children('labels', 't'.repeat(150)) },
    { slug: 'titles', title: 'Who?', markets: children('titles', 't'.repeat(210)) },
  ]) {
    const made = await send('POST', '/admin/groups', group)
    assert.equal(made.status, 201, made.text.slice(0, 300))
  }
  const resolved = await send('POST', '/admin/groups/labels/resolve', { winner: 'labels-254' })
  assert.equal(resolved.status, 200, resolved.text.slice(0, 300))
})

test('a page as large as a page may be is made', async () => {
  const metadata = { numbers: Array(1200).fill(5e9), text: wide(800) }
  const made = await send('POST', '/admin/market-pages', { name: 'W', slug: 'w', metadata })
  assert.equal(made.status, 201, made.text.slice(0, 300))
})

test('metadata that grows past a record is refused, and less of it is taken', async () => {
  // A number of four characters is printed with 21 of them, and metadata travels as its text.
  const metadata = { n: Array(45).fill(9e20) }
  const text = JSON.stringify(metadata).replaceAll('900000000000000000000', '9e20')
  const bodyOf = (count: number) => {
    const options = Array.from({ length: count }, (_none, index) => {
      return `{"value":"v${index}","metadata":${text}}`
    })
    return `{"name":"Wide","slug":"wide","options":[${options.join(',')}]}`
  }
  const put = (count: number) => {
    const body = bodyOf(count)
    assert(body.length <= LIMITS.bodyBytesMax, `a body of ${body.length}`)
    return live.admin('/admin/property-keys', body)
  }
  const refused = await put(240)
  assertRefused(refused, 413, 'COMMAND_TOO_LARGE', refused.text.slice(0, 300))
  // Markets of the tests before leave memory meanwhile, so the seq says nothing.
  assert.doesNotMatch((await live.send('GET', '/property-keys')).text, /"wide"/)
  const made = await put(200)
  assert.equal(made.status, 201, made.text.slice(0, 300))
})
