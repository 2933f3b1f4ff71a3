import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { LiveExchange } from '../support/live-exchange.ts'
import {
  AT_ONCE,
  byBearer,
  bySignature,
  message,
  openProgram,
  reportedIn,
  say,
  toolCall,
} from '../support/live-mcp.ts'
import { orderBody } from '../support/live-orders.ts'
import { codeOf, type Reply } from '../support/replies.ts'

// Tools that are called too often, or from where nobody may trade.

const FUNDS_RAW = 1_000_000_000
const LIST = message('tools/list')

async function during(
  flags: readonly string[],
  work: (limited: LiveExchange) => Promise<void>,
): Promise<void> {
  const { live } = await exchange({ flags, limited: true })
  await work(live)
}

/** The codes of the refusals among the answers to one request. */
function codesOf(reply: Reply): unknown[] {
  return Object.values(Object(reply.body)).map((each) => {
    const { isError, body } = reportedIn(at(each, 'result'))
    return isError ? at(body, 'code') : 'done'
  })
}

/** As many calls of one tool as a request may have. */
function several(name: string, given: () => object): object[] {
  return Array.from({ length: AT_ONCE }, (_, id) => toolCall(name, given(), id))
}

/** Calls sent at once, of which at least one must be refused. */
async function assertSpent(call: () => Promise<Reply>): Promise<void> {
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, call))
  assert.ok(replies.some((reply) => reply.status === 429 && codeOf(reply) === 'RATE_LIMITED'))
}

// Buckets fill by one a second, so a slow machine cannot fill them again between two calls. Each
// would be enough for the last calls if tools took from another bucket.

test('a tool past the rate of its class is refused like its call', async () => {
  const flags = ['--rate-trade', '1:8', '--address-rate-public', '1:8']
  await during(flags, async (limited) => {
    const where = await limited.openMarket('rain-tomorrow')
    const trader = await limited.trader(FUNDS_RAW)
    const proof = byBearer(trader)
    const placing = () => several('place_order', () => orderBody(trader, where))
    assert.equal(codesOf(await say(limited, proof, placing()))[0], 'done')
    await assertSpent(() => limited.place(trader, where))
    const placed = await say(limited, proof, placing())
    const results = Object.values(Object(placed.body)).map((each) => reportedIn(at(each, 'result')))
    const refused = results.find(({ isError }) => isError)?.body
    assert.equal(at(refused, 'code'), 'RATE_LIMITED', placed.text)
    assert.ok(Number(at(refused, 'retryAfterSec')) >= 1, placed.text)
    const canceled = await say(
      limited,
      proof,
      several('cancel_all_orders', () => ({})),
    )
    assert.ok(codesOf(canceled).includes('RATE_LIMITED'), canceled.text)
    const books = several('get_order_book', () => ({ slug: where.slug }))
    assert.equal(codesOf(await say(limited, proof, books))[0], 'done')
    await assertSpent(() => limited.send('GET', '/markets/rain-tomorrow/orderbook'))
    assert.ok(codesOf(await say(limited, proof, books)).includes('RATE_LIMITED'))
  })
})

test('requests count in the private rate class of the profile with any proof', async () => {
  await during(['--rate-private', '1:8'], async (limited) => {
    const trader = await limited.trader(0)
    const other = await limited.trader(0)
    // The first call loads the library.
    assert.equal((await say(limited, byBearer(other), LIST)).status, 200)
    const request = () => say(limited, byBearer(trader), LIST)
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, request))
    for (const { status, text } of replies) assert.equal(status, 200, text)
    await assertSpent(() => limited.call(trader, 'GET', '/orders'))
    await assertSpent(request)
    const program = await openProgram(limited, bySignature(limited, other))
    await program.end()
  })
})

test('from a blocked country a program reads, and does not trade', async () => {
  const flags = ['--geo-header', 'x-country', '--geo-block', 'XA']
  await during(flags, async (limited) => {
    const where = await limited.openMarket('rain-tomorrow')
    const trader = await limited.trader(FUNDS_RAW)
    const from = (country: string) => ({ ...byBearer(trader).headers, 'x-country': country })
    const calls = (country: string) =>
      say(limited, { headers: from(country) }, [
        toolCall('place_order', orderBody(trader, where), 1),
        toolCall('get_market', { addressOrSlug: where.slug }, 2),
        toolCall('cancel_all_orders', {}, 3),
      ])
    assert.deepEqual(codesOf(await calls('XA')), ['REGION_BLOCKED', 'done', 'REGION_BLOCKED'])
    assert.deepEqual(codesOf(await calls('DE')), ['done', 'done', 'done'])
  })
})
