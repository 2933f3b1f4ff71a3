import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import type { Mining } from '../../../../server/pipeline/chain/mining.ts'
import type { RunningExchange } from '../../../../server/start/open.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { buy, fill, openForTest } from '../../../support/open-pipeline.ts'
import { profileFields } from '../../../support/specs.ts'

// A market is paid out once each of its trades is in a block or was taken back, whatever comes
// between a setback and its block.

const SHARE = 1_000_000
const BLOCK_MS = 250

interface Stage {
  exchange: RunningExchange
  readonly clock: { nowMs: number }
  readonly tradeSeq: Seq
}

function miningOf({ pipeline: { mining } }: RunningExchange): Mining {
  assert(mining !== null)
  return mining
}

/** Opens an exchange in which profile 1 bought YES from `makers` others, who bought NO. */
async function traded(dataDir: string, makers: number): Promise<Stage> {
  const clock = { nowMs: 1_800_000_000_000 }
  const exchange = await openForTest(dataDir, clock, 0, { blockMs: BLOCK_MS })
  const { pipeline } = exchange
  await fill(exchange, 2 * makers * SHARE)
  const terms = { priceTicks: 500, sizeRaw: SHARE, side: SIDE.BUY }
  const made = Array.from({ length: makers }, async (_each, index) => {
    const profileId = index + 2
    const profile = profileFields(profileId)
    await pipeline.change(() => ({ kind: 'createProfile', profileId, profile, token: null }))
    await pipeline.change(() => ({ kind: 'adjustBalance', profileId, collateralRaw: SHARE }))
    const order = { ...terms, outcome: OUTCOME.NO, accountId: profileId }
    assert.equal(buy(exchange, 1000 + profileId, order), null)
  })
  await Promise.all(made)
  const wide = { ...terms, sizeRaw: makers * SHARE, outcome: OUTCOME.YES, accountId: 1 }
  assert.equal(buy(exchange, 999, wide), null)
  await pipeline.whenIdle()
  const tradeSeq = pipeline.clearing.catalogue.existing(1).lastTradeSeq
  assert(miningOf(exchange).isWaiting(tradeSeq))
  return { exchange, clock, tradeSeq }
}

/** Lets blocks come until it holds. */
async function until({ exchange, clock }: Stage, holds: () => boolean): Promise<void> {
  while (!holds()) {
    clock.nowMs += BLOCK_MS
    exchange.pipeline.tick()
    await exchange.pipeline.whenIdle()
    await new Promise(setImmediate)
  }
}

/** The ring is full for the next block, once. Tells whether that came. */
function refuseOneBlock({ pipeline: { sequencer } }: RunningExchange): () => boolean {
  const { change } = sequencer
  let isRefused = false
  sequencer.change = (decide, ...rest) =>
    change.call(
      sequencer,
      (nowMs) => {
        const body = decide(nowMs)
        const isBlock = body !== null && 'kind' in body && body.kind === 'mineBlock'
        if (!isBlock || isRefused) return body
        isRefused = true
        return REJECT.OVERLOADED
      },
      ...rest,
    )
  return () => isRefused
}

async function paysOut(stage: Stage): Promise<void> {
  const { pipeline } = stage.exchange
  const { catalogue } = pipeline.clearing
  const resolutions = [{ marketId: 1, payoutNumerators: [1, 0] as const }]
  await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions }))
  await until(stage, () => catalogue.byId(1)?.isPaidOut !== false)
  await stage.exchange.stop()
}

for (const isRestarted of [false, true]) {
  const when = isRestarted ? 'and the exchange ends then' : 'and comes next time'
  test(`the last trade of a market is taken back, its block finds no room ${when}`, async () => {
    const dataDir = newFolder()
    const stage = await traded(dataDir, 1)
    const { tradeSeq } = stage
    assert.equal(miningOf(stage.exchange).port.faults?.arm({ tradeSeq }, 'FAILED'), null)
    await until(stage, refuseOneBlock(stage.exchange))
    const { blocks } = stage.exchange.pipeline.clearing
    assert.equal(blocks.isOpen(tradeSeq), false, 'it was taken back')
    assert(blocks.throughSeq < tradeSeq)
    if (isRestarted) {
      await stage.exchange.stop()
      stage.exchange = await openForTest(dataDir, stage.clock, 0, { blockMs: BLOCK_MS })
    }
    await paysOut(stage)
  })
}

test('a trade that was set aside and is too wide to be taken back is mined', async () => {
  const stage = await traded(newFolder(), LIMITS.reversalLegsMax)
  const { exchange, tradeSeq } = stage
  const { port } = miningOf(exchange)
  const submitted: Seq[] = []
  port.submit = (seqs) => {
    submitted.push(...seqs)
    const setback = submitted.length === 1 ? ('RETRYING' as const) : ('FAILED' as const)
    return new Map(seqs.map((seq) => [seq, setback]))
  }
  await until(stage, () => !miningOf(exchange).isWaiting(tradeSeq))
  assert.deepEqual(submitted, [tradeSeq, tradeSeq])
  assert.equal(exchange.pipeline.clearing.blocks.holdsAllThrough(tradeSeq), true)
  await paysOut(stage)
})
