import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { compile, type Schema } from '../../../../server/edge/http/schema/schema.ts'
import { exchange } from '../../../support/exchange.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { isTree } from '../../../support/openapi-tree.ts'

// Replies that may have fields beyond their schema: the schema names all that are served today.

const SHARE = 1_000_000
const { live } = await exchange()

function shapesOf(schema: unknown): readonly Schema[] {
  const shapes: unknown = Reflect.get(Object(schema), 'anyOf')
  return Array.isArray(shapes) ? shapes : [Object(schema)]
}

/** The fields of a value that its schema does not name, with their way. */
function unnamed(value: unknown, schema: unknown, way: string): string[] {
  const shape = shapesOf(schema).find((each) => compile(each).holds(value))
  if (shape === undefined) return [`${way} has no shape`]
  if (Array.isArray(value)) {
    const items: unknown = Reflect.get(shape, 'items')
    return value.flatMap((each) => unnamed(each, items, `${way}[]`))
  }
  const properties: unknown = Reflect.get(shape, 'properties')
  if (!isTree(value) || !isTree(properties) || Object.keys(properties).length === 0) return []
  return Object.entries(value).flatMap(([name, each]) => {
    if (!Object.hasOwn(properties, name)) return [`${way} ${name}`]
    return unnamed(each, properties[name], `${way} ${name}`)
  })
}

/** Calls a route as this profile, or as nobody; gives the fields that its reply schema lacks. */
async function unnamedOf(call: string, target: string, who?: Trader, body?: object) {
  const [method, path] = call.split(' ')
  const route = api.find((each) => each.method === method && each.path === path)
  assert.ok(route !== undefined, call)
  const reply = await (who === undefined
    ? live.send(method, target)
    : live.call(who, method, target, body))
  assert.ok(reply.status < 300, `${call} ${reply.text}`)
  return unnamed(reply.body, route.reply, call)
}

test('every field of open replies is named: markets of each kind, profiles, batches', async () => {
  await live.openGroupAndPool()
  const rain = await live.openMarket('rain', { fee: true, dailyRewardRaw: SHARE })
  const series = {
    symbol: 'BTC',
    frequency: 'daily',
    stableSlug: 'btc-daily',
    slugPrefix: 'btc-1d',
    title: 'Bitcoin up or down',
    assetName: 'Bitcoin',
    strikePrice: '64000',
  }
  assert.equal((await live.admin('/admin/series', series)).status, 201)
  const bob = await live.trader(100 * SHARE)
  await live.place(bob, rain, { sizeRaw: SHARE })
  const detail = 'GET /markets/:addressOrSlug'
  const orders = [orderBody(bob, rain), { ...orderBody(bob, rain, { feeBps: 7 }) }]
  const found = [
    ...(await unnamedOf(detail, '/markets/rain')),
    ...(await unnamedOf(detail, '/markets/cup')),
    ...(await unnamedOf(detail, '/markets/cup-reds')),
    ...(await unnamedOf(detail, '/markets/pool')),
    ...(await unnamedOf(detail, '/markets/rain?include=timelinePreview,nextMarket')),
    ...(await unnamedOf('GET /markets/stable/:slug', '/markets/stable/btc-daily')),
    ...(await unnamedOf('GET /markets/active', '/markets/active')),
    ...(await unnamedOf('GET /profiles/me', '/profiles/me', bob)),
    ...(await unnamedOf('POST /orders/batch', '/orders/batch', bob, { orders })),
  ]
  assert.deepEqual(found, [])
})
