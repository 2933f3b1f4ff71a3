import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { ON_BEHALF_HEADER } from '../../../../server/edge/http/access/on-behalf.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { putMatch } from '../../../support/live-matches.ts'
import {
  PARTNER_RIGHTS,
  serverWallet,
  tokenOf,
  unsignedBody,
} from '../../../support/live-partners.ts'
import { assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'

// The account that a call is for (rules §12.1). On every route of orders the header
// `x-on-behalf-of` and `onBehalfOf` of query or body mean the same and are checked alike.

const FUNDS_RAW = 100_000_000
const AHEAD_MS = 60_000
const { live, rain: market } = await exchange({ markets: ['rain'] })
/** The partner's token that may not act for others. */

await putMatch(live, 'final', 1, ['rain'])
const partner = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
const trading = await tokenOf(live, partner, ['trading'])
const other = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
const desk = await serverWallet(live, partner, FUNDS_RAW)
const foreign = await serverWallet(live, other, FUNDS_RAW)
assert.equal(await live.exchange.solvency.count(), true)

/** How a call names its account: by a header, by `onBehalfOf`, or both. */
interface Naming {
  readonly header?: string
  readonly given?: unknown
}

const headersOf = ({ header }: Naming) =>
  header === undefined ? {} : { headers: { 'x-on-behalf-of': header } }

function queryOf({ given }: Naming): string {
  return given === undefined ? '' : `?onBehalfOf=${given}`
}

/** Sends a call that names the account in its query. */
function request(
  caller: Trader,
  naming: Naming,
  [method, path]: readonly [string, string],
  body?: unknown,
): Promise<Reply> {
  return live.call(caller, method, `${path}${queryOf(naming)}`, body, headersOf(naming))
}

/** Sends a call whose body has an order and the name of the account beside it. */
function hand(caller: Trader, naming: Naming, path: string, body: unknown): Promise<Reply> {
  return live.call(caller, 'POST', path, body, headersOf(naming))
}

/** An order for a server wallet to sign, without the name of the account. */
function nameless() {
  const { onBehalfOf: _none, ownerId: _owner, ...body } = unsignedBody(partner, 1, market)
  return body
}

const named = (body: object, { given }: Naming) =>
  given === undefined ? body : { ...body, onBehalfOf: given }

const replacing = (id: string, naming: Naming) =>
  named({ cancel: { orderId: id }, replacement: nameless(), mode: 'STOP_ON_FAILURE' }, naming)

interface Row {
  readonly inBody?: boolean
  /** Sends the call; `id` is an open order of the desk. */
  readonly send: (naming: Naming, caller: Trader, id: string) => Promise<Reply>
  /** The path to the code of a refusal inside a reply of status 200. */
  readonly inner?: readonly (string | number)[]
  /** Whether the reply is one that only the desk gets. */
  readonly shows: (reply: Reply, id: string) => unknown
}

/** A new order group of the desk. */
async function groupOfDesk(): Promise<unknown> {
  const headers = { 'x-on-behalf-of': String(desk.profileId) }
  const reply = await live.call(partner, 'POST', '/order-groups', { maxFillRaw: 1 }, { headers })
  return at(reply.body, 'orderGroupId')
}

/** A call to one of its groups. */
const toGroup = (method: string, tail = ''): Row => ({
  send: async (naming, caller) =>
    request(caller, naming, [method, `/order-groups/${await groupOfDesk()}${tail}`]),
  shows: ({ status }) => status < 400,
})

const CALLS: Readonly<Record<string, Row>> = {
  'GET /order-groups': {
    send: async (naming, caller) => {
      await groupOfDesk()
      return request(caller, naming, ['GET', '/order-groups'])
    },
    shows: ({ body }) => Object(at(body, 'orderGroups')).length > 1,
  },
  'POST /order-groups': {
    send: (naming, caller) => request(caller, naming, ['POST', '/order-groups'], { maxFillRaw: 1 }),
    shows: ({ body }) => {
      const id = Number(at(body, 'orderGroupId'))
      const { orderGroups } = live.exchange.pipeline.clearing
      return orderGroups.byId(id)?.profileId === desk.profileId
    },
  },
  'GET /order-groups/:orderGroupId': toGroup('GET'),
  'POST /order-groups/:orderGroupId/reset': toGroup('POST', '/reset'),
  'DELETE /order-groups/:orderGroupId': toGroup('DELETE'),
  'GET /markets/:slug/locked-balance': {
    send: (naming, caller) => request(caller, naming, ['GET', '/markets/rain/locked-balance']),
    shows: ({ body }) => at(body, 'lockedBalance') !== '0',
  },
  'GET /markets/:slug/user-orders': {
    send: (naming, caller) => request(caller, naming, ['GET', '/markets/rain/user-orders']),
    shows: ({ body }, id) => at(body, 0, 'id') === id,
  },
  'GET /orders/:orderId/queue': {
    send: (naming, caller, id) => request(caller, naming, ['GET', `/orders/${id}/queue`]),
    shows: ({ body }, id) => at(body, 'orderId') === id,
  },
  'GET /orders/queue': {
    send: (naming, caller) => {
      const { given } = naming
      const own = given === undefined ? '' : `&onBehalfOf=${given}`
      return live.call(
        ...([caller, 'GET', `/orders/queue?market=rain${own}`, undefined] as const),
        headersOf(naming),
      )
    },
    shows: ({ body }, id) => at(body, 'orders', 0, 'orderId') === id,
  },
  'GET /orders': {
    send: (naming, caller) => request(caller, naming, ['GET', '/orders']),
    shows: ({ body }, id) => at(body, 'data', 0, 'id') === id,
  },
  'GET /orders/:orderId': {
    send: (naming, caller, id) => request(caller, naming, ['GET', `/orders/${id}`]),
    shows: ({ body }, id) => at(body, 'order', 'id') === id,
  },
  'GET /solvency/proof': {
    send: (naming, caller) => request(caller, naming, ['GET', '/solvency/proof']),
    shows: ({ body }) => at(body, 'proof', 'account') === desk.account.toLowerCase(),
  },
  'POST /orders/status/batch': {
    send: (naming, caller, orderId) =>
      request(caller, naming, ['POST', '/orders/status/batch'], { items: [{ orderId }] }),
    shows: ({ body }) => at(body, 'results', 0, 'status') === 'found',
  },
  'DELETE /orders/:orderId': {
    send: (naming, caller, id) => request(caller, naming, ['DELETE', `/orders/${id}`]),
    shows: ({ status }) => status === 200,
  },
  'POST /orders/cancel': {
    send: (naming, caller, orderId) =>
      request(caller, naming, ['POST', '/orders/cancel'], { orderId }),
    shows: ({ status }) => status === 200,
  },
  'POST /orders/batch-cancel': {
    send: (naming, caller, id) =>
      request(caller, naming, ['POST', '/orders/batch-cancel'], { orderIds: [id] }),
    shows: ({ body }, id) => at(body, 'canceled', 0) === id,
  },
  'POST /orders/cancel-batch': {
    send: (naming, caller, id) =>
      request(caller, naming, ['POST', '/orders/cancel-batch'], { orderIds: [id] }),
    shows: ({ body }, id) => at(body, 'canceled', 0) === id,
  },
  'DELETE /orders/all/:slug': {
    send: (naming, caller) => request(caller, naming, ['DELETE', '/orders/all/rain']),
    shows: ({ body }, id) => at(body, 'canceled', 0) === id,
  },
  'DELETE /orders/all': {
    send: (naming, caller) => request(caller, naming, ['DELETE', '/orders/all']),
    shows: ({ body }, id) => at(body, 'canceled', 0) === id,
  },
  'GET /sports-markets/:slug/user-orders': {
    send: (naming, caller) => request(caller, naming, ['GET', '/sports-markets/final/user-orders']),
    shows: ({ body }, id) => at(body, 0, 'id') === id,
  },
  'DELETE /sports-markets/:slug/user-orders': {
    send: (naming, caller) =>
      request(caller, naming, ['DELETE', '/sports-markets/final/user-orders']),
    shows: ({ body }, id) => at(body, 'canceled', 0) === id,
  },
  'POST /mcp': {
    send: (naming, caller) =>
      request(caller, naming, ['POST', '/mcp'], {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_my_orders' },
      }),
    shows: ({ body }, id) => {
      return String(at(body, 'result', 'content', 0, 'text')).includes(`"id":"${id}"`)
    },
  },
  'POST /heartbeats': {
    send: (naming, caller) =>
      request(caller, naming, ['POST', '/heartbeats'], { cancelAt: live.nowMs() + AHEAD_MS }),
    shows: () => live.exchange.pipeline.clearing.heartbeats.of(desk.profileId) !== undefined,
  },
  'POST /orders': {
    inBody: true,
    send: (naming, caller) => hand(caller, naming, '/orders', named(nameless(), naming)),
    shows: ({ body }) => at(body, 'order', 'ownerId') === desk.profileId,
  },
  'POST /orders/batch': {
    inBody: true,
    send: (naming, caller) =>
      hand(caller, naming, '/orders/batch', { orders: [named(nameless(), naming)] }),
    inner: ['results', 0, 'code'],
    shows: ({ body }) => at(body, 'results', 0, 'order', 'ownerId') === desk.profileId,
  },
  'POST /orders/:orderId/amend': {
    inBody: true,
    send: (naming, caller, id) =>
      hand(caller, naming, `/orders/${id}/amend`, named({ replacement: nameless() }, naming)),
    shows: ({ body }) => at(body, 'order', 'ownerId') === desk.profileId,
  },
  'POST /orders/amend/batch': {
    inBody: true,
    send: (naming, caller, orderId) => {
      const operation = { order: { orderId }, replacement: nameless() }
      const operations = [named(operation, naming)]
      return hand(caller, naming, '/orders/amend/batch', { operations })
    },
    inner: ['results', 0, 'code'],
    shows: ({ body }) => at(body, 'results', 0, 'order', 'ownerId') === desk.profileId,
  },
  'POST /orders/cancel-replace': {
    inBody: true,
    send: (naming, caller, id) =>
      hand(caller, naming, '/orders/cancel-replace', replacing(id, naming)),
    shows: ({ body }) => at(body, 'replacement', 'data', 'order', 'ownerId') === desk.profileId,
  },
  'POST /orders/cancel-replace/batch': {
    inBody: true,
    send: (naming, caller, id) => {
      const operations = [replacing(id, naming)]
      return hand(caller, naming, '/orders/cancel-replace/batch', { operations })
    },
    inner: ['results', 0, 'cancel', 'error', 'code'],
    shows: ({ body }) =>
      at(body, 'results', 0, 'replacement', 'data', 'order', 'ownerId') === desk.profileId,
  },
}

test('the table has a row for each route that takes the header, and no other row', () => {
  const [header] = Object.keys(ON_BEHALF_HEADER)
  // Calls that move money have a table of their own: test/server/api/portfolio.
  const routes = api.filter(({ headers, path }) => {
    return headers[header] !== undefined && !/^\/(portfolio|amm|parlay)\//.test(path)
  })
  const names = routes.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(Object.keys(CALLS).sort(), names.sort())
})

const BAD_HEADERS = ['0', '-1', 'x', '1.5', '2147483648', '', '1, 2', '01']
const BAD_QUERIES = ['0', '-1', 'x', '1.5', '2147483648', '', '1&onBehalfOf=1']
const BAD_FIELDS = [0, -1, 1.5, 2 ** 31, '1', null]

async function resting(): Promise<string> {
  const reply = await live.call(partner, 'POST', '/orders', {
    ...unsignedBody(partner, desk.profileId, market),
  })
  assert.equal(reply.status, 201, reply.text)
  return orderIdOf(reply)
}

/** A row may give its refusal inside a plain reply. */
function assertRowRefused({ inner }: Row, reply: Reply, status: number, code: string): void {
  if (reply.status !== 200 || inner === undefined) assertRefused(reply, status, code)
  else assert.equal(at(reply.body, ...inner), code, reply.text)
}

for (const [name, row] of Object.entries(CALLS)) {
  test(`${name} is for the account that the header or onBehalfOf names`, async () => {
    const id = await resting()
    const header = String(desk.profileId)
    const given = desk.profileId
    const refused = async (
      [status, code]: readonly [number, string],
      naming: Naming,
      caller = partner,
    ) => assertRowRefused(row, await row.send(naming, caller, id), status, code)
    const malformed = [400, 'VALIDATION'] as const
    for (const bad of BAD_HEADERS) await refused(malformed, { header: bad })
    const values = row.inBody === true ? BAD_FIELDS : BAD_QUERIES
    for (const bad of values) await refused(malformed, { given: bad })
    await refused(malformed, { header: '0', given })
    await refused(malformed, { header, given: foreign.profileId })
    for (const [target, caller] of [
      [foreign.profileId, partner],
      [partner.profileId, partner],
      [999_999, partner],
      [desk.profileId, other],
    ] as const) {
      await refused([403, 'NOT_SUB_ACCOUNT'], { header: String(target) }, caller)
      await refused([403, 'NOT_SUB_ACCOUNT'], { given: target }, caller)
    }
    await refused([403, 'SCOPE_MISSING'], { header }, trading)
    await refused([403, 'SCOPE_MISSING'], { given }, trading)
    const nobody = await row.send({}, partner, id)
    assert.equal(row.shows(nobody, id), false, 'a call that names no account is for the caller')
    await live.call(partner, 'DELETE', `/orders/all/rain?onBehalfOf=${given}`)
    for (const naming of [{ header }, { given }, { header, given }]) {
      const open = await resting()
      const reply = await row.send(naming, partner, open)
      assert.equal(row.shows(reply, open), true, reply.text)
      await live.call(partner, 'DELETE', `/orders/all/rain?onBehalfOf=${given}`)
    }
    assert.deepEqual(live.balances(partner), { freeRaw: FUNDS_RAW, reservedRaw: 0 })
  })
}

test('an order of a batch may name only the account of the header', async () => {
  const header = String(desk.profileId)
  const orders = [
    nameless(),
    named(nameless(), { given: desk.profileId }),
    named(nameless(), { given: foreign.profileId }),
  ]
  const reply = await hand(partner, { header }, '/orders/batch', { orders })
  const reported = [0, 1, 2].map((index) => at(reply.body, 'results', index, 'status'))
  assert.deepEqual(reported, [201, 201, 400])
  const [{ field }] = Object(at(reply.body, 'results', 2, 'message'))
  assert.equal(field, 'onBehalfOf')
  const operations = [replacing(await resting(), { given: foreign.profileId })]
  const whole = await hand(partner, { header }, '/orders/cancel-replace/batch', { operations })
  assert.equal(whole.status, 400, 'a body that is wrong anywhere is refused whole')
  assert.equal(at(whole.body, 'message', 0, 'field'), 'operations.0.onBehalfOf')
})
