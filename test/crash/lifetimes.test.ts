import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Command } from '../../engine/domain/command.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, SHARE, type TestMarket, type Trader } from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { freshSeed, Random } from '../support/random.ts'
import { ServerProcess } from '../support/server-process.ts'

// Markets come and go while the server dies: books and position rows are used again, nothing that a
// client received is lost, and no market gets what belonged to another.

const random = new Random(freshSeed())
const dataDir = newFolder()
const THREADS = ['4', '2', '0', 'each'] as const
const FAULTS = ['mid-archive:1', 'after-decide:20', 'after-commit:40', 'mid-archive:3'] as const
const FUNDS_RAW = 1000 * SHARE

/** What clients received. */
const opened: TestMarket[] = []
const resolved = new Set<string>()
let salt = random.between(1, 1e6)

function start(threads: string, fault?: string): Promise<ServerProcess> {
  const args = ['--market-threads', threads, '--block-ms', '10']
  return ServerProcess.start({ dataDir, args: [...args, '--no-rate-limit'], fault })
}

/** Two traders make pairs and unmake them, so that nobody holds a share of the market. */
async function live(client: ExchangeClient, slug: string, traders: readonly Trader[]) {
  const market = await client.makeMarket(slug, false)
  opened.push(market)
  for (const isBuy of [true, false]) {
    for (const [index, trader] of traders.entries()) {
      const outcome = index === 0 ? ('yes' as const) : ('no' as const)
      const wanted = { isBuy, outcome, ticks: 500, sizeRaw: SHARE, type: 'GTC' as const }
      await client.placed(trader, market, { ...wanted, salt: ++salt })
    }
  }
  // It rests until the market is resolved.
  const rest = { isBuy: true, outcome: 'yes' as const, ticks: 100, sizeRaw: SHARE }
  await client.placed(traders[0], market, { ...rest, type: 'GTC', salt: ++salt })
  await client.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
  resolved.add(slug)
}

async function liveUntilDeath(server: ServerProcess, round: number, traders: readonly Trader[]) {
  const client = new ExchangeClient(server.baseUrl)
  try {
    for (let number = 0; ; number++) await live(client, `life-${round}-${number}`, traders)
  } catch (error) {
    // A call to a dead server fails; an answer that is wrong is an assertion.
    if (error instanceof assert.AssertionError) throw error
  }
  assert.equal((await server.ended).signal, 'SIGKILL')
}

async function check(server: ServerProcess): Promise<void> {
  const client = new ExchangeClient(server.baseUrl)
  for (const { slug, id } of opened.slice(-12)) {
    const market = Object(await client.get(`/markets/${slug}`))
    assert.equal(market.id, id)
    if (resolved.has(slug)) assert.equal(market.status, 'RESOLVED')
    const again = await client.adminReply('/admin/markets', { kind: 'clob', slug, title: 'Again?' })
    assert.equal(again.status, 409, JSON.stringify(again.body))
  }
}

/** Payouts and markets that are over may be due at the start: then the fault comes so early. */
function killedEarly(error: unknown): null {
  if (!String(error).includes('"signal":"SIGKILL"')) throw error
  return null
}

function countsOf(commands: readonly Command[]) {
  const books = commands.flatMap((each) => (each.kind === 'createMarket' ? each.book : []))
  const archived = commands.filter(({ kind }) => kind === 'archiveMarket').length
  return { markets: books.length, books: new Set(books).size, archived }
}

test('books and rows are used again through every death, and no market is lost', async () => {
  let server = await start('2')
  after(() => server.signal('SIGKILL'))
  const first = new ExchangeClient(server.baseUrl)
  const traders = [
    await first.makeTrader('ann', FUNDS_RAW),
    await first.makeTrader('ben', FUNDS_RAW),
  ]
  await server.stop()
  for (const [round, fault] of FAULTS.entries()) {
    const dying = await start(THREADS[round % THREADS.length], fault).catch(killedEarly)
    if (dying !== null) await liveUntilDeath(dying, round, traders)
    const { seq, stateHash } = verifyFolder(dataDir)
    server = await start(THREADS[(round + 1) % THREADS.length])
    assert.deepEqual(server.recovered, { seq, stateHash })
    await check(server)
    const client = new ExchangeClient(server.baseUrl)
    for (let more = 0; more < 3; more++) await live(client, `calm-${round}-${more}`, traders)
    await server.stop()
    console.log(JSON.stringify({ fault, seq, ...countsOf(recoverAll(dataDir).commands) }))
  }
  const { markets, books, archived } = countsOf(recoverAll(dataDir).commands)
  assert(markets > books * 2, `${markets} markets had ${books} books`)
  assert(archived > markets / 3, `${archived} of ${markets} left memory`)
  const last = await start('2')
  server = last
  const client = new ExchangeClient(last.baseUrl)
  for (const { slug } of opened.filter((each) => !resolved.has(each.slug))) {
    await client.adminReply(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
  }
  await check(last)
  await last.stop()
})
