import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { accepted, assertRefused, codeOf } from '../../../support/replies.ts'
import { ADMIN_TOKEN as SERVER_TOKEN, ServerProcess } from '../../../support/server-process.ts'

// What an operator does to profiles, and the line that each act leaves in the log.

const { live } = await exchange()

const requested = live.operator.bind(live)

test('an operator sees and edits rank, cap, names and capabilities of a profile', async () => {
  const { profileId, account } = await live.trader(0)
  const path = `/admin/profiles/${profileId}`
  const before = await requested('GET', path)
  assert.deepEqual(before.body, {
    profileId,
    account,
    username: null,
    displayName: account,
    feeCapBps: null,
    rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
    effectiveFeeRateBps: 300,
    scopes: ['trading'],
    createdAt: at(before.body, 'createdAt'),
    isMachine: false,
    frozenAt: null,
    frozenReason: null,
  })
  const rows: [wanted: object, seen: object][] = [
    [{}, {}],
    [
      { rank: 'gold' },
      { rank: { id: 3, name: 'Gold', feeRateBps: 200 }, effectiveFeeRateBps: 200 },
    ],
    [{ feeCapBps: 150 }, { feeCapBps: 150, effectiveFeeRateBps: 150 }],
    [{ rank: null }, { rank: null, effectiveFeeRateBps: null }],
    [
      { rank: 5, feeCapBps: null },
      {
        rank: { id: 5, name: 'Diamond', feeRateBps: 100 },
        feeCapBps: null,
        effectiveFeeRateBps: 100,
      },
    ],
    [{ username: 'The House' }, { username: 'The House', displayName: 'The House' }],
    [{ displayName: ' House ' }, { displayName: 'House' }],
    [{ username: null }, { username: null }],
    [{ scopes: ['trading', 'withdrawal', 'trading'] }, { scopes: ['trading', 'withdrawal'] }],
    [{ scopes: [] }, { scopes: [] }],
  ]
  let expected = Object(before.body)
  for (const [wanted, seen] of rows) {
    expected = { ...expected, ...seen }
    const reply = await accepted(requested('PATCH', path, wanted))
    assert.deepEqual(reply.body, expected, JSON.stringify(wanted))
    assert.deepEqual((await requested('GET', path)).body, expected)
  }
})

test('capabilities bound the scopes of the tokens that a profile makes from then on', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const derive = () =>
    withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', { scopes: ['account_creation'] })
  const own = await withCookie(live, cookie, 'GET', '/profiles/me')
  const path = `/admin/profiles/${at(own.body, 'id')}`
  assert.equal(codeOf(await derive()), 'SCOPE_NOT_ALLOWED')
  await requested('PATCH', path, { scopes: ['trading', 'account_creation'] })
  assert.equal((await derive()).status, 201)
  await requested('PATCH', path, { scopes: ['trading'] })
  assert.equal(codeOf(await derive()), 'SCOPE_NOT_ALLOWED')
})

test('a wrong edit is refused and changes nothing; only an operator edits', async () => {
  const [one, other] = [await live.trader(0), await live.trader(0, { username: 'taken' })]
  const path = `/admin/profiles/${one.profileId}`
  const before = await requested('GET', path)
  const rows: [method: string, path: string, body: unknown, status: number, code: string][] = [
    ['PATCH', path, { feeCapBps: 1001 }, 400, 'VALIDATION'],
    ['PATCH', path, { feeCapBps: -1 }, 400, 'VALIDATION'],
    ['PATCH', path, { rank: 'Copper' }, 400, 'VALIDATION'],
    ['PATCH', path, { rank: 6 }, 400, 'VALIDATION'],
    ['PATCH', path, { username: '' }, 400, 'VALIDATION'],
    ['PATCH', path, { username: 'x'.repeat(45) }, 400, 'VALIDATION'],
    ['PATCH', path, { displayName: 5 }, 400, 'VALIDATION'],
    ['PATCH', path, { scopes: ['admin'] }, 400, 'VALIDATION'],
    ['PATCH', path, { account: other.account }, 400, 'VALIDATION'],
    ['PATCH', path, { username: 'TAKEN' }, 409, 'USERNAME_TAKEN'],
    ['PATCH', '/admin/profiles/0', {}, 400, 'VALIDATION'],
    ['PATCH', '/admin/profiles/me', {}, 400, 'VALIDATION'],
    ['PATCH', '/admin/profiles/99999', {}, 404, 'PROFILE_NOT_FOUND'],
    ['GET', '/admin/profiles/99999', undefined, 404, 'PROFILE_NOT_FOUND'],
  ]
  for (const [method, at, body, status, code] of rows) {
    const reply = await requested(method, at, body)
    assertRefused(reply, status, code, `${at} ${JSON.stringify(body)} ${reply.text}`)
    assert.equal((await requested(method, at, body, 'guess')).status, 401)
  }
  assert.equal((await live.call(one, 'PATCH', path, { rank: 'gold' })).status, 401)
  assert.equal((await requested('GET', path)).text, before.text)
})

test('half a surrogate pair is malformed; a whole pair is text', async () => {
  const { profileId } = await live.trader(0)
  const name = (escaped: string) =>
    live.operator('PATCH', `/admin/profiles/${profileId}`, `{"username":"${escaped}"}`)
  for (const half of ['\\ud800', 'a\\uDC00', '\\ude00\\ud83d', '\\ud83d \\ude00']) {
    assert.equal(codeOf(await name(half)), 'BODY_MALFORMED', half)
  }
  assert.equal(at((await name('\\ud83d\\ude00')).body, 'username'), '😀')
})

test('each act of a proven operator leaves a log line, and that of a stranger none', async () => {
  const server = await ServerProcess.start({ dataDir: newFolder() })
  const act = (method: string, path: string, token: string, body: string | null) =>
    fetch(`${server.baseUrl}${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
  const body = `{"account":"${newWallet().address}"}`
  await act('POST', '/admin/profiles', SERVER_TOKEN, body)
  await act('PATCH', '/admin/profiles/1?x=1', SERVER_TOKEN, '{"rank":"gold"}')
  await act('POST', '/admin/balances', 'not-the-operator', '{}')
  await act('GET', '/admin/profiles/1', SERVER_TOKEN, null)
  await server.stop()
  const lines = server.stderr.split('\n').filter((line) => line.includes('"operator"'))
  const stated = lines.map((line) => JSON.parse(line))
  const from = stated[0].from
  assert.match(from, /127\.0\.0\.1|7f00:0001/)
  for (const { time } of stated) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000)
  assert.deepEqual(
    stated.map(({ time: _time, level: _level, msg: _msg, ...fields }) => fields),
    [
      { from, operator: 'root', method: 'POST', target: '/admin/profiles', body, status: 201 },
      {
        from,
        operator: 'root',
        method: 'PATCH',
        target: '/admin/profiles/1?x=1',
        body: '{"rank":"gold"}',
        status: 400,
        refusal: 'VALIDATION',
      },
    ],
  )
  assert.ok(!server.stderr.includes('not-the-operator') && !server.stderr.includes(SERVER_TOKEN))
})
