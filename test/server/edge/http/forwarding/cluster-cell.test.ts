import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterCell } from '../../../../../server/edge/http/forwarding/cluster-cell.ts'

const CALL = { method: 'POST', target: '/orders' }
const NOW_MS = 1_790_000_000_000

function cellOf(byte: number): ClusterCell {
  const cell = new ClusterCell()
  cell.key = new Uint8Array(32).fill(byte)
  return cell
}

test('a node names the address of a caller to another node of its cluster', () => {
  const [one, other] = [cellOf(1), cellOf(1)]
  const header = one.proofOf(CALL, '203.0.113.7', NOW_MS)
  assert.equal(other.addressOf(CALL, header, NOW_MS + 30_000), '203.0.113.7')
  assert.equal(new ClusterCell(other.shared).addressOf(CALL, header, NOW_MS), '203.0.113.7')
})

test('the clocks of two machines may be an hour apart', () => {
  const [one, other] = [cellOf(1), cellOf(1)]
  const hourMs = 3_600_000
  one.clockAheadMs = -hourMs
  const header = one.proofOf(CALL, '203.0.113.7', NOW_MS + hourMs)
  assert.equal(other.addressOf(CALL, header, NOW_MS), '203.0.113.7')
})

test('nobody else can, and a proof holds for one call and a minute', () => {
  const cell = cellOf(1)
  const header = cell.proofOf(CALL, '203.0.113.7', NOW_MS)
  const [, , mac] = header.split(' ')
  for (const [call, given, nowMs] of [
    [CALL, undefined, NOW_MS],
    [CALL, '', NOW_MS],
    [CALL, header, NOW_MS + 61_000],
    [CALL, header, NOW_MS - 61_000],
    [{ ...CALL, method: 'DELETE' }, header, NOW_MS],
    [{ ...CALL, target: '/orders?x=1' }, header, NOW_MS],
    [CALL, `${NOW_MS} 203.0.113.8 ${mac}`, NOW_MS],
    [CALL, `${NOW_MS + 1} 203.0.113.7 ${mac}`, NOW_MS],
    [CALL, header.slice(0, -2), NOW_MS],
    [CALL, `${header} `, NOW_MS],
    [CALL, cellOf(2).proofOf(CALL, '203.0.113.7', NOW_MS), NOW_MS],
  ] as const) {
    assert.equal(cell.addressOf(call, given, nowMs), null, String(given))
  }
})

test('threads see whether the node decides, and the newest seq', () => {
  const cell = new ClusterCell()
  const elsewhere = new ClusterCell(cell.shared)
  assert.equal(elsewhere.decides, false)
  cell.decides = true
  cell.seq = 431
  assert.equal(elsewhere.decides, true)
  assert.equal(elsewhere.seqLine, '\r\nx-seq: 431')
})
