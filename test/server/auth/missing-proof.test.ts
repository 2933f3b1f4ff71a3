import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { exchange } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import { assertRefused, type Reply } from '../../support/replies.ts'

// The refusal of a call without a good proof: the proof that its route takes, and what was signed.

const { live, alice } = await exchange({ traders: { alice: 0 } })

function refused(reply: Reply, code: string): string {
  assertRefused(reply, 401, code)
  return textAt(reply.body, 'message')
}

const TOKEN = /^This call needs an API token.*svc-api-key, svc-timestamp and svc-signature/

test('the refusal of a call without a proof names the proofs that its route takes', async () => {
  const rows: [string, string, string, RegExp][] = [
    ['POST', '/orders', 'UNAUTHENTICATED', TOKEN],
    ['POST', '/orders/batch', 'UNAUTHENTICATED', TOKEN],
    ['POST', '/orders/cancel-replace', 'UNAUTHENTICATED', TOKEN],
    ['DELETE', '/orders/all', 'UNAUTHENTICATED', TOKEN],
    ['GET', '/orders', 'UNAUTHENTICATED', TOKEN],
    [
      'POST',
      '/portfolio/withdraw',
      'UNAUTHENTICATED',
      /API token .*scope withdrawal.* or the cookie .* or .*identity/,
    ],
    [
      'GET',
      '/auth/verify-auth',
      'COOKIE_REQUIRED',
      /the cookie outcomex_session .*POST \/auth\/login/,
    ],
    ['POST', '/mcp', 'UNAUTHENTICATED', /Authorization: Bearer/],
    ['GET', '/admin/profiles', 'ADMIN_TOKEN_INVALID', /Authorization: Bearer .*operator/],
  ]
  for (const [method, path, code, form] of rows) {
    const message = refused(
      await live.send(method, path, method === 'GET' ? {} : { body: '{}' }),
      code,
    )
    assert.match(message, form, path)
    assert.doesNotMatch(message, /static/i, path)
    const headers = { 'x-api-key': 'from-long-ago' }
    const old = refused(
      await live.send(method, path, { headers, ...(method === 'GET' ? {} : { body: '{}' }) }),
      code,
    )
    assert.match(
      old,
      /^Static API keys [(]the header x-api-key[)] are no longer accepted[.] /,
      path,
    )
    assert.match(old, form.source.startsWith('^') ? new RegExp(form.source.slice(1)) : form)
  }
})

test('the refusal of a wrong HMAC has the text to sign and the body received', async () => {
  const body = JSON.stringify({ bio: 'ä'.repeat(50) })
  const bytes = Buffer.from(body)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const rows: [string, string][] = [
    ['PATCH', '/profiles/me'],
    ['POST', '/orders'],
  ]
  for (const [method, path] of rows) {
    const timestamp = new Date(live.nowMs()).toISOString()
    const headers = {
      'svc-api-key': alice.tokenId,
      'svc-timestamp': timestamp,
      'svc-signature': 'AAAA',
      'content-type': 'application/json',
    }
    const reply = await live.send(method, path, { body, headers })
    assert.match(refused(reply, 'HMAC_INVALID'), /signed[.]text/)
    assert.deepEqual(at(reply.body, 'signed'), {
      text: `${timestamp}\n${method}\n${path}\n`,
      bodyBytes: bytes.length,
      bodySha256: digest,
    })
    assert.ok(!reply.text.includes(alice.secret))
  }
  const long = await live.send('PATCH', `/profiles/me?x=${'y'.repeat(4000)}`, {
    body,
    headers: {
      'svc-api-key': alice.tokenId,
      'svc-timestamp': new Date(live.nowMs()).toISOString(),
    },
  })
  refused(long, 'HMAC_INVALID')
  assert.equal(textAt(long.body, 'signed', 'text').length, 1025)
  assert.match(textAt(long.body, 'signed', 'text'), /…$/)
})
