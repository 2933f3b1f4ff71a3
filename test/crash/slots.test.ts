import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { slotMsOf } from '../../engine/domain/markets/series.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { encodeCommand } from '../support/encode-command.ts'
import { ExchangeClient, SHARE } from '../support/exchange-client.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { recoverAll } from '../support/journal-records.ts'
import { at } from '../support/json-path.ts'
import { buy, fill, openForTest } from '../support/open-pipeline.ts'
import { compileProgram, ServerProcess, verify } from '../support/server-process.ts'
import { seriesSpec } from '../support/specs.ts'
import { until } from '../support/until.ts'

// What follows by itself from a state goes on after a death: the payout behind a resolution, and
// each step at the boundary of two slots. It happens once, wherever the process died.

await compileProgram()

const args = ['--block-ms', '0', '--market-threads', '1']
const T0 = 1_800_000_000_000
const SLOT_MS = slotMsOf(seriesSpec())
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PRICE_E8 = 9_500_000_000_000
/** Two slots of the series; market 1 is another. */
const [FIRST, SECOND] = [2, 3]

function countOf(commands: readonly Command[], which: (command: Command) => boolean): number {
  return commands.filter(which).length
}

const paysOut = (command: Command, marketId: number) =>
  command.kind === 'postPayouts' && command.marketIds.includes(marketId)

async function exchangeAt(dataDir: string, nowMs: number) {
  const clock = { nowMs }
  const exchange = await openForTest(dataDir, clock, 0, { blockMs: 0, collateralAddress: USDC })
  const { pipeline } = exchange
  const passTo = async (atMs: number) => {
    clock.nowMs = atMs
    for (let tick = 0; tick < 8; tick++) {
      pipeline.tick()
      await pipeline.whenIdle()
    }
  }
  const report = async (atMs: number) => {
    const price = { symbol: 'BTC', atMs, priceE8: PRICE_E8 }
    await pipeline.change(() => ({ kind: 'reportPrice', ...price }))
    await passTo(clock.nowMs)
  }
  return { exchange, pipeline, passTo, report }
}

/** A folder whose first slot trades and is about to end. */
async function beforeTheEnd(): Promise<string> {
  const dataDir = newFolder()
  const { exchange, pipeline, passTo, report } = await exchangeAt(dataDir, T0 - 60_000)
  await fill(exchange, 1000 * SHARE)
  await pipeline.change(() => ({ kind: 'createSeries', seriesId: 1, series: seriesSpec() }))
  await passTo(T0)
  await report(T0)
  const book = pipeline.clearing.catalogue.existing(FIRST).book
  const order = { marketId: FIRST, book, priceTicks: 500, sizeRaw: SHARE }
  assert.equal(buy(exchange, 1, order), null)
  await passTo(T0 + SLOT_MS - 1000)
  await exchange.stop()
  return dataDir
}

test('a start behind a boundary of slots goes on from wherever the journal ends', async () => {
  const boundaryMs = T0 + SLOT_MS
  const base = await beforeTheEnd()
  const { tail, commands: before } = recoverAll(base)
  const whole = copyFolder(base)
  const first = await exchangeAt(whole, boundaryMs)
  await first.passTo(boundaryMs)
  await first.report(boundaryMs)
  await first.passTo(boundaryMs + LIMITS.payoutEveryMs)
  await first.exchange.stop()
  const crossing = recoverAll(whole).commands.slice(tail.seq)
  const kinds = new Set(crossing.map(({ kind }) => kind))
  for (const kind of ['lockMarket', 'decideBoundary', 'openSlot', 'postPayouts'] as const) {
    assert(kinds.has(kind), `the boundary shows ${kind}`)
  }
  for (let count = 0; count <= crossing.length; count++) {
    const dataDir = copyFolder(base)
    const journaled = crossing.slice(0, count)
    fillJournal(dataDir, journaled.map(encodeCommand), 1)
    // The slots are late: their boundary passed while nothing ran.
    const lateMs = boundaryMs + 30_000
    const late = await exchangeAt(dataDir, lateMs)
    await late.passTo(lateMs)
    if (!journaled.some(({ kind }) => kind === 'reportPrice')) await late.report(boundaryMs)
    await late.passTo(lateMs + LIMITS.payoutEveryMs)
    const opened = late.pipeline.clearing.catalogue.existing(SECOND)
    assert.deepEqual([opened.status, opened.strikeE8], ['FUNDED', PRICE_E8])
    assert.equal(late.pipeline.clearing.orders.live.all, 0, 'the orders of the first are canceled')
    const { stateHash } = await late.exchange.stop()
    const found = recoverAll(dataDir)
    assert.equal(found.stateHash, stateHash, `cut behind ${count} commands`)
    assert.equal(verifyFolder(dataDir).stateHash, stateHash)
    const after = found.commands.slice(before.length)
    const once = [
      (command: Command) => command.kind === 'lockMarket' && command.marketId === FIRST,
      (command: Command) => command.kind === 'decideBoundary' && command.atMs === boundaryMs,
      (command: Command) => command.kind === 'resolveMarkets',
      (command: Command) => command.kind === 'openSlot' && command.marketId === SECOND,
      (command: Command) => paysOut(command, FIRST),
    ]
    const counts = once.map((which) => countOf(after, which))
    assert.deepEqual(counts, [1, 1, 1, 1, 1], `cut behind ${count} commands`)
  }
})

test('a server killed before a payout posts it after the next start, once', async () => {
  const dataDir = newFolder()
  const first = await ServerProcess.start({ dataDir, args, fault: 'before-payouts:1' })
  const client = new ExchangeClient(first.baseUrl)
  const maker = await client.makeTrader('maker', 100 * SHARE)
  const taker = await client.makeTrader('taker', 100 * SHARE)
  const market = await client.makeMarket('paid', false)
  const wanted = { isBuy: true, type: 'GTC', sizeRaw: 10 * SHARE } as const
  await client.placed(maker, market, { ...wanted, outcome: 'no', ticks: 400, salt: 1 })
  await client.placed(taker, market, { ...wanted, outcome: 'yes', ticks: 600, salt: 2 })
  // The death may come before the reply.
  const resolve = () => client.adminReply('/admin/markets/paid/resolve', { winningOutcomeIndex: 0 })
  const reply = await resolve().catch(() => null)
  assert.equal((await first.ended).signal, 'SIGKILL')
  const isPayout = (command: Command) => paysOut(command, market.id)
  const died = recoverAll(dataDir)
  // The payout is due once the core knows the winner, which may be before the journal does: a
  // resolution that nobody was notified of may be lost, and then is made again.
  const isResolution = ({ kind }: Command) => kind === 'resolveMarkets'
  const isLost = countOf(died.commands, isResolution) === 0
  if (isLost) assert.equal(reply, null, 'a resolution that was acknowledged survives')
  assert.equal(countOf(died.commands, isPayout), 0)
  assert.equal((await verify(dataDir)).stateHash, died.stateHash)
  const nowMs = died.commands[died.commands.length - 1].nowMs
  const again = await exchangeAt(dataDir, nowMs)
  if (isLost) {
    const resolutions = [{ marketId: market.id, payoutNumerators: [1, 0] as const }]
    await again.pipeline.change(() => ({ kind: 'resolveMarkets', resolutions }))
  }
  await again.passTo(nowMs + LIMITS.payoutEveryMs)
  const { stateHash } = await again.exchange.stop()
  assert.equal(verifyFolder(dataDir).stateHash, stateHash)
  assert.equal(countOf(recoverAll(dataDir).commands, isResolution), 1)
  assert.equal(countOf(recoverAll(dataDir).commands, isPayout), 1, 'a market is paid out once')
})

test('a server killed between two steps of slots makes and opens each slot once', async () => {
  const dataDir = newFolder()
  const body = {
    symbol: 'BTC',
    frequency: 'hourly',
    subFrequency: 'hours_1',
    title: 'Up or down',
    stableSlug: 'btc-hourly',
    slugPrefix: 'btc-1h',
    assetName: 'Bitcoin',
    strikePrice: '95000',
  }
  for (const passing of [1, 2, 3]) {
    const fault = `mid-slots:${passing}`
    // Steps that an earlier death left are due at once: then this start dies before it listens.
    const dying = await ServerProcess.start({ dataDir, args, fault }).catch((error) => {
      if (!String(error).includes('SIGKILL')) throw error
      return null
    })
    if (dying === null) continue
    const requested = new ExchangeClient(dying.baseUrl).adminReply('/admin/series', body)
    await requested.catch(() => null)
    assert.equal((await dying.ended).signal, 'SIGKILL')
  }
  const { stateHash } = verifyFolder(dataDir)
  const last = await ServerProcess.start({ dataDir, args: [...args, '--no-rate-limit'] })
  assert.equal(last.recovered.stateHash, stateHash)
  const client = new ExchangeClient(last.baseUrl)
  await client.adminReply('/admin/series', body)
  await until(async () => {
    return at(await client.get('/markets/stable/btc-hourly'), 'status') === 'FUNDED'
  })
  await last.stop()
  const { commands } = recoverAll(dataDir)
  const starts = commands.flatMap((command) =>
    command.kind === 'createMarket' ? (command.market.slot?.startMs ?? []) : [],
  )
  assert.equal(new Set(starts).size, starts.length, 'each slot is made once')
  assert.equal(
    countOf(commands, ({ kind }) => kind === 'openSlot'),
    1,
  )
})
