import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepAdminToken } from '../../../../server/demo/demo.ts'
import { demoTradersIn, writeDemo } from '../../../../server/demo/demo-store.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { assertRefused } from '../../../support/replies.ts'

// What a browser loads: pages under a strict policy, and files that are kept for ever.

const { live } = await exchange()

const FILE = /\/assets\/[\w-]+\.(?:js|css)/g

async function filesOf(path: string): Promise<string[]> {
  const { text } = await live.send('GET', path)
  return [...text.matchAll(FILE)].map(([found]) => found)
}

test('each page runs scripts of this exchange alone, and takes no markup from text', async () => {
  for (const path of ['/', '/operator']) {
    const { status, headers, text } = await live.send('GET', path)
    assert.equal(status, 200, text)
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      assert.ok(policy.includes(rule), `${path}: ${rule}`)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    // Nothing that the policy would stop stands in the page.
    assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/)|<style|\sstyle=|\son\w+=/)
    assert.match(text, /<noscript>/)
  }
})

test('every file that a page names is there, compressed from the first call on', async () => {
  const names = new Set([...(await filesOf('/')), ...(await filesOf('/operator'))])
  assert.ok(names.size >= 4, `${names.size} files`)
  for (const name of names) {
    const plain = await live.send('GET', name, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.status, 200, name)
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    assert.equal(plain.headers.get('content-type'), `${type}; charset=utf-8`)
    const url = `http://127.0.0.1:${live.port}${name}`
    const small = await fetch(url, { headers: { 'accept-encoding': 'br' } })
    assert.equal(small.headers.get('content-encoding'), 'br', name)
    assert.equal(await small.text(), plain.text, 'both are the same file')
  }
})

test('a browser that has a file gets 304', async () => {
  const [name = ''] = await filesOf('/')
  const first = await live.send('GET', name)
  const etag = first.headers.get('etag') ?? ''
  const again = await live.send('GET', name, { headers: { 'if-none-match': etag } })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('no other file is served, whatever its name says', async () => {
  const [name = ''] = await filesOf('/')
  const others = ['x.js', '..%2fmain.js', 'web.json', 'main.js', `${name.slice(8)}.br`, '%00', '']
  for (const each of [...others, 'x'.repeat(2000), '__proto__', 'constructor']) {
    assert.equal((await live.send('GET', `/assets/${each}`)).status, 404, each)
  }
})

test('an exchange that is no demo shows no keys', async () => {
  const reply = await live.send('GET', '/demo/traders')
  assertRefused(reply, 404, 'PATH_NOT_FOUND')
})

test('the traders of a demo are shown once all are made, and nothing else of its file', () => {
  const dataDir = newFolder()
  const tradersOf = demoTradersIn(dataDir)
  assert.deepEqual(tradersOf(), [])
  keepAdminToken(dataDir, 'http://127.0.0.1:1', 'token')
  assert.deepEqual(tradersOf(), [])
  const one = { account: '0xA', privateKey: '0xB', tokenId: 'c', secret: 'd' }
  const traders = [{ ...one, profileId: 1 }]
  writeDemo(dataDir, { baseUrl: 'http://127.0.0.1:1', adminToken: 'token', traders })
  assert.deepEqual(tradersOf(), traders)
})
