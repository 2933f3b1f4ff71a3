// The small steps of the life of an order, each alone. A change of one step shows here before it
// shows in a whole bench. tinybench times calls; it times short steps a hundred calls at a time.

import { Bench } from 'tinybench'
import { assert } from '../engine/domain/assert.ts'
import { Ring } from '../engine/thread/ring.ts'
import { blankPlace, decodePlaceInto, encodePlace } from '../engine/wire/place-codec.ts'
import { verifyHmac } from '../server/auth/hmac-signature.ts'
import { parseAddress } from '../server/crypto/address.ts'
import { recoverAddress } from '../server/crypto/ecdsa.ts'
import { domainSeparator, hashOrder } from '../server/crypto/eip712.ts'
import { keccakReady } from '../server/crypto/keccak.ts'
import { wordOf } from '../server/crypto/uint256.ts'
import { Intake } from '../server/edge/intake/intake.ts'
import { OrderIds } from '../server/exchange/read-model/order-ids.ts'
import * as kit from '../test/server/edge/intake/order-kit.ts'
import { CoreContender } from './contenders/core.ts'
import { alternate, benchOf, rowOf } from './harness/bench.ts'
import { workloadOf } from './workload/workload.ts'

const SHORT_CALLS = 100
const NS_PER_MS = 1e6

interface Step {
  readonly name: string
  readonly calls: number
  readonly run: () => void
}

function short(name: string, call: () => void): Step {
  const run = () => {
    for (let index = 0; index < SHORT_CALLS; index++) call()
  }
  return { name, calls: SHORT_CALLS, run }
}

function wireSteps(): Step[] {
  const order = blankPlace()
  const record = encodePlace(order)
  const shared = Ring.allocate(1 << 16)
  const writer = new Ring(shared)
  const reader = new Ring(shared)
  return [
    short('PLACE record, encode', () => encodePlace(order)),
    short('PLACE record, decode', () => decodePlaceInto(record, order)),
    short('ring, push to release', () => {
      assert(writer.push(1, record), 'an empty ring has capacity')
      writer.send()
      assert(reader.next(), 'what was pushed is there')
      reader.free()
    }),
  ]
}

function intakeSteps(): Step[] {
  const order = kit.signed(kit.unsignedOrder())
  const maker = parseAddress(order.maker)
  const exchange = parseAddress(kit.EXCHANGE)
  assert(maker !== undefined && exchange !== undefined, 'the addresses are right')
  const separator = domainSeparator(kit.DOMAIN.name, kit.DOMAIN.chainId, exchange)
  const fields = {
    salt: wordOf(String(order.salt)),
    maker,
    signer: maker,
    taker: new Uint8Array(20),
    tokenId: wordOf(order.tokenId),
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    expirationSec: 0,
    nonce: 0,
    feeBps: order.feeRateBps,
    side: order.side,
    signatureType: order.signatureType,
  }
  const hash = hashOrder(fields, separator)
  const signature = Buffer.from(order.signature.slice(2), 'hex')
  const request = kit.request(JSON.stringify(kit.orderBody(order)))
  const hmac = { ...request, secret: kit.SECRET }
  const intake = new Intake(kit.directory())
  return [
    short('EIP-712 hash of an order', () => hashOrder(fields, separator)),
    short('HMAC of a call', () => assert(verifyHmac(hmac) === null, 'the call is signed')),
    {
      name: 'signer of an order, recovered',
      calls: 1,
      run: () => assert(recoverAddress(hash, signature) !== undefined, 'the order is signed'),
    },
    { name: 'intake of an order, whole', calls: 1, run: () => intake.check(request) },
  ]
}

function idSteps(): Step[] {
  const ids = new OrderIds(new Uint8Array(32))
  const text = ids.text(12_345, 6)
  return [
    short('order id, text', () => ids.text(12_345, 6)),
    short('order id, parse', () => assert(ids.parse(text) !== null, 'the id is ours')),
  ]
}

/** Hashes a state as the core bench leaves it. */
function stateHashStep(live: number): Step {
  const work = workloadOf({ seed: 1, live, books: 1, accounts: 64, ops: live })
  const core = new CoreContender(work)
  core.run(0, work.count)
  const name = `state hash, ${live.toLocaleString('en-US')} live orders`
  return { name, calls: 1, run: () => core.exchange.stateHash() }
}

function nsPerCall({ name, calls, run }: Step, times: Pick<Bench, 'time' | 'warmupTime'>) {
  const bench = new Bench({ ...times, iterations: 10, warmupIterations: 5 })
  bench.add(name, run)
  const [{ result }] = bench.runSync()
  if (result.state !== 'completed') throw new Error(`${name}: ${JSON.stringify(result)}`)
  return (result.latency.p50 * NS_PER_MS) / calls
}

export const bench = benchOf({
  name: 'micro',
  full: { rounds: 5, live: 10_000, times: { time: 300, warmupTime: 200 } },
  smoke: { rounds: 1, live: 100, times: { time: 10, warmupTime: 5 } },
  rows: async ({ rounds, live, times }) => {
    await keccakReady
    const steps = [...wireSteps(), ...intakeSteps(), ...idSteps(), stateHashStep(live)]
    const samples = await alternate({ about: 'micro', rounds }, () =>
      steps.map((step) => () => nsPerCall(step, times)),
    )
    return steps.map(({ name }, index) => rowOf(name, 'ns', samples[index]))
  },
})
