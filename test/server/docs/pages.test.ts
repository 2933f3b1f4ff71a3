import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { render } from '../../../server/docs/markdown.ts'
import { openPages } from '../../../server/docs/pages.ts'
import { exchange } from '../../support/exchange.ts'
import { at } from '../../support/json-path.ts'

// Documents as pages: how Markdown is rendered, and how a page is served.

const { live } = await exchange()

test('raw HTML in Markdown is shown as text, and a comment is not shown', () => {
  const { body } = render(
    '# A\n\n<!-- mark -->\n\n<script>x()</script>\n\na <b onclick="x">b</b>\n',
  )
  assert.ok(!/<script|<b /.test(body), body)
  assert.ok(!body.includes('mark'), body)
  assert.match(body, /&lt;script&gt;x\(\)&lt;\/script&gt;/)
})

test('a link leads only to a page, a heading or an https address', () => {
  const rows = [
    ['[a](api.md)', '<a href="/docs/api">a</a>'],
    ['[a](api.md#errors)', '<a href="/docs/api#errors">a</a>'],
    ['[a](#errors)', '<a href="#errors">a</a>'],
    ['[a](/ready)', '<a href="/ready">a</a>'],
    ['[a](https://x.example/?a=1&b=2)', '<a href="https://x.example/?a=1&amp;b=2">a</a>'],
    ['[a](javascript:x)', 'a'],
    ['[a](data:text/html,x)', 'a'],
    ['[a](../../LICENSE)', 'a'],
    ['![a](https://x.example/a.png)', 'a'],
  ]
  for (const [markdown, html] of rows) {
    assert.equal(render(markdown).body.trim(), `<p>${html}</p>`, markdown)
  }
})

test('headings have the anchors that GitHub gives them', () => {
  const { body, title, about } = render('# A `b`, c!\n\nOne *is* [so](x.md). Two.\n\n## A b c\n')
  assert.match(body, /<h1 id="a-b-c">A <code>b<\/code>, c!<\/h1>/)
  assert.match(body, /<h2 id="a-b-c-1">/)
  assert.deepEqual([title, about], ['A `b`, c!', 'One is so.'])
})

test('every document is served as a page without active content', async () => {
  const { names } = openPages()()
  assert.ok(names.includes('trading') && names.includes('operating'))
  const index = await live.send('GET', '/docs')
  for (const path of ['/docs', ...names.map((name) => `/docs/${name}`)]) {
    const page = await live.send('GET', path)
    assert.equal(page.status, 200, path)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.match(page.text, /^<!doctype html><html lang="en">.*<\/html>\n$/s)
    assert.ok(!/<script|<iframe|<img|javascript:/i.test(page.text), path)
    if (path !== '/docs') assert.ok(index.text.includes(`href="${path}"`), path)
  }
})

test('the content policy of a page has the digest of its own style', async () => {
  for (const path of ['/docs', '/docs/asyncapi', '/docs/trading']) {
    const { text, headers } = await live.send('GET', path)
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const digest = createHash('sha256').update(style).digest('base64')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; /, path)
    assert.ok(policy.includes(`style-src 'sha256-${digest}'`), path)
  }
})

test('a client whose copy is still current gets 304 without a body', async () => {
  const page = await live.send('GET', '/docs/api')
  const etag = page.headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{22}"$/)
  for (const known of [etag, `"x", W/${etag}`]) {
    const again = await live.send('GET', '/docs/api', { headers: { 'if-none-match': known } })
    assert.deepEqual([again.status, again.text], [304, ''], known)
    assert.equal(again.headers.get('etag'), etag)
  }
  const other = await live.send('GET', '/docs/api', { headers: { 'if-none-match': '"x"' } })
  assert.equal(other.status, 200)
})

test('the page of the sockets shows every message with its fields and its example', async () => {
  const page = await live.send('GET', '/docs/asyncapi')
  const { body } = await live.send('GET', '/asyncapi.json')
  const messages = Object.keys(Object(at(body, 'components', 'messages')))
  assert.ok(messages.length > 20)
  for (const name of messages) assert.ok(page.text.includes(`id="message-${name}"`), name)
  assert.ok(!/<script|<iframe|<img|javascript:/i.test(page.text))
  const [, example = ''] = /<pre tabindex="0"><code>(.*?)<\/code>/s.exec(page.text) ?? []
  const [first] = Object.values(Object(at(body, 'components', 'messages')))
  const shown = JSON.stringify(at(first, 'examples', 0, 'payload'), null, 2)
  assert.equal(example.replaceAll('&quot;', '"'), shown)
  for (const field of ['orderbook.bids[].price', 'marketSlugs']) {
    assert.ok(page.text.includes(`<code>${field}</code>`), field)
  }
})

test('the page of the calls loads files of this exchange alone', async () => {
  const page = await live.send('GET', '/docs/openapi')
  const sources = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  const files = sources.filter((path) => path.startsWith('/assets/'))
  assert.ok(files.length >= 2, page.text)
  for (const path of files) assert.equal((await live.send('GET', path)).status, 200, path)
  assert.ok(!sources.some((path) => /^(?:https?:|\/\/)/.test(path)))
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.ok(policy.includes("script-src 'self'") && !policy.includes('unsafe'), policy)
  const index = await live.send('GET', '/docs')
  for (const path of ['/docs/openapi', '/docs/asyncapi']) {
    assert.ok(index.text.includes(`href="${path}"`), path)
  }
})

test('a page that does not exist is 404', async () => {
  for (const name of ['nothing', 'api.md', 'API', '..%2fapi', '%00', 'x'.repeat(500)]) {
    assert.equal((await live.send('GET', `/docs/${name}`)).status, 404, name)
  }
})

test('the front page links to the documents', async () => {
  assert.match((await live.send('GET', '/')).text, /<a href="\/docs">/)
})
