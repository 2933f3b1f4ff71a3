import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decidePlace } from '../../../engine/core/decide.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { Random } from '../../support/random.ts'

// Growth of the heap over short windows, each too small to fill the young generation: what is
// allocated in one is still there at its end. The least of several windows is the code's own.

const WINDOW = 20_000
const WINDOWS = 8
/** Less than one word: an object, a closure or a boxed number for each would be far above. */
const BYTES_PER_COMMAND = 1

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('placing, filling and cancelling allocate nothing once warm', () => {
  const driver = new ExchangeDriver(4096)
  const { exchange, clearing, nowMs } = driver
  exchange.onEvents = () => {}
  const marketId = driver.addMarket({ feeEnabled: true })
  for (let account = 1; account <= 4; account++) driver.addAccount(1_000_000_000_000)
  // Drawn beforehand: a random number that is not inlined is a box of its own.
  const random = new Random(1)
  const draws = Int32Array.from({ length: 1 << 16 }, () => random.below(2 ** 30))
  let drawn = 0
  const between = (low: number, high: number) => {
    drawn = (drawn + 1) & 0xffff
    return low + (draws[drawn] % (high - low + 1))
  }
  const order = driver.orderOf({ account: 1, marketId, side: 0, outcome: 0, type: 'GTC' })
  order.marketForm = false
  const request = driver.requestOf(order)
  const tokens = ['', 'token-1', 'token-2', 'token-3', 'token-4']
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

  function place(): void {
    order.accountId = between(1, 4)
    order.side = SIDE.BUY
    order.outcome = between(0, 1)
    order.orderType = between(0, 4) === 0 ? 1 : 0
    order.priceTicks = between(450, 520)
    order.sizeRaw = 1000 * between(1, 1000)
    order.stp = 0
    hash++
    order.hashHigh = Math.imul(hash, 0x85ebca6b) >>> 0
    order.hashLow = Math.imul(hash, 0x9e3779b1) >>> 0
    request.tokenId = tokens[order.accountId]
    request.ownerId = order.accountId
    if (decidePlace(clearing, request, nowMs) !== 0) return
    order.seq = clearing.lastSeq + 1
    order.nowMs = nowMs
    exchange.apply(order)
  }

  function cancelSome(): void {
    const slot = between(1, 400)
    cancel.seq = clearing.lastSeq + 1
    cancel.slots[0] = slot
    cancel.generations[0] = clearing.orders.generationOf[slot]
    exchange.apply(cancel)
  }

  const run = (count: number) => {
    for (let index = 0; index < count; index++) {
      place()
      cancelSome()
    }
  }
  run(100_000)
  let leastBytes = Number.POSITIVE_INFINITY
  for (let window = 0; window < WINDOWS; window++) {
    collect()
    const before = process.memoryUsage().heapUsed
    run(WINDOW / 2)
    leastBytes = Math.min(leastBytes, process.memoryUsage().heapUsed - before)
  }
  console.log(`${(leastBytes / WINDOW).toFixed(2)} bytes per command`)
  assert(clearing.catalogue.existing(marketId).volumeRaw > 0, 'orders trade')
  assert(leastBytes / WINDOW < BYTES_PER_COMMAND, `${leastBytes / WINDOW} bytes per command`)
  assert.equal(exchange.checkInvariants(), null)
})
