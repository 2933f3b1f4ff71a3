import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange } from '../../../support/live-exchange.ts'
import {
  cookieOf,
  login,
  newWallet,
  signingMessage,
  withCookie,
} from '../../../support/live-session.ts'
import { accepted, codeOf } from '../../../support/replies.ts'

// Sessions and names after a restart.

const dataDir = newFolder()
const VERIFY = '/auth/verify-auth'

async function during(work: (live: LiveExchange) => Promise<void>): Promise<void> {
  const { live } = await exchange({ dataDir })
  await work(live)
  await live.stop()
}

test('a logout everywhere ends all sessions of one account, also after a restart', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  let cookies: string[] = []
  let foreign = ''
  let message = ''
  const statuses = (live: LiveExchange) =>
    Promise.all(
      [...cookies, foreign].map(
        async (each) => (await withCookie(live, each, 'GET', VERIFY)).status,
      ),
    )
  await during(async (live) => {
    message = await signingMessage(live)
    cookies = [cookieOf(await login(live, wallet, { message }))]
    for (let more = 0; more < 2; more++) cookies.push(cookieOf(await login(live, wallet)))
    foreign = cookieOf(await login(live, other))
    const named = { username: 'before-the-stop', mode: 'advanced' }
    assert.equal((await withCookie(live, foreign, 'PATCH', '/profiles/me', named)).status, 200)
    assert.deepEqual(await statuses(live), [200, 200, 200, 200])
  })
  await during(async (live) => {
    assert.deepEqual(await statuses(live), [200, 200, 200, 200], 'sessions survive a restart')
    const again = await login(live, wallet, { message })
    assert.equal(codeOf(again), 'LOGIN_INVALID', 'a nonce stays burned after a restart')
    const elsewhere = { cookie: cookies[0], origin: 'https://elsewhere.example' }
    const page = await live.send('DELETE', '/auth/sessions', { headers: elsewhere })
    assert.equal(codeOf(page), 'ORIGIN_NOT_ALLOWED')
    const left = await accepted(withCookie(live, cookies[1], 'DELETE', '/auth/sessions'))
    assert.deepEqual(left.body, { message: 'Logged out everywhere' })
    assert.match(left.headers.getSetCookie()[0], /=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
    assert.deepEqual(await statuses(live), [401, 401, 401, 200])
    assert.equal((await live.send('DELETE', '/auth/sessions')).status, 401)
  })
  await during(async (live) => {
    assert.deepEqual(await statuses(live), [401, 401, 401, 200])
    const { body } = await withCookie(live, foreign, 'GET', '/profiles/me')
    assert.deepEqual([at(body, 'username'), at(body, 'mode')], ['before-the-stop', 'advanced'])
    const fresh = cookieOf(await login(live, wallet))
    const taken = { username: 'Before-The-Stop' }
    const refused = await withCookie(live, fresh, 'PATCH', '/profiles/me', taken)
    assert.equal(codeOf(refused), 'USERNAME_TAKEN')
    assert.equal((await withCookie(live, fresh, 'POST', '/auth/logout')).status, 200)
    assert.equal((await withCookie(live, fresh, 'GET', VERIFY)).status, 401)
  })
})
