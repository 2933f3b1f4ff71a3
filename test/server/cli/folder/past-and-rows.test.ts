import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { commands } from '../../../../server/cli/commands.ts'
import { runCommand } from '../../../../server/command-line.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { type LiveExchange, startLive, type Trader } from '../../../support/live-exchange.ts'

// `outcomex replay` and `outcomex export` on a folder, while its exchange runs.

const SHARE = 1_000_000
const dataDir = newFolder()
let live: LiveExchange
let maker: Trader
let taker: Trader
/** The last command before the trade, and the last of all. */
const seqs = { untraded: 0, last: 0 }

async function run(...args: string[]) {
  return runOn(dataDir, args)
}

async function runOn(folder: string, args: readonly string[]) {
  const [output, warned]: [string[], string[]] = [[], []]
  const shell = {
    env: {},
    nowMs: () => 0,
    say: (text: string) => output.push(`${text}\n`),
    warn: (text: string) => warned.push(text),
  }
  const code = await runCommand(commands, [...args, '--data', folder], '', shell)
  return { code, output: output.join(''), warned: warned.join('\n') }
}

const linesOf = (output: string) => output.trimEnd().split('\n')

before(async () => {
  live = await startLive({ dataDir, flags: ['--block-ms', '60000'] })
  maker = await live.trader(100 * SHARE)
  taker = await live.trader(50 * SHARE)
  const market = await live.openMarket('rain')
  await live.place(maker, market, { ticks: 600, sizeRaw: 10 * SHARE })
  seqs.untraded = live.exchange.pipeline.durableSeq
  await live.place(taker, market, { outcome: 1, ticks: 400, sizeRaw: 4 * SHARE })
  // The tables show the trade when a private read does.
  await live.read('/markets/rain')
  seqs.last = live.exchange.pipeline.durableSeq
  await live.exchange.follower.whenApplied(seqs.last, 2 ** 31 - 1)
})
after(() => live.stop())

test('replay prints the state behind any command, and what changed between two', async () => {
  const early = await run('replay', '--until', String(seqs.untraded))
  assert.equal(early.code, 0, early.warned)
  const lines = linesOf(early.output)
  assert.match(lines[0], new RegExp(`^seq ${seqs.untraded} at 20`))
  assert.match(lines[1], /^state [0-9a-f]{64}$/)
  const of = (profile: Trader) => `profile ${profile.profileId}`
  assert.ok(lines.includes(`${of(maker)}: free 94.000000, in orders 6.000000`), early.output)
  const open = new RegExp(
    `: ${of(maker)} buys YES of rain at 0.600, open 10.000000 of 10.000000, GTC,`,
  )
  assert.ok(
    lines.some((line) => open.test(line)),
    early.output,
  )

  const changed = await run('replay', '--until', String(seqs.last), '--diff', String(seqs.untraded))
  const diff = linesOf(changed.output).slice(4)
  assert.ok(diff.includes(`- ${of(taker)}: free 50.000000, in orders 0.000000`), changed.output)
  assert.ok(diff.includes(`+ ${of(taker)}: free 48.400000, in orders 0.000000`), changed.output)
  assert.ok(diff.includes(`+ ${of(maker)}, YES of rain: free 4.000000, in orders 0.000000`))
  assert.ok(diff.includes('- market rain: FUNDED, collateral 0.000000'))
  assert.ok(diff.includes('+ market rain: FUNDED, collateral 4.000000'))
  const newest = await run('replay')
  assert.equal(linesOf(newest.output)[1], linesOf(changed.output)[3], 'without --until the newest')
})

test('replay says what it cannot show', async () => {
  const rows: [args: string[], code: number, why: RegExp][] = [
    [['--until', String(seqs.last + 1)], 1, /there is no command \d+; the last one is \d+/],
    [['--until', '0'], 2, /--until must be a whole number/],
    [['--until', '1', '--diff', '1'], 2, /--diff must be a command before/],
    [['now'], 2, /too many arguments for 'replay'/],
  ]
  for (const [args, code, why] of rows) {
    const ended = await run('replay', ...args)
    assert.deepEqual([ended.code, ended.output], [code, ''])
    assert.match(ended.warned, why)
  }
})

test('export writes every trade, order and balance as CSV', async () => {
  const csv = async (what: string) => {
    const { code, output, warned } = await run('export', '--csv', what)
    assert.equal(code, 0, warned)
    assert.ok(output.endsWith('\r\n') && !/[^\r]\n/.test(output), 'every line ends with CR LF')
    return output
      .split('\r\n')
      .slice(0, -1)
      .map((line) => line.split(','))
  }
  const [tradeHead, ...trades] = await csv('trades')
  const trade = new Map(tradeHead.map((name, index) => [name, trades[0][index]]))
  assert.equal(trades.length, 1)
  assert.deepEqual(
    ['market', 'taker', 'side', 'outcome', 'shares', 'collateral', 'fee'].map((name) =>
      trade.get(name),
    ),
    ['rain', String(taker.profileId), 'BUY', 'NO', '4.000000', '1.600000', '0.000000'],
  )
  assert.equal(trade.get('settlement'), 'MATCHED')
  const [orderHead, ...orders] = await csv('orders')
  const orderOf = (index: number) => orders[index][orderHead.indexOf('seq')]
  assert.deepEqual(
    ['order', 'makers', 'maker_orders'].map((name) => trade.get(name)),
    [orderOf(1), String(maker.profileId), orderOf(0)],
  )
  const column = (name: string) => orders.map((cells) => cells[orderHead.indexOf(name)])
  assert.deepEqual(
    column('profile'),
    [maker, taker].map(({ profileId }) => String(profileId)),
  )
  assert.deepEqual(column('filled'), ['4.000000', '4.000000'])
  assert.deepEqual(column('remaining'), ['6.000000', '0.000000'])
  assert.deepEqual(column('status'), ['LIVE', 'MATCHED'])
  assert.deepEqual(column('price'), ['0.600', '0.400'])
  const [, ...balances] = await csv('balances')
  assert.deepEqual(balances, [
    [String(maker.profileId), maker.account, 'collateral', '94.000000', '3.600000'],
    [String(taker.profileId), taker.account, 'collateral', '48.400000', '0.000000'],
    [String(maker.profileId), maker.account, 'YES of rain', '4.000000', '0.000000'],
    [String(taker.profileId), taker.account, 'NO of rain', '4.000000', '0.000000'],
  ])
})

test('export says what it cannot write', async () => {
  const rows: [args: string[], code: number, why: RegExp][] = [
    [[], 2, /required option '--csv <trades\|orders\|balances>'/],
    [['--csv', 'secrets'], 2, /--csv must be/],
  ]
  for (const [args, code, why] of rows) {
    const ended = await run('export', ...args)
    assert.deepEqual([ended.code, ended.output], [code, ''])
    assert.match(ended.warned, why)
  }
  const { code, warned } = await runOn(newFolder(), ['export', '--csv', 'trades'])
  assert.equal(code, 1)
  assert.match(warned, /no read tables; outcomex rebuild creates them/)
})
