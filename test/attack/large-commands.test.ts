import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openReadOnly } from '../../persistence/database.ts'
import { readPath } from '../../persistence/follower/read-database.ts'
import { boolean, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { CommandFlow, flowMarket } from '../support/command-flow.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, send, shaped, type Trader } from '../support/exchange-client.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { fromEnv } from '../support/random.ts'
import { ServerProcess, tablesAreWhole } from '../support/server-process.ts'

// One command or one instant ends very many orders, while others trade and read what they own. The
// whole size is LARGE_ORDERS=262144; it prints how many reads of others were 503, and how late. No
// time is checked, because times depend on the machine.

const readiness = compile(openObject({ checks: list(openObject({ name: text(), ok: boolean() })) }))

/** Enough that rows of both acts are late. */
const ORDERS = fromEnv('LARGE_ORDERS', 9500)
const MAKER = 1
const [SWEPT, LOCKED, QUIET] = [1, 2, 3].map(flowMarket)

/** Markets 1 and 2 are full of the maker's bids. */
function fullFolder(): string {
  const flow = new CommandFlow(1)
  const bid = { accountId: MAKER, side: 0, outcome: 0, orderType: 0, sizeRaw: 1000 }
  for (const marketId of [SWEPT.id, LOCKED.id]) {
    for (let order = 0; order < ORDERS; order++) {
      flow.place({ ...bid, marketId, priceTicks: 1 + (order % 400) })
    }
  }
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, 512)
  return dataDir
}

/** Statuses of what others got while something large went on. */
class Seen {
  readonly statuses = new Map<string, number>()
  longestMs = 0

  note(what: string, status: number, startMs: number): void {
    const name = `${what} ${status}`
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1)
    this.longestMs = Math.max(this.longestMs, performance.now() - startMs)
  }

  count(what: string): number {
    return this.statuses.get(what) ?? 0
  }

  print(about: string): void {
    const { longestMs, statuses } = this
    console.log(JSON.stringify({ about, ORDERS, longestMs, ...Object.fromEntries(statuses) }))
  }
}

const dataDir = fullFolder()
const server = await ServerProcess.start({ dataDir, args: ['--no-rate-limit', '--accept-clock'] })
after(() => server.signal('SIGKILL'))
const client = new ExchangeClient(server.baseUrl)
const [other, taker] = await Promise.all([
  client.makeTrader('other', 1e12),
  client.makeTrader('taker', 1e12),
])
let salt = 1

/** Places an order, and reads it among the open ones of its market. */
async function tradeAndRead(trader: Trader, seen: Seen): Promise<void> {
  const terms = { isBuy: true, outcome: 'yes', ticks: 10, sizeRaw: 1_000_000 } as const
  const placed = await client.placed(trader, QUIET, { ...terms, type: 'GTC', salt: salt++ })
  const startMs = performance.now()
  const path = `/markets/${QUIET.slug}/user-orders?statuses=LIVE&limit=1`
  const read = await client.call(trader, 'GET', path)
  seen.note('read', read.status, startMs)
  if (read.status === 200) {
    const isOwn = JSON.stringify(read.body).includes(placed.order.id)
    assert.ok(isOwn, 'a reader sees its own newest order')
  } else assert.equal(read.retryAfter, '1')
  const ready = await send(server.baseUrl, 'GET', '/ready')
  seen.note('ready', ready.status, startMs)
  const { checks } = shaped(readiness, ready.body)
  for (const { name, ok } of checks) if (!ok) seen.note(name, ready.status, startMs)
}

/** Others trade and read until the act is over and the tables show all of it. */
async function during(about: string, act: () => Promise<void>): Promise<void> {
  const seen = new Seen()
  let isOver = false
  const acted = act().finally(() => {
    isOver = true
  })
  let rounds = 0
  do {
    await tradeAndRead(other, seen)
    rounds++
  } while (!isOver || rounds < 20 || !(await tablesAreWhole(server.baseUrl)))
  await acted
  seen.print(about)
  // A busy machine may hold up any thread for a second.
  assert.equal(seen.count('tables 503'), 0, 'a follower that works through a command is ready')
  assert.ok(seen.count('read 200') > 0)
}

function tableCount(sql: string): number {
  const connection = openReadOnly(readPath(dataDir))
  const row = connection.prepare<[], { count: number }>(sql).get()
  connection.close()
  return row?.count ?? 0
}

test('others trade and read while one order meets every maker of a market', async () => {
  await during('sweep', async () => {
    const takes = { isBuy: true, outcome: 'no', ticks: 999, sizeRaw: ORDERS * 1000 } as const
    const { status } = await client.place(taker, SWEPT, { ...takes, type: 'FAK', salt: salt++ })
    assert.equal(status, 201)
  })
  assert.equal(tableCount('SELECT count(*) AS count FROM maker_fills'), ORDERS)
})

test('others trade and read while one instant ends every order of a market', async () => {
  await during('lock', async () => {
    await client.admin(`/admin/markets/${LOCKED.slug}/lock`, {})
  })
  const live = `SELECT count(*) AS count FROM live_orders WHERE owner = ${MAKER}`
  assert.equal(tableCount(live), 0)
})
