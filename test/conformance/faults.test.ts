import assert from 'node:assert/strict'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ShardHandle } from '../../engine/shard/shard-handle.ts'
import { PLACE_HEAD_BYTES } from '../../engine/wire/record-layout.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, orderShape, SHARE } from '../support/exchange-client.ts'
import {
  compileProgram,
  type Ended,
  runProgram,
  ServerProcess,
  verify,
} from '../support/server-process.ts'

// Faults around the program: each gives a sentence and an exit code that is not 0.

await compileProgram()

/** No file may outgrow this many blocks of 512 bytes: the writer sees a full disk. */
const smallDisk = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']
/** Root may write anywhere, so the program gives up that one right. */
const asOthers = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--'] : []

const serveOn = (dataDir: string, wrapper: string[] = []): Promise<Ended> =>
  runProgram(['serve', '--data', dataDir, '--port', '0'], { wrapper })

async function emptyExchange(): Promise<string> {
  const dataDir = newFolder()
  const server = await ServerProcess.start({ dataDir })
  await server.stop()
  return dataDir
}

/** The exit code of `verify` for a folder that it could not check. */
const UNCHECKED = 3

function refusedWith({ code, stderr, stdout }: Ended, sentence: RegExp, expected = 1): void {
  assert.equal(code, expected, stderr)
  assert.match(stderr, sentence)
  assert.doesNotMatch(stderr, /\n\s+at /, 'the fault is a sentence, not a stack')
  assert.doesNotMatch(stdout, /listening/)
}

test('a second server and verify are refused a used folder; the first goes on', async () => {
  const dataDir = newFolder()
  const server = await ServerProcess.start({ dataDir })
  try {
    const sentence = /another outcomex process uses this data folder/
    refusedWith(await serveOn(dataDir), sentence)
    refusedWith(await runProgram(['verify', '--data', dataDir]), sentence, UNCHECKED)
    await new ExchangeClient(server.baseUrl).makeMarket('still-here', false)
  } finally {
    await server.kill()
  }
})

test('a folder whose key is gone is refused', async () => {
  const dataDir = await emptyExchange()
  rmSync(join(dataDir, 'server.key'))
  refusedWith(await serveOn(dataDir), /server\.key/)
})

test('a read-only folder is refused', async (t) => {
  const dataDir = newFolder()
  chmodSync(dataDir, 0o555)
  const tried = await serveOn(dataDir, asOthers).catch(() => null)
  if (tried === null) return t.skip('setpriv is not here')
  refusedWith(tried, /may not use it|cannot be opened|read-only|permission/i)
})

test('a full disk stops the server with a sentence, and nothing acknowledged is lost', async () => {
  const dataDir = newFolder()
  const server = await ServerProcess.start({ dataDir, wrapper: smallDisk(2000) })
  const client = new ExchangeClient(server.baseUrl)
  const market = await client.makeMarket('full-disk', false)
  const trader = await client.makeTrader('full disk', 1_000_000 * SHARE)
  const reported: string[] = []
  const wanted = { isBuy: true, outcome: 'yes' as const, ticks: 100, sizeRaw: SHARE }
  for (let salt = 1; ; salt++) {
    const order = { ...wanted, type: 'GTC' as const, salt }
    const reply = await client.place(trader, market, order).catch(() => null)
    if (reply === null) break
    assert.ok(orderShape.holds(reply.body), JSON.stringify(reply))
    reported.push(reply.body.order.id)
  }
  const { code, stderr } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr, /^outcomex stops: The (journal|follower) thread failed: /m)
  assert.ok((await verify(dataDir)).seq >= reported.length)
  const again = await ServerProcess.start({ dataDir })
  try {
    const { status, body } = await new ExchangeClient(again.baseUrl).call(
      trader,
      'DELETE',
      `/orders/all/${market.slug}`,
    )
    assert.equal(status, 200)
    const text = JSON.stringify(body)
    assert.ok(
      reported.every((id) => text.includes(id)),
      'every acknowledged order was open',
    )
  } finally {
    await again.kill()
  }
})

test('a market thread that dies is named', async () => {
  let report = (_sentence: string) => {}
  const fault = new Promise<string>((resolve) => {
    report = resolve
  })
  const visitor = { settle() {}, publish() {}, published() {} }
  const shard = new ShardHandle('market-7', visitor, {
    inline: false,
    onReady() {},
    onFault: report,
  })
  await shard.ready
  // A head of zeros names no market, so the thread throws.
  shard.place(1, new Uint8Array(PLACE_HEAD_BYTES))
  shard.send()
  assert.match(await fault, /^market-7 died: /)
})
