import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../../../server/cli/commands.ts'
import { runCommand } from '../../../../server/command-line.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// What the exchange owes to everybody, and the proof of one's own balances (rules §14).

const SHARE = 1_000_000
const MINUTE_MS = 60_000
const { live, rain, alice, bob } = await exchange({
  markets: { rain: { fee: true } },
  traders: { alice: 1000 * SHARE, bob: 2000 * SHARE },
})

async function verify(reply: unknown, ...flags: string[]) {
  const file = join(newFolder(), 'proof.json')
  writeFileSync(file, JSON.stringify(reply))
  const stated: string[] = []
  const say = (text: string) => stated.push(text)
  const shell = { env: {}, say, warn: say, nowMs: () => 0 }
  const code = await runCommand(commands, ['verify-proof', file, ...flags], '', shell)
  return { code, stated: stated.join('\n') }
}

const proofOf = (trader: Trader, query = '') => {
  return live.call(trader, 'GET', `/solvency/proof${query}`)
}

const asOperator = (path: string) => {
  return live.operator('GET', path)
}

test('before the first count all calls say when to come back', async () => {
  for (const reply of [
    await live.send('GET', '/solvency'),
    await proofOf(alice),
    await asOperator('/admin/solvency'),
  ]) {
    assertRefused(reply, 503, 'NOT_COUNTED')
    assert.equal(reply.headers.get('retry-after'), '60')
  }
})

test('a proof of collateral, of reserves and of shares is checked offline', async () => {
  await live.place(alice, rain, { outcome: 1, ticks: 550, sizeRaw: 100 * SHARE })
  await live.place(bob, rain, { ticks: 450, sizeRaw: 40 * SHARE })
  await live.exchange.pipeline.durable()
  assert.equal(await live.exchange.solvency.count(), true)
  const shown = await accepted(live.send('GET', '/solvency'))
  assert.equal(textAt(shown.body, 'snapshot', 'assetsRaw'), String(3000 * SHARE))
  assert.equal(textAt(shown.body, 'snapshot', 'obligationsRaw'), String(3000 * SHARE))
  assert.equal(textAt(shown.body, 'snapshot', 'differenceRaw'), '0')
  assert.equal(textAt(shown.body, 'obligations', 'sharesRaw'), String(40 * SHARE))
  const etag = shown.headers.get('etag') ?? ''
  assert.notEqual(etag, '')
  const again = await live.send('GET', '/solvency', { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const root = textAt(shown.body, 'snapshot', 'root')
  for (const trader of [alice, bob]) {
    const { body } = await proofOf(trader)
    const { freeRaw, reservedRaw } = live.balances(trader)
    assert.equal(textAt(body, 'proof', 'balances', 0, 'balanceRaw'), String(freeRaw + reservedRaw))
    const { code, stated } = await verify(body, '--root', root)
    assert.equal(code, 0, stated)
    assert.match(stated, /\nThe proof holds: 2 balances are counted in these obligations\.\n/)
    assert.match(stated, /\nThe root is the one that was given\.\n/)
  }
  const { stated } = await verify((await proofOf(alice)).body)
  assert.match(stated, /\n {2}978\.000000 collateral\n {2}40\.000000 NO of market 1, condition 0x/)
})

test('a page has as many balances as were requested, and names the next one', async () => {
  const first = await proofOf(bob, '?limit=1')
  assert.equal(at(first.body, 'next'), 0)
  const rest = await proofOf(bob, '?limit=1&after=0')
  assert.equal(at(rest.body, 'proof', 'balances', 0, 'token'), 'yes')
  assert.equal(at(rest.body, 'next'), null)
  for (const query of ['?limit=0', '?limit=51', '?after=-2', '?after=x', '?seq=1']) {
    assert.equal((await proofOf(bob, query)).status, 400, query)
  }
})

test('an account that held nothing gets a proof of nothing', async () => {
  const carol = await live.trader(0)
  const { status, body } = await proofOf(carol)
  assert.equal(status, 200)
  assert.deepEqual(at(body, 'proof', 'balances'), [])
})

test('the operator sees every token with its difference', async () => {
  const { body } = await asOperator('/admin/solvency')
  const rows = at(body, 'tokens')
  assert(Array.isArray(rows))
  assert.deepEqual(
    rows.map((row) => [at(row, 'token'), at(row, 'obligationsRaw'), at(row, 'differenceRaw')]),
    [
      ['collateral', String(3000 * SHARE), '0'],
      ['yes of market 1', String(40 * SHARE), '0'],
      ['no of market 1', String(40 * SHARE), '0'],
    ],
  )
  await accepted(live.admin('/admin/solvency', {}), 202)
})

test('a changed proof, another file and another root are refused with a sentence', async () => {
  const { text, body } = await proofOf(alice)
  const forged: unknown = JSON.parse(text.replace('"978000000"', '"978000001"'))
  const { code, stated } = await verify(forged)
  assert.deepEqual([code, stated.startsWith('The proof does not hold. ')], [1, true], stated)
  assert.equal((await verify(body, '--root', 'ab'.repeat(32))).code, 1)
  assert.equal((await verify({ proof: {} })).code, 1)
  assert.equal((await verify([])).code, 1)
  assert.equal((await verify(body, '--root', 'no root')).code, 2)
})

test('no caller can hold up another with proofs', async () => {
  const flood = Array.from({ length: 100 }, () => proofOf(alice))
  const other = await proofOf(bob)
  assert.equal(other.status, 200)
  const reported = new Set((await Promise.all(flood)).map(({ status }) => status))
  assert.ok(
    [...reported].every((status) => status === 200 || status === 503),
    [...reported].join(' '),
  )
})

test('a thread that dies stops nothing, and the next count starts another', async () => {
  await live.exchange.solvency.crash()
  assert.equal((await live.send('GET', '/solvency')).status, 503)
  assert.equal(await live.exchange.solvency.count(), true)
  assert.equal((await proofOf(alice)).status, 200)
})

test('a start counts the newest snapshot to the same root', async () => {
  await live.exchange.solvency.count()
  const earlier = await live.send('GET', '/solvency')
  await live.restart({ flags: ['--solvency-minutes', '10'] })
  const { solvency, recovered } = live.exchange
  assert.equal(recovered.snapshotSeq, at(earlier.body, 'snapshot', 'seq'))
  solvency.tick(0)
  assert.equal(await solvency.underWay, true)
  const now = await live.send('GET', '/solvency')
  assert.equal(at(now.body, 'snapshot', 'root'), at(earlier.body, 'snapshot', 'root'))
})

test('a count comes when it is due, and takes a snapshot only if there is no new one', async () => {
  const { solvency, snapshots, pipeline } = live.exchange
  /** Whether the time begins a count; the seq that is counted then. */
  const countedAt = async (nowMs: number): Promise<number | null> => {
    solvency.tick(nowMs)
    if (solvency.underWay === null) return null
    assert.equal(await solvency.underWay, true)
    return solvency.summary?.snapshot.seq ?? null
  }
  await live.trader(SHARE)
  assert.equal(await countedAt(10 * MINUTE_MS - 1), null)
  const seq = pipeline.clearing.lastSeq
  assert.equal(await countedAt(10 * MINUTE_MS), seq)
  assert.equal(snapshots.last.seq, seq)
  assert.equal(await countedAt(30 * MINUTE_MS), null, 'nothing happened since')
  await live.trader(SHARE)
  assert.equal(await snapshots.take(), 'saved')
  const taken = snapshots.last.seq
  await live.trader(SHARE)
  assert.equal(await countedAt(31 * MINUTE_MS), taken)
  assert.equal(snapshots.last.seq, taken)
})

test('a requested count is of the present state, whatever is under way', async () => {
  const { solvency, snapshots, pipeline } = live.exchange
  await live.trader(SHARE)
  assert.equal(await snapshots.take(), 'saved')
  await live.trader(SHARE)
  solvency.tick(60 * MINUTE_MS)
  const [seq, older] = [pipeline.clearing.lastSeq, solvency.underWay]
  assert.equal(await solvency.count(), true)
  assert.equal(await older, true)
  assert.equal(solvency.summary?.snapshot.seq, seq)
})

test('a new folder has a minute until its first count', async () => {
  const { live: fresh } = await exchange({ flags: ['--solvency-minutes', '10'] })
  const { solvency } = fresh.exchange
  await fresh.trader(SHARE)
  for (const nowMs of [0, MINUTE_MS - 1]) solvency.tick(nowMs)
  assert.equal(solvency.underWay, null)
  solvency.tick(MINUTE_MS)
  assert.equal(await solvency.underWay, true)
  assert.equal(await fresh.gauge('outcomex_solvency_seq'), fresh.exchange.snapshots.last.seq)
})
