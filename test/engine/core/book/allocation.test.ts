import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decidePlace } from '../../../../engine/core/decide/decide.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { Random } from '../../../support/random.ts'

// Measures the growth of the heap over short windows. Each window is too small to fill the young
// generation, so all that it allocates is still there at its end. The least growth of several
// windows is that of the code itself. How many windows pass until all code is optimized depends on
// the load of the machine.

const WINDOW = 20_000
const WINDOWS_MAX = 100
/**
 * Nearly always 0.0. V8 may keep a box of 16 bytes on a branch it did not inline, so a few bytes
 * pass. An object, a closure or a box for each command or for each fill is above this bound.
 */
const BYTES_PER_COMMAND = 4

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

// Drawn beforehand, because a random number that is not inlined is a box of its own.
const random = new Random(1)
const draws = Int32Array.from({ length: 1 << 16 }, () => random.below(2 ** 30))
let drawn = 0

function between(low: number, high: number): number {
  drawn = (drawn + 1) & 0xffff
  return low + (draws[drawn] % (high - low + 1))
}

/** Places one trader's next order and cancels any order that holds a slot, in reused objects. */
function newTrade(driver: ExchangeDriver, marketId: number): () => void {
  const { exchange, clearing, nowMs } = driver
  const wanted = { account: 1, marketId, side: SIDE.BUY, outcome: 0, type: 'GTC' as const }
  const order = driver.orderOf({ ...wanted, priceTicks: 500 })
  const request = driver.requestOf(order)
  const tokenNos = [1, 2, 3, 4].map((id) => clearing.accounts.tokensOf(id)[0].tokenNo)
  const cancel = {
    kind: 'cancelOrders' as const,
    seq: 0,
    nowMs,
    marketId,
    reason: 0,
    count: 1,
    slots: new Uint32Array(1),
    generations: new Uint32Array(1),
  }
  let hash = 1000
  return () => {
    order.accountId = between(1, 4)
    order.outcome = between(0, 1)
    order.orderType = between(0, 4) === 0 ? 1 : 0
    order.priceTicks = between(450, 520)
    order.sizeRaw = 1000 * between(1, 1000)
    hash++
    order.hashHigh = Math.imul(hash, 0x85ebca6b) >>> 0
    order.hashLow = Math.imul(hash, 0x9e3779b1) >>> 0
    request.tokenNo = tokenNos[order.accountId - 1]
    request.ownerId = order.accountId
    if (decidePlace(clearing, request, nowMs) === null) {
      order.seq = clearing.lastSeq + 1
      order.nowMs = nowMs
      exchange.apply(order)
    }
    cancel.seq = clearing.lastSeq + 1
    cancel.slots[0] = between(1, 400)
    cancel.generations[0] = clearing.orders.generationOf(cancel.slots[0])
    exchange.apply(cancel)
  }
}

test('placing, filling and cancelling allocate nothing once warm', () => {
  const driver = new ExchangeDriver(4096)
  const marketId = driver.addMarket({ feeEnabled: true })
  for (let account = 1; account <= 4; account++) driver.addAccount(1_000_000_000_000)
  driver.exchange.onEvents = () => {}
  const trade = newTrade(driver, marketId)
  let leastBytes = Number.POSITIVE_INFINITY
  for (let window = 0; window < WINDOWS_MAX; window++) {
    for (let index = 0; index < WINDOW; index++) trade()
    collect()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < WINDOW / 2; index++) trade()
    leastBytes = Math.min(leastBytes, process.memoryUsage().heapUsed - before)
    if (leastBytes / WINDOW < BYTES_PER_COMMAND) break
  }
  console.log(`${(leastBytes / WINDOW).toFixed(2)} bytes per command`)
  assert(driver.clearing.catalogue.existing(marketId).volume.raw > 0, 'orders trade')
  assert(leastBytes / WINDOW < BYTES_PER_COMMAND, `${leastBytes / WINDOW} bytes per command`)
  driver.holds()
})
