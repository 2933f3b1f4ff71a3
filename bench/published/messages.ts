// The workload of a public benchmark of matching engines (arXiv 2606.01183), made from its
// definition: one symbol, five scenarios of about two million messages each. The hashes of the
// reports, which `report.ts` compares, show that the messages are those of the publication.

import { Twister } from './twister.ts'

export const SCENARIO_NAMES = ['static', 'normal', 'swing-25', 'swing-40', 'flash-crash'] as const
export type Scenario = (typeof SCENARIO_NAMES)[number]

interface PriceWalk {
  readonly volatility: number
  readonly swing: number
}

const SCENARIOS: Readonly<Record<Scenario, PriceWalk>> = {
  static: { volatility: 0, swing: 0 },
  normal: { volatility: 0.15, swing: 0.02 },
  'swing-25': { volatility: 0.5, swing: 0.25 },
  'swing-40': { volatility: 0.5, swing: 0.4 },
  'flash-crash': { volatility: 0.5, swing: 0.6 },
}

export const KIND = { NEW: 0, IOC: 1, MODIFY: 2, CANCEL: 3 } as const

/** A message's row is its sequence number: the clock of the workload never goes back. */
export interface Messages {
  readonly count: number
  readonly kind: Uint8Array
  readonly isBuy: Uint8Array
  readonly id: Int32Array
  /** Ticks; of a cancel those of its order as it was sent last. */
  readonly price: Int32Array
  readonly quantity: Int32Array
}

const TICK = 0.005
const MID = 167.52
const LEVELS = 800
/** New, modified, canceled twice, modified again. */
const MESSAGES_MAX = 5

function depthWeights(): Float64Array {
  const sums = new Float64Array(LEVELS)
  let sum = 0
  for (let level = 0; level < LEVELS; level++) {
    sum += (level + 1) ** -2.23 + 5 * Math.exp(-0.5 * (level - 8) ** 2)
    sums[level] = sum
  }
  return sums
}

interface Orders {
  readonly price: Int32Array
  readonly quantity: Int32Array
  /** The order in which they arrive. */
  readonly shuffled: Int32Array
}

function ordersOf(random: Twister, scenario: Scenario, count: number): Orders {
  const { volatility, swing } = SCENARIOS[scenario]
  const dt = volatility === 0 ? 0 : (swing / volatility) ** 2 / count
  const sigma = volatility * Math.sqrt(dt)
  const sums = depthWeights()
  const total = sums[LEVELS - 1]
  const price = new Int32Array(count)
  const quantity = new Int32Array(count)
  let mid = MID
  for (let index = 0; index < count; index++) {
    mid *= Math.exp(-0.5 * sigma * sigma + sigma * random.normal())
    const midTicks = Math.round(mid / TICK)
    const distance = 1 + levelOf(sums, random.uniform() * total)
    price[index] = Math.max(1, index < count / 2 ? midTicks - distance : midTicks + distance)
    quantity[index] = random.between(1, 100)
  }
  const shuffled = Int32Array.from({ length: count }, (_, index) => index)
  for (let index = count - 1; index >= 1; index--) {
    const other = random.between(0, index)
    const taken = shuffled[index]
    shuffled[index] = shuffled[other]
    shuffled[other] = taken
  }
  return { price, quantity, shuffled }
}

/** The first level whose cumulative weight is not below. */
function levelOf(sums: Float64Array, weight: number): number {
  let from = 0
  let to = LEVELS - 1
  while (from < to) {
    const middle = (from + to) >> 1
    if (sums[middle] < weight) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The messages of a scenario. Their times are drawn like everything else, and only say that each
 * message comes after the one before it.
 */
export function messagesOf(scenario: Scenario, seed = 23, count = 1_000_000): Messages {
  const random = new Twister(seed)
  const { price, quantity, shuffled } = ordersOf(random, scenario, count)
  const rows = new Rows(count * MESSAGES_MAX)
  for (const index of shuffled) {
    const isBuy = index < count / 2
    const order = { id: index + 1, isBuy, price: price[index], quantity: quantity[index] }
    const isIoc = random.uniform() < 0.15
    rows.add(isIoc ? KIND.IOC : KIND.NEW, order)
    if (isIoc) continue
    const isModified = random.uniform() < 0.2
    if (isModified) {
      random.uniform()
      order.quantity += 1
      if (random.uniform() < 0.8) order.price += isBuy ? 1 : -1
      rows.add(KIND.MODIFY, order)
    }
    const isCanceled = random.uniform() < 0.95
    if (isCanceled) {
      random.uniform()
      rows.add(KIND.CANCEL, order)
      if (random.uniform() < 0.02) {
        random.uniform()
        rows.add(KIND.CANCEL, order)
      }
    }
    if (isModified && isCanceled && random.uniform() < 0.02) {
      random.uniform()
      rows.add(KIND.MODIFY, order)
    }
  }
  return rows.messages
}

interface Sent {
  readonly id: number
  readonly isBuy: boolean
  readonly price: number
  readonly quantity: number
}

class Rows {
  readonly #kind: Uint8Array
  readonly #isBuy: Uint8Array
  readonly #id: Int32Array
  readonly #price: Int32Array
  readonly #quantity: Int32Array
  #count = 0

  constructor(max: number) {
    this.#kind = new Uint8Array(max)
    this.#isBuy = new Uint8Array(max)
    this.#id = new Int32Array(max)
    this.#price = new Int32Array(max)
    this.#quantity = new Int32Array(max)
  }

  add(kind: number, { id, isBuy, price, quantity }: Sent): void {
    const row = this.#count++
    this.#kind[row] = kind
    this.#isBuy[row] = isBuy ? 1 : 0
    this.#id[row] = id
    this.#price[row] = price
    this.#quantity[row] = quantity
  }

  get messages(): Messages {
    return {
      count: this.#count,
      kind: this.#kind,
      isBuy: this.#isBuy,
      id: this.#id,
      price: this.#price,
      quantity: this.#quantity,
    }
  }
}
