// A quote that one caller moves back and forth: by an amend, and by a cancel-replace.

import { assert } from '../../engine/domain/assert.ts'
import { monotonicMs } from '../../server/cli/load/pacer.ts'
import { headersFor, orderBody, SHARE, send } from '../../test/support/exchange-client.ts'
import { at, textAt } from '../../test/support/json-path.ts'
import { alternate, pairOf, type Row } from '../harness/bench.ts'
import { type Latencies, latenciesFrom, percentilesOf } from '../harness/pacer.ts'
import { type Target, withExchange } from './servers.ts'

export interface AmendSize {
  readonly rounds: number
  readonly warmUps: number
  /** Moves of a round. */
  readonly moves: number
}

const TICKS = [400, 410]
let salt = 1

/** One way to move a quote: the path, the body, and where its reply names the new order. */
interface Way {
  readonly path: (orderId: string) => string
  readonly body: (orderId: string, replacement: unknown) => unknown
  readonly newId: readonly string[]
}

const AMEND: Way = {
  path: (orderId) => `/orders/${orderId}/amend`,
  body: (_orderId, replacement) => ({ replacement }),
  newId: ['order', 'id'],
}
const CANCEL_REPLACE: Way = {
  path: () => '/orders/cancel-replace',
  body: (orderId, replacement) => {
    return { cancel: { orderId }, replacement, mode: 'STOP_ON_FAILURE' }
  },
  newId: ['replacement', 'data', 'order', 'id'],
}

class Quote {
  readonly #target: Target
  #orderId = ''

  constructor(target: Target) {
    this.#target = target
  }

  #order(): string {
    const { traders, markets } = this.#target.setting
    const ticks = TICKS[salt % TICKS.length]
    const terms = { isBuy: true, outcome: 'yes', ticks, sizeRaw: SHARE, type: 'GTC' } as const
    return orderBody(traders[0], markets[0], { ...terms, salt: salt++ })
  }

  async place(): Promise<void> {
    const reply = await this.#post('/orders', this.#order())
    this.#orderId = textAt(reply, 'order', 'id')
  }

  /** Moves the quote so often. */
  async moved(way: Way, moves: number): Promise<Latencies> {
    const tookMs: number[] = []
    for (let move = 0; move < moves; move++) {
      const body = JSON.stringify(way.body(this.#orderId, JSON.parse(this.#order())))
      const fromMs = monotonicMs()
      const reply = await this.#post(way.path(this.#orderId), body)
      tookMs.push(monotonicMs() - fromMs)
      this.#orderId = textAt(reply, ...way.newId)
    }
    return latenciesFrom(tookMs)
  }

  async #post(path: string, body: string): Promise<unknown> {
    const { port, setting } = this.#target
    const headers = headersFor(setting.traders[0], { method: 'POST', path, body })
    const reply = await send(`http://127.0.0.1:${port}`, 'POST', path, { headers, body })
    assert(at(reply.body, 'code') === undefined && reply.status < 300, 'a move is accepted')
    return reply.body
  }
}

/** The latency of a move by an amend, against that by a cancel-replace. */
export function amendRows({ rounds, warmUps, moves }: AmendSize): Promise<Row[]> {
  return withExchange({ markets: 1 }, async (target) => {
    const quotes = [new Quote(target), new Quote(target)]
    for (const quote of quotes) await quote.place()
    const about = 'http: amends'
    const [amends, replaces] = await alternate({ about, rounds, warmUps }, () => [
      () => quotes[0].moved(AMEND, moves),
      () => quotes[1].moved(CANCEL_REPLACE, moves),
    ])
    const theirs = percentilesOf(replaces)
    return percentilesOf(amends).flatMap(({ name, samples }, index) =>
      pairOf(
        'ms',
        { name: `${name} of an amend`, samples },
        { ...theirs[index], name: `${name} of a cancel-replace` },
      ),
    )
  })
}
