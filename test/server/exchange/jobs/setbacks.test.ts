import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenInvariant } from '../../../../engine/core/state/invariants.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import type { Mining, SettlementEvent } from '../../../../server/exchange/settlement/mining.ts'
import type { RunningExchange } from '../../../../server/start/open.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { addProfile, buy, fill, openForTest } from '../../../support/open-pipeline.ts'

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
    await addProfile(exchange, profileId, SHARE)
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

/** The ring is full once, for the command of this kind after `skipped` others of it. */
function refuseOnce({ pipeline: { sequencer } }: RunningExchange, kind: string, skipped = 0) {
  const { change } = sequencer
  let left = skipped
  sequencer.change = (decide, ...rest) =>
    change.call(
      sequencer,
      (nowMs) => {
        const body = decide(nowMs)
        const isNext = body !== null && 'kind' in body && body.kind === kind && left-- === 0
        return isNext ? REJECT.OVERLOADED : body
      },
      ...rest,
    )
  return () => left < 0
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
  test(`the last trade of a market is taken back, its block does not fit ${when}`, async () => {
    const dataDir = newFolder()
    const stage = await traded(dataDir, 1)
    const { tradeSeq } = stage
    assert.equal(miningOf(stage.exchange).port.faults?.arm({ tradeSeq }, 'FAILED'), null)
    await until(stage, refuseOnce(stage.exchange, 'mineBlock'))
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

/** What profile 1 and the first makers hold: collateral, and shares of both outcomes. */
function heldOf({ pipeline: { clearing } }: RunningExchange) {
  const { ledger, accounts } = clearing
  return Array.from({ length: accounts.count }, (_each, index) => {
    const shares = [OUTCOME.YES, OUTCOME.NO].map((each) => ledger.freeSharesRaw(index + 1, 1, each))
    return [ledger.freeRaw(index + 1), ledger.reservedRaw(index + 1), ...shares]
  })
}

for (const isRestarted of [false, true]) {
  const when = isRestarted ? 'over a restart between them' : 'and the ring is full between them'
  test(`a trade of too many fills is taken back by several commands, ${when}`, async () => {
    const dataDir = newFolder()
    const makers = LIMITS.reversalLegsMax
    const stage = await traded(dataDir, makers)
    const { tradeSeq } = stage
    const events: SettlementEvent[] = []
    const listen = () =>
      miningOf(stage.exchange).listen({
        onBlock: () => {},
        onSetback: (event) => events.push(event),
      })
    listen()
    assert.equal(miningOf(stage.exchange).port.faults?.arm({ tradeSeq }, 'FAILED'), null)
    await until(stage, refuseOnce(stage.exchange, 'failSettlement', 1))
    const { clearing } = stage.exchange.pipeline
    assert.equal(clearing.blocks.fillsLeftOf(tradeSeq), 2)
    assert.equal(brokenInvariant(clearing), null, 'money is conserved between the commands')
    assert(miningOf(stage.exchange).isWaiting(tradeSeq))
    assert.deepEqual(events, [], 'a trade fails as a whole')
    assert(clearing.unmined.of(2) > 0, 'its proceeds are held back until then')
    if (isRestarted) {
      await stage.exchange.stop()
      stage.exchange = await openForTest(dataDir, stage.clock, 0, { blockMs: BLOCK_MS })
      listen()
      assert(miningOf(stage.exchange).isWaiting(tradeSeq))
    }
    await until(stage, () => events.length > 0)
    assert.equal(miningOf(stage.exchange).isWaiting(tradeSeq), false)
    assert.deepEqual(
      events.map(({ status }) => status),
      ['FAILED'],
    )
    const after = stage.exchange.pipeline.clearing
    assert.equal(after.blocks.fillsLeftOf(tradeSeq), undefined)
    assert.equal(after.unmined.of(2), 0)
    assert.equal(brokenInvariant(after), null)
    const [taker, ...others] = heldOf(stage.exchange)
    assert.deepEqual(taker, [2 * makers * SHARE, 0, 0, 0])
    assert(others.every((held) => `${held}` === `${[SHARE, 0, 0, 0]}`))
    await paysOut(stage)
  })
}
