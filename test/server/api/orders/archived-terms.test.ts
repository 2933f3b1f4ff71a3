import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HOUR_MS } from '../../../../engine/domain/units.ts'
import { openReadOnly } from '../../../../persistence/database.ts'
import {
  archivedNames,
  archiveFolder,
} from '../../../../persistence/journal/segments/segment-folder.ts'
import { openOrders } from '../../../../server/api/orders/order-status.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { exchange } from '../../../support/exchange.ts'
import { flagsOf } from '../../../support/flags.ts'
import { at } from '../../../support/json-path.ts'
import { accepted } from '../../../support/replies.ts'
import { until } from '../../../support/until.ts'

// The signed terms of orders are in the journal or its segments, and nowhere else.

const SEALS = flagsOf({ 'journal-days': 0, 'segment-bytes': 4096, 'snapshot-every': 30 })
const TERMS = ['salt', 'maker', 'signer', 'signature'] as const

/** The first command whose batch is still in the journal itself. */
function oldestSeq(folder: string): number {
  const db = openReadOnly(join(folder, 'journal.db'))
  const seq = db.prepare<[], number>('SELECT min(first_seq) FROM batches').pluck().get()
  db.close()
  return seq ?? Number.POSITIVE_INFINITY
}

test('orders show what was signed while their part of the journal is there', async () => {
  const { live, rain, alice, bob } = await exchange({
    markets: ['rain'],
    traders: ['alice', 'bob'],
    flags: [...SEALS],
  })
  const { body } = await live.placed(alice, rain, { ticks: 100, sizeRaw: 1_000_000 })
  const orderId = at(body, 'order', 'id')
  const placedSeq = live.exchange.pipeline.clearing.lastSeq
  const shown = async () => {
    const page = await accepted(live.call(alice, 'GET', '/orders'))
    assert.deepEqual(openOrders.replyIssues(page.body), [])
    assert.equal(at(page.body, 'data', 0, 'id'), orderId)
    return TERMS.map((term) => at(page.body, 'data', 0, term))
  }
  const signed = TERMS.map((term) => at(body, 'order', term))
  assert.ok(signed.every((term) => typeof term === 'string'))
  assert.deepEqual(await shown(), signed)
  const { dataDir: folder } = live
  const names = () => archivedNames(folder).filter((name) => name.endsWith('.seg'))
  let ticksMs = 0
  await until(async () => {
    await accepted(live.call(bob, 'DELETE', `/orders/${await live.ordered(bob, rain)}`))
    ticksMs += HOUR_MS
    live.exchange.snapshots.tick(ticksMs)
    live.exchange.segments.tick(ticksMs)
    return oldestSeq(folder) > placedSeq
  })
  await live.followed()
  assert.deepEqual(await shown(), signed)
  const elsewhere = newFolder()
  const moved = names()
  for (const name of moved) renameSync(join(archiveFolder(folder), name), join(elsewhere, name))
  await live.restart()
  assert.deepEqual(await shown(), [null, null, null, null])
  for (const name of moved) renameSync(join(elsewhere, name), join(archiveFolder(folder), name))
  assert.deepEqual(await shown(), signed)
})
