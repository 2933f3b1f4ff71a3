import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../server/api/routes.ts'
import type { Services } from '../../server/api/services.ts'
import type { Route } from '../../server/edge/http/route.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import { codeOf } from '../support/replies.ts'

// Each route is called with every set of scopes. It opens for the sets with the scopes it needs.

const SCOPES = ['trading', 'account_creation', 'delegated_signing', 'withdrawal'] as const
const ON_BEHALF = 'x-on-behalf-of'

/** The scopes that a signed call needs (rules §12.1, §13 row 26). Routes not listed need none. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'POST /orders': ['trading'],
  'POST /orders/batch': ['trading'],
  'POST /orders/cancel': ['trading'],
  'POST /orders/batch-cancel': ['trading'],
  'POST /orders/cancel-batch': ['trading'],
  'POST /orders/:orderId/amend': ['trading'],
  'POST /orders/amend/batch': ['trading'],
  'POST /orders/cancel-replace': ['trading'],
  'POST /orders/cancel-replace/batch': ['trading'],
  'DELETE /orders/:orderId': ['trading'],
  'DELETE /orders/all/:slug': ['trading'],
  'DELETE /orders/all': ['trading'],
  'DELETE /sports-markets/:slug/user-orders': ['trading'],
  'POST /heartbeats': ['trading'],
  'POST /order-groups': ['trading'],
  'POST /order-groups/:orderGroupId/reset': ['trading'],
  'DELETE /order-groups/:orderGroupId': ['trading'],
  'POST /amm/buy': ['trading', 'delegated_signing'],
  'POST /amm/sell': ['trading', 'delegated_signing'],
  'POST /amm/allowances/check': ['trading', 'delegated_signing'],
  'POST /amm/allowances/approve': ['trading', 'delegated_signing'],
  'POST /parlay/create': ['trading'],
  'POST /parlay/partner/quote': ['trading'],
  'POST /parlay/partner/buy': ['trading'],
  'GET /parlay/partner/positions': ['trading'],
  'GET /parlay/partner/positions/:id': ['trading'],
  'POST /parlay/partner/positions/:id/claim': ['trading'],
  'POST /parlay/partner/positions/:id/claim/confirm': ['trading'],
  'POST /parlay/offers': ['trading'],
  'DELETE /parlay/offers/:id': ['trading'],
  'POST /parlay/offers/:id/accept': ['trading'],
  'POST /portfolio/split': ['trading'],
  'POST /portfolio/merge': ['trading'],
  'POST /portfolio/convert': ['trading'],
  'POST /portfolio/redeem': ['trading'],
  'POST /portfolio/withdraw': ['withdrawal'],
  'POST /profiles/partner-accounts': ['account_creation'],
  'GET /profiles/partner-accounts': ['account_creation'],
  'GET /profiles/partner-accounts/:profileId/allowances': ['account_creation', 'delegated_signing'],
  'POST /profiles/partner-accounts/:profileId/allowances/retry': [
    'account_creation',
    'delegated_signing',
  ],
}

const { live } = await exchange()
const tokens: { scopes: readonly string[]; token: Pick<Trader, 'tokenId' | 'secret'> }[] = []

const { account } = await live.trader(0)
for (let set = 1; set < 1 << SCOPES.length; set++) {
  const scopes = SCOPES.filter((_scope, index) => (set & (1 << index)) !== 0)
  const made = await live.admin('/admin/profiles', { account, apiToken: { scopes } })
  const token = { tokenId: textAt(made.body, 'tokenId'), secret: textAt(made.body, 'secret') }
  tokens.push({ scopes, token })
}

const nameOf = (route: Route<Services>) => `${route.method} ${route.path}`
const signed = api.filter(({ auth }) => auth.accepts.some(({ scheme }) => scheme === 'hmac'))

const SENTENCE = /"This call needs the scope ([a-z_]+); derive a token with it\."/
const FIELD = /"code":"SCOPE_MISSING","scope":"([a-z_]+)"/

/** The scope that each set lacks, if any. A call of several orders may name it at each order. */
async function answers(route: Route<Services>, headers: Readonly<Record<string, string>> = {}) {
  const query = Object.entries(Object(route.example.query)).map(([name, value]) => {
    return `${name}=${encodeURIComponent(String(value))}`
  })
  const whole = [route.path, ...(query.length > 0 ? [query.join('&')] : [])].join('?')
  const path = whole.replace(/:([a-zA-Z]+)/g, (_all, name) =>
    String(at(route.example, 'params', name)),
  )
  const body = route.body === null ? undefined : route.example.body
  return Promise.all(
    tokens.map(async ({ scopes, token }) => {
      const reply = await live.call(token, route.method, path, body, { headers })
      assert.notEqual(reply.status, 401, `${nameOf(route)} ${reply.text}`)
      if (reply.status >= 400 && codeOf(reply) === 'SCOPE_MISSING') assert.equal(reply.status, 403)
      // The refusal names the scope in its sentence and in a field of its own.
      const lacking = SENTENCE.exec(reply.text)?.[1]
      // The parts of a batch of replaces have a code and a sentence only.
      const isPart = reply.text.includes('NOT_ATTEMPTED')
      if (!isPart) assert.equal(FIELD.exec(reply.text)?.[1], lacking, reply.text)
      return { scopes, lacking, stated: reply.text }
    }),
  )
}

test('each route requires its scopes and for no others', async () => {
  const names = signed.map(nameOf)
  for (const name of Object.keys(NEEDS)) assert.ok(names.includes(name), `${name} is a route`)
  for (const route of signed) {
    const needs = NEEDS[nameOf(route)] ?? []
    for (const { scopes, lacking, stated } of await answers(route)) {
      const missing = needs.find((scope) => !scopes.includes(scope))
      assert.equal(lacking, missing, `${nameOf(route)} by [${scopes}]: ${stated}`)
    }
  }
})

test('acting for another account needs delegated_signing as well', async () => {
  const delegated = signed.filter(({ headers }) => headers[ON_BEHALF] !== undefined)
  assert.ok(delegated.length >= 10, `${delegated.length}`)
  for (const route of delegated) {
    const own = NEEDS[nameOf(route)] ?? []
    const needs = [...own.filter((scope) => scope !== 'delegated_signing'), 'delegated_signing']
    for (const { scopes, lacking, stated } of await answers(route, { [ON_BEHALF]: '2' })) {
      const missing = needs.find((scope) => !scopes.includes(scope))
      assert.equal(lacking, missing, `${nameOf(route)} by [${scopes}]: ${stated}`)
    }
  }
})
