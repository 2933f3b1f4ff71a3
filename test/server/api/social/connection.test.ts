import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../../support/live-exchange.ts'
import { accepted, assertRefused, codeOf } from '../../../support/replies.ts'

// The account on X of a profile: proven, taken over, forgotten.

const PATH = '/profiles/x/connection'
const { live } = await exchange({ flags: ['--social-provider', 'demo'] })
const { live: without } = await exchange()
const ann = await live.trader(0, { username: 'ann' })
const ben = await live.trader(0)

const connect = (who: Trader, code: unknown, on: LiveExchange = live) =>
  on.patientCall(who, 'POST', PATH, { code })
const apply = (who: Trader, body: object) =>
  live.patientCall(who, 'POST', `${PATH}/social-data`, body)
const own = async (who: Trader) => Object((await live.patientCall(who, 'GET', '/profiles/me')).body)

test('an exchange without a provider connects nobody', async () => {
  const cat = await without.trader(0)
  const reply = await connect(cat, 'demo:cat', without)
  assertRefused(reply, 404, 'SOCIAL_CONNECTION_OFF')
  assert.equal((await without.patientCall(cat, 'DELETE', PATH)).status, 200)
})

test('nothing is taken over before an account is connected', async () => {
  for (const body of [{}, { username: true }, { avatar: true }]) {
    const reply = await apply(ann, body)
    assertRefused(reply, 409, 'SOCIAL_NOT_CONNECTED')
  }
})

test('a code that proves nothing is refused', async () => {
  const codes = ['demo:', 'demo:a b', 'demo:@ann', `demo:${'a'.repeat(16)}`, 'other', 'demo:\u00e4']
  for (const code of codes) {
    const reply = await connect(ann, code)
    assertRefused(reply, 400, 'SOCIAL_CODE_INVALID', code)
  }
  for (const code of ['', 7, null, 'x'.repeat(513)]) {
    assert.equal((await connect(ann, code)).status, 400)
  }
  assert.equal((await own(ann)).xHandle, null)
})

test('a connected handle is shown and found, and gives username and picture', async () => {
  const connected = await accepted(connect(ann, 'demo:Rain_Ann'))
  assert.equal(at(connected.body, 'handle'), 'Rain_Ann')
  assert.equal((await own(ann)).xHandle, 'Rain_Ann')
  const found = await live.read('/profiles/search?query=%40rain_a')
  assert.equal(at(found.body, 'data', 0, 'id'), ann.profileId)
  const none = await apply(ann, {})
  const nothing = { usernameApplied: false, avatarApplied: false, usernameSkippedReason: null }
  assert.deepEqual([none.status, none.body], [200, nothing])
  assert.equal((await own(ann)).username, 'ann')
  const both = await apply(ann, { username: true, avatar: true })
  const all = { usernameApplied: true, avatarApplied: true, usernameSkippedReason: null }
  assert.deepEqual([both.status, both.body], [200, all])
  const { username, pfpUrl } = await own(ann)
  assert.equal(username, 'Rain_Ann')
  assert.equal(pfpUrl, at(connected.body, 'avatarUrl'))
  assert.deepEqual((await apply(ann, { username: true })).body, { ...all, avatarApplied: false })
})

test('a handle that is a username already, or cannot be one, leaves the username', async () => {
  await connect(ben, 'demo:RAIN_ann')
  const taken = await apply(ben, { username: true, avatar: true })
  const skipped = { usernameApplied: false, avatarApplied: true, usernameSkippedReason: 'taken' }
  assert.deepEqual([taken.status, taken.body], [200, skipped])
  assert.equal((await own(ben)).username, null)
  assert.match(String((await own(ben)).pfpUrl), /RAIN_ann/)
  await connect(ben, 'demo:_ben')
  const invalid = await apply(ben, { username: true })
  assert.equal(at(invalid.body, 'usernameSkippedReason'), 'invalid')
  assert.equal(at(invalid.body, 'usernameApplied'), false)
})

test('a forgotten account is found no more; what it gave stays', async () => {
  for (const _twice of [1, 2])
    assert.equal((await live.patientCall(ann, 'DELETE', PATH)).status, 200)
  const { xHandle, username } = await own(ann)
  assert.deepEqual([xHandle, username], [null, 'Rain_Ann'])
  const reply = await apply(ann, { avatar: true })
  assert.equal(codeOf(reply), 'SOCIAL_NOT_CONNECTED')
  const found = async () => (await live.read('/profiles/search?query=%40_ben')).text
  assert.match(await found(), /"username":null/)
  await live.patientCall(ben, 'DELETE', PATH)
  assert.equal(await found(), '{"data":[]}')
  assert.equal((await live.send('POST', PATH)).status, 401)
})
