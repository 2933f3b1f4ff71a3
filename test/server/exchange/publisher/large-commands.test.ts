import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { MarketSpec } from '../../../../engine/domain/markets/market.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { decodeCommand, packControl } from '../../../../engine/wire/codec.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { fill, openForTest } from '../../../support/open-pipeline.ts'
import { marketSpec } from '../../../support/specs.ts'

test('a command that is too long for a record is refused before anything is applied', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: 1_790_000_000_000 })
  await fill(exchange, 1_000_000)
  const { sequencer, clearing } = exchange.pipeline
  const { lastSeq } = clearing
  const { title } = clearing.catalogue.existing(1)
  const edit = (text: string) => () => {
    return { kind: 'editMarket' as const, marketId: 1, change: { title: text } }
  }
  const refused = sequencer.change(edit('x'.repeat(LIMITS.recordBytesMax)))
  assert.deepEqual(refused, { seq: lastSeq, reject: REJECT.COMMAND_TOO_LARGE })
  assert.equal(clearing.lastSeq, lastSeq)
  assert.equal(clearing.catalogue.existing(1).title, title)
  assert.equal(sequencer.isTorn, false)
  assert.equal(sequencer.change(edit('short')).reject, null)
  assert.equal(clearing.lastSeq, lastSeq + 1)
})

/** The widest labels that a body of 64 KB may give to a group. */
const LABELS = Array.from({ length: 32 }, (_, index) => `${index} ${'漢'.repeat(61)}`)

function groupOf(children: readonly Partial<MarketSpec>[]) {
  const id = (digit: string) => `0x${digit.repeat(64)}`
  const shared = { categories: LABELS, tags: LABELS.map((label) => `${label}t`), takerDelayMs: 500 }
  const adapterAddress = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
  const ids = { conditionId: id('c'), negRiskId: id('d'), yesTokenId: '9'.repeat(78) }
  const group = marketSpec(1, { ...shared, adapterAddress, kind: 'group', conditionId: '' })
  const ofGroup = children.map((child, index) => {
    const own = { ...ids, noTokenId: '8'.repeat(78), orderInGroup: index, groupId: 1 }
    const market = { ...marketSpec(index + 2, { ...shared, adapterAddress }), ...own, ...child }
    return { marketId: index + 2, book: index + 1, market }
  })
  const markets = [{ marketId: 1, book: 0, market: { ...group, convertFeeBps: 5 } }, ...ofGroup]
  return { kind: 'createGroup' as const, seq: 1, nowMs: 1, markets }
}

test('the largest group fits a record, and is decoded as it was', () => {
  // Labels of the group once, and of each child as much text as a body has.
  const texts = Math.floor((LIMITS.bodyBytesMax - 2 * 32 * 190) / LIMITS.groupChildrenMax) - 30
  const children = Array.from({ length: LIMITS.groupChildrenMax }, (_, index) => ({
    slug: `${index}${'s'.repeat(40)}`,
    title: 't'.repeat(texts - 45),
    ...(index % 2 === 0 ? { tags: [], proxyTitle: 'p' } : {}),
  }))
  const command = groupOf(children)
  const record = packControl(command)
  assert(record !== null, 'the largest group has a record')
  assert.deepEqual(decodeCommand(record), command)
})
