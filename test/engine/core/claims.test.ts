import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture } from '../../../engine/core/capture.ts'
import { claimsOf, shareReports, sumsOf, uncoveredRaw } from '../../../engine/core/state/claims.ts'
import { solvencyOf } from '../../../engine/core/state/solvency.ts'
import { decodeCommand } from '../../../engine/wire/codec.ts'
import { NEWEST, readRecording } from '../../golden/recording.ts'
import { newExchange } from '../../golden/replay.ts'

// What everybody holds. The simulation checks the same with reversals, conversions and payouts.

const EVERY = 25

test('claims, debts and advances give the assets at every point, and shares are covered', () => {
  const exchange = newExchange()
  for (const [index, record] of readRecording(NEWEST).records.entries()) {
    exchange.apply(decodeCommand(record))
    if (index % EVERY !== 0) continue
    const claims = claimsOf(capture(exchange))
    const sums = sumsOf(claims)
    const { assetsRaw, obligations } = solvencyOf(exchange.clearing)
    assert.equal(sums.assetsRaw, assetsRaw)
    assert.equal(sums.differenceRaw, 0n, `after ${index + 1} commands`)
    const { freeRaw, reservedRaw, systemRaw, sharesRaw, groupsRaw } = obligations
    // An inside below zero is an advance there, and lowers the sum here.
    assert.equal(
      sums.obligationsRaw - sums.advancedRaw,
      claims.collateral.claimsRaw + sharesRaw + groupsRaw,
    )
    assert.equal(claims.collateral.claimsRaw - sums.debtsRaw, freeRaw + reservedRaw + systemRaw)
    for (const market of claims.markets) {
      assert.equal(uncoveredRaw(market), 0n, `market ${market.marketId} after ${index + 1}`)
      for (const { differenceRaw } of shareReports(market)) assert.equal(differenceRaw, 0n)
    }
  }
})

test('a debt of one account hides no claim of another', () => {
  const column = Float64Array.of(0, 70, -30, 5)
  const claims = claimsOf({
    ledger: {
      collateralFreeRaw: column,
      collateralReservedRaw: Float64Array.of(0, 0, 10, 0),
      systemRaw: [0],
      sharesFreeRaw: new Float64Array(2),
      sharesReservedRaw: new Float64Array(2),
      fundedRaw: 55,
      rows: new Uint32Array(2),
    },
    catalogue: { markets: [] },
  })
  const { debtsRaw, obligationsRaw, differenceRaw } = sumsOf(claims)
  assert.deepEqual([debtsRaw, obligationsRaw, differenceRaw], [20n, 75n, 0n])
  assert.deepEqual([...claims.holders], [1, 3])
})
