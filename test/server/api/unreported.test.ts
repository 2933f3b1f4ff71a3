import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { Trader } from '../../support/live-exchange.ts'
import {
  cookieOf,
  login,
  newWallet,
  signingMessage,
  type Wallet,
  withCookie,
} from '../../support/live-session.ts'
import { assertRefused, type Reply } from '../../support/replies.ts'
import { UnreportedDisk } from '../../support/unreported-disk.ts'

// A change that is not durable is published to nobody (invariant 1). While the test holds back
// the reports of the journal, neither the change nor a call that rests on it is answered.

const SCOPES = ['trading', 'account_creation', 'delegated_signing']
const ME = '/profiles/me'
const PARTNER = '/profiles/partner-accounts'
const TOKENS = '/auth/api-tokens'
const { live } = await exchange({ markets: ['rain'] })

/** Sends requests that rest on no change, so that every other possible answer comes first. */
async function otherCalls(): Promise<void> {
  for (let round = 0; round < 5; round++) await live.send('GET', '/health')
}

/**
 * The replies to a change and to a call that sees it. Both are sent before the change is durable.
 */
async function heldBack(change: () => Promise<Reply>, call: () => Promise<Reply>) {
  const { pipeline } = live.exchange
  await pipeline.durable()
  const disk = new UnreportedDisk(pipeline)
  const before = pipeline.clearing.lastSeq
  let reported = ''
  const noted = async (what: string, reply: Promise<Reply>) => {
    const settled = await reply
    reported += what
    return settled
  }
  const changed = noted('change', change())
  try {
    while (pipeline.clearing.lastSeq === before) await live.send('GET', '/health')
    const called = noted('call', call())
    await otherCalls()
    assert.equal(reported, '')
    disk.reportAll()
    return { changed: await changed, called: await called }
  } finally {
    disk.reportAll()
  }
}

type Row = [
  name: string,
  change: () => Promise<Reply>,
  call: () => Promise<Reply>,
  reported: (changed: Reply, called: Reply) => void,
]

function refused(status: number, code: string) {
  return (_changed: Reply, called: Reply) => {
    assertRefused(called, status, code)
  }
}

interface Speakers {
  readonly alice: Trader
  readonly bob: Trader
  readonly wallet: Wallet
  readonly message: string
  readonly cookies: readonly [string, string]
}

async function speakers(): Promise<Speakers> {
  const scoped = { apiToken: { scopes: SCOPES } }
  const [alice, bob] = [await live.trader(0, scoped), await live.trader(0, scoped)]
  const wallet = newWallet()
  const cookies = [
    cookieOf(await login(live, wallet)),
    cookieOf(await login(live, wallet)),
  ] as const
  return { alice, bob, wallet, message: await signingMessage(live), cookies }
}

/** Changes that end a proof, each with a call that shows this proof. */
async function proofRows({ alice, bob, wallet, message, cookies }: Speakers): Promise<Row[]> {
  const [cookie, second] = cookies
  const made = await live.admin('/admin/profiles', { account: alice.account, apiToken: {} })
  const spare = { tokenId: textAt(made.body, 'tokenId'), secret: textAt(made.body, 'secret') }
  const proof = {
    'x-account': wallet.address,
    'x-signing-message': message,
    'x-signature': await wallet.signMessage({ message }),
  }
  return [
    [
      'a logout',
      () => withCookie(live, cookie, 'POST', '/auth/logout'),
      () => withCookie(live, cookie, 'GET', '/auth/verify-auth'),
      refused(401, 'SESSION_INVALID'),
    ],
    [
      'a revocation',
      () => live.call(alice, 'DELETE', `${TOKENS}/${spare.tokenId}`),
      () => live.call(spare, 'GET', ME),
      refused(401, 'API_KEY_INVALID'),
    ],
    [
      'a login',
      () => login(live, wallet, { message, asHex: false }),
      () => login(live, wallet, { message }),
      refused(400, 'LOGIN_INVALID'),
    ],
    [
      'a proof of a wallet',
      () => login(live, wallet),
      () => live.call(bob, 'POST', PARTNER, {}, { headers: proof }),
      refused(401, 'ACCOUNT_UNPROVEN'),
    ],
    [
      'a logout everywhere',
      () => withCookie(live, second, 'DELETE', '/auth/sessions'),
      () => withCookie(live, second, 'POST', `${TOKENS}/derive`, {}),
      refused(401, 'SESSION_INVALID'),
    ],
  ]
}

/** Acts of operators, each with a call that shows the effect. */
function operatorRows({ alice, bob }: Speakers): Row[] {
  const act = live.operator.bind(live)
  const ofAlice = `/admin/profiles/${alice.profileId}`
  return [
    [
      'a freeze',
      () => act('POST', `${ofAlice}/freeze`, {}),
      () => act('GET', ofAlice),
      (changed, called) => assert.equal(at(called.body, 'frozenAt'), at(changed.body, 'frozenAt')),
    ],
    [
      'the end of a freeze',
      () => act('POST', `${ofAlice}/unfreeze`, {}),
      () => act('GET', ofAlice),
      (_changed, called) => assert.equal(at(called.body, 'frozenAt'), null),
    ],
    [
      'a new operator',
      () => live.admin('/admin/operators', { name: 'ada', role: 'read' }),
      () => act('GET', '/admin/operators'),
      (changed, called) => assert.equal(at(called.body, 1, 'name'), at(changed.body, 'name')),
    ],
    [
      'the end of an operator',
      () => act('DELETE', '/admin/operators/ada'),
      () => act('DELETE', '/admin/operators/ada'),
      refused(404, 'OPERATOR_NOT_FOUND'),
    ],
    [
      'the end of all tokens',
      () => act('DELETE', `/admin/profiles/${bob.profileId}/tokens`),
      () => live.call(bob, 'GET', ME),
      refused(401, 'API_KEY_INVALID'),
    ],
  ]
}

/** Changes, each with a call that shows the effect. */
function changeRows({ alice, bob, cookies }: Speakers): Row[] {
  const [, second] = cookies
  const byBob = (method: string, path: string, body?: unknown) => live.call(bob, method, path, body)
  return [
    [
      'a name',
      () => withCookie(live, second, 'PATCH', ME, { username: 'First' }),
      () => byBob('PATCH', ME, { username: 'first' }),
      refused(409, 'USERNAME_TAKEN'),
    ],
    [
      'an edit',
      () => byBob('PATCH', ME, { bio: 'Fresh.' }),
      () => byBob('GET', ME),
      (_changed, called) => assert.equal(at(called.body, 'bio'), 'Fresh.'),
    ],
    [
      'a follow',
      () => byBob('PUT', `/profiles/${alice.account}/follow`),
      () => live.send('GET', `/profiles/public/${alice.account}`),
      (_changed, called) => assert.equal(at(called.body, 'followersCount'), 1),
    ],
    [
      'a bookmark',
      () => byBob('PUT', '/market-bookmarks/clob/rain'),
      () => byBob('GET', '/market-bookmarks/me'),
      (changed, called) =>
        assert.equal(at(called.body, 'data', 0, 'bookmarkId'), at(changed.body, 'bookmarkId')),
    ],
    [
      'bookmarks for all',
      () => byBob('PATCH', '/market-bookmarks/visibility', { isPublic: true }),
      () => live.send('GET', `/market-bookmarks/public/${bob.account}`),
      (_changed, called) => assert.equal(at(called.body, 'total'), 1),
    ],
    [
      'capabilities',
      () => live.operator('PATCH', `/admin/profiles/${bob.profileId}`, { scopes: ['withdrawal'] }),
      () => byBob('GET', `${TOKENS}/capabilities`),
      (_changed, called) => assert.deepEqual(at(called.body, 'allowedScopes'), ['withdrawal']),
    ],
    [
      'a token',
      () => withCookie(live, second, 'POST', `${TOKENS}/derive`, {}),
      () => withCookie(live, second, 'GET', TOKENS),
      (changed, called) => assert.equal(at(called.body, 0, 'tokenId'), at(changed.body, 'tokenId')),
    ],
    [
      'a sub-account',
      () => byBob('POST', PARTNER, { createServerWallet: true }),
      () => byBob('GET', PARTNER),
      (changed, called) =>
        assert.equal(at(called.body, 'data', 0, 'account'), at(changed.body, 'account')),
    ],
  ]
}

test('no reply rests on a change before the change is durable', async () => {
  const all = await speakers()
  const rows = [...changeRows(all), ...(await proofRows(all)), ...operatorRows(all)]
  for (const [name, change, call, check] of rows) {
    const { changed, called } = await heldBack(change, call)
    assert.ok(changed.status === 200 || changed.status === 201, `${name}: ${changed.text}`)
    check(changed, called)
  }
})
