import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportJWK, type FetchImplementation, SignJWT } from 'jose'
import { identityCheck } from '../../../server/auth/identity.ts'
import { formatAddress } from '../../../server/crypto/address.ts'
import { keccakReady } from '../../../server/crypto/keccak.ts'
import { accountOf } from '../../../server/edge/intake/order/client-order.ts'
import { newFolder } from '../../support/data-folder.ts'
import { KEY, NOW_MS } from '../edge/intake/order-kit.ts'

// Identity tokens, checked with keys from files and from a host that may be hostile.

const HOST = 'https://id.example/keys'
const KEY_SET_BYTES_MAX = 256 * 1024
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = String(publicKey.export({ type: 'spki', format: 'pem' }))

function tokenOf(claims: object = {}): Promise<string> {
  return new SignJWT({ account: accountOf(KEY), ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime(NOW_MS / 1000 + 60)
    .sign(privateKey)
}

/** The account of a valid token when the host of the keys answers by `fetch`. */
async function byHost(fetch: FetchImplementation): Promise<string | undefined> {
  const account = await identityCheck({ jwks: HOST, fetch })(await tokenOf(), NOW_MS)
  return account === undefined ? undefined : formatAddress(account)
}

async function keySet(): Promise<string> {
  return JSON.stringify({ keys: [await exportJWK(publicKey)] })
}

test('the keys of a host are fetched once, without redirects and with a deadline', async () => {
  await keccakReady
  const requested: string[] = []
  const text = await keySet()
  const check = identityCheck({
    jwks: HOST,
    fetch: async (url, { redirect, signal }) => {
      requested.push(url, redirect)
      assert.ok(signal instanceof AbortSignal)
      return new Response(text)
    },
  })
  for (let round = 0; round < 3; round++) {
    const account = await check(await tokenOf(), NOW_MS)
    assert.equal(account === undefined ? '' : formatAddress(account), accountOf(KEY))
  }
  assert.deepEqual(requested, [HOST, 'manual'])
  const headers = { location: 'http://127.0.0.1/keys' }
  assert.equal(await byHost(async () => new Response(text, { status: 302, headers })), undefined)
  assert.equal(await byHost(async () => new Response('{"keys":7}')), undefined)
  assert.equal(await byHost(() => Promise.reject(new Error('no route'))), undefined)
})

test('a host that returns no keys is not queried again for every token', async () => {
  let requested = 0
  const stated: string[] = []
  const check = identityCheck({
    jwks: HOST,
    fetch: async () => {
      requested++
      return new Response('down', { status: 503 })
    },
    onWarning: (sentence) => stated.push(sentence),
  })
  const token = await tokenOf()
  for (let round = 0; round < 20; round++) assert.equal(await check(token, NOW_MS), undefined)
  assert.equal(requested, 1)
  assert.deepEqual(stated, [
    'identity tokens are refused: id.example returns no keys (its status is 503)',
  ])
})

test('a reply of the host without an end is read to the bound only', async () => {
  let sentBytes = 0
  const chunk = new Uint8Array(16 * 1024).fill(32)
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sentBytes += chunk.length
      controller.enqueue(chunk)
    },
  })
  assert.equal(await byHost(async () => new Response(endless)), undefined)
  assert.ok(sentBytes <= KEY_SET_BYTES_MAX + 4 * chunk.length, `${sentBytes}`)
})

test('keys come from a file or by https, never by http', () => {
  for (const jwks of ['http://id.example/keys', 'HTTP://id.example/keys', 'http://127.0.0.1/k']) {
    assert.throws(() => identityCheck({ jwks }), /is not https/)
  }
})

test('a token with the public key as HMAC secret, or unsigned, proves nothing', async () => {
  await keccakReady
  const path = join(newFolder(), 'provider.pem')
  writeFileSync(path, PEM)
  const check = identityCheck({ publicKey: path })
  assert.ok((await check(await tokenOf(), NOW_MS)) !== undefined)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = part({ account: accountOf(KEY), exp: NOW_MS / 1000 + 60 })
  for (const bits of ['256', '384', '512']) {
    const signed = `${part({ alg: `HS${bits}` })}.${payload}`
    const mac = createHmac(`sha${bits}`, PEM).update(signed).digest('base64url')
    assert.equal(await check(`${signed}.${mac}`, NOW_MS), undefined, bits)
  }
  assert.equal(await check(`${part({ alg: 'none' })}.${payload}.`, NOW_MS), undefined)
  assert.equal(await check(await tokenOf({ account: `${accountOf(KEY)}0` }), NOW_MS), undefined)
})
