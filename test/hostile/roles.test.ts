import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLES, type Role } from '../../engine/domain/operator.ts'
import { api } from '../../server/api/routes.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { accepted, assertRefused, type Reply } from '../support/replies.ts'

// Every route of operators: which roles may call it, as the route itself declares.

const OPERATED = api.filter(({ auth }) => auth.accepts.some(({ scheme }) => scheme === 'admin'))
const { live } = await exchange()
const tokens = new Map<Role, string>()
await live.trader(0)
for (const role of ROLES) {
  const made = await accepted(live.admin('/admin/operators', { name: `an-${role}`, role }), 201)
  tokens.set(role, textAt(made.body, 'token'))
}

/** Sends the example of the route, which is a valid call. */
function attempt({ method, path, example }: (typeof OPERATED)[number], token = ''): Promise<Reply> {
  const target = path.replace(/:(\w+)/g, (_all, name) => String(at(example.params, name)))
  const body = example.body === undefined ? {} : { body: JSON.stringify(example.body) }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return live.send(method, target, { headers, ...body })
}

/** A copy of a node holds everything that the exchange knows. */
const SECRET = /^\/admin\/cluster\/copy/

test('each operator route names the lowest role it needs, and only a GET needs just read', () => {
  assert.ok(OPERATED.length >= 20)
  for (const { method, path, auth } of OPERATED) {
    for (const { scheme, role } of auth.accepts) {
      if (scheme !== 'admin') continue
      assert.ok(role !== undefined, `${method} ${path}`)
      const isRead = method === 'GET' && !SECRET.test(path)
      assert.equal(role === 'read', isRead, `${method} ${path} is ${role}`)
    }
  }
})

test('an operator of a lower role is refused with the role it needs', async () => {
  const { pipeline } = live.exchange
  const seq = pipeline.clearing.lastSeq
  for (const route of OPERATED) {
    const needed = route.auth.accepts.find(({ scheme }) => scheme === 'admin')?.role ?? 'root'
    for (const role of ROLES.slice(0, ROLES.indexOf(needed))) {
      const reply = await attempt(route, tokens.get(role))
      const stated = `${role}: ${route.method} ${route.path} ${reply.text}`
      assertRefused(reply, 403, 'ROLE_MISSING', stated)
      assert.match(textAt(reply.body, 'message'), new RegExp(`the role ${needed},.* is ${role};`))
    }
    for (const token of ['', 'guess', `${tokens.get('root')}x`, tokens.get('root')?.slice(1)]) {
      assert.equal((await attempt(route, token)).status, 401, `${route.method} ${route.path}`)
    }
  }
  assert.equal(pipeline.clearing.lastSeq, seq, 'a refused call stamps no command')
})

test('the token of a removed operator is refused from then on', async () => {
  const token = tokens.get('root') ?? ''
  const read = () =>
    attempt(OPERATED.find(({ path }) => path === '/admin/audit') ?? OPERATED[0], token)
  assert.equal((await read()).status, 200)
  const headers = { authorization: `Bearer ${token}` }
  const gone = live.send('DELETE', '/admin/operators/an-root', { headers })
  const meanwhile = read()
  assert.equal((await gone).status, 200)
  assert.ok([200, 401].includes((await meanwhile).status))
  for (let index = 0; index < 5; index++) assert.equal((await read()).status, 401)
})
