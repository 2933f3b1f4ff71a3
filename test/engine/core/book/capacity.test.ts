import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePlace } from '../../../../engine/core/decide/decide.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { blankPlace } from '../../../../engine/wire/place-codec.ts'
import { marketSpec, ownRequest, profileFields } from '../../../support/specs.ts'

test('one profile cannot take every slot: at its bound it must cancel, others trade on', () => {
  const exchange = new Exchange()
  const { clearing } = exchange
  let seq = 0
  const stamp = () => ({ seq: ++seq, nowMs: 1 })
  exchange.apply({ ...stamp(), kind: 'createMarket', marketId: 1, book: 1, market: marketSpec(1) })
  for (const profileId of [1, 2]) {
    const profile = profileFields(profileId)
    const sealedSecret = new Uint8Array(0)
    const token = { tokenId: `t${profileId}`, sealedSecret, label: null, scopes: [] }
    exchange.apply({ ...stamp(), kind: 'createProfile', profileId, profile, token })
    exchange.apply({ ...stamp(), kind: 'adjustBalance', profileId, collateralRaw: 1e12 })
  }
  const order = blankPlace()
  const request = ownRequest(order, 1)
  const decide = (accountId: number, hash: number) => {
    Object.assign(order, {
      marketId: 1,
      book: 1,
      accountId,
      priceTicks: 1,
      sizeRaw: 1_000_000,
      hashLow: hash,
    })
    Object.assign(request, { tokenNo: accountId, ownerId: accountId })
    return decidePlace(clearing, request, 1)
  }
  for (let each = 1; each <= LIMITS.openOrdersPerProfileMax; each++) {
    assert.equal(decide(1, each), null)
    Object.assign(order, stamp())
    exchange.apply(order)
  }
  const next = LIMITS.openOrdersPerProfileMax + 1
  assert.equal(decide(1, next), REJECT.OPEN_ORDERS_LIMIT)
  assert.equal(decide(2, next), null)
  exchange.apply({
    ...stamp(),
    kind: 'cancelOrders',
    marketId: 1,
    reason: 0,
    count: 1,
    slots: Uint32Array.of(1),
    generations: Uint32Array.of(1),
  })
  assert.equal(decide(1, next), null)
})
