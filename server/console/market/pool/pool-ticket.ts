// The ticket of a pool: what one wants, what the pool would give now, and the button that sends it.
// A pool takes what a visitor trades only once the visitor has let it (rules §7.5).

import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Context } from '../../context.ts'
import { call, Refused } from '../../exchange/api.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { button, h, write } from '../../page/dom.ts'
import { askForLogin } from '../../page/login-request.ts'
import { paint, unpaint } from '../../page/painter.ts'
import type { Unwatch } from '../../page/signal.ts'
import { dollars, rawOf, units } from '../../page/words.ts'
import { drawLines, Entry, outcomeChoice, sideChoice } from '../own/fields.ts'
import type { OwnMarket } from '../own/own-market.ts'
import { type Means, OUTCOMES } from '../own/ticket-words.ts'
import { type Panel, panel } from '../shown/panel.ts'
import type { LivePool } from './live-pool.ts'
import {
  estimateOf,
  mostRaw,
  type PoolRequest,
  poolLinesOf,
  poolShortageOf,
} from './pool-estimate.ts'

/** A block confirms an approval: it is asked for again after a while, so many times. */
const CONFIRM_AFTER_MS = 1000
const CONFIRM_TRIES = 6

interface Approval {
  readonly status: string
}

interface Traded {
  readonly expectedShares: string
}

export interface PoolTicketParts {
  readonly context: Context
  readonly market: MarketView
  readonly pool: LivePool
  readonly own: OwnMarket
}

type SideName = 'BUY' | 'SELL'

export class PoolTicket implements Panel {
  readonly element: HTMLElement
  readonly #parts: PoolTicketParts
  readonly #side = sideChoice()
  readonly #outcome = outcomeChoice()
  readonly #amount: Entry
  readonly #summary = h('dl', { class: 'summary' })
  readonly #notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  readonly #submit = h('button', { class: 'main submit', attrs: { type: 'submit' } })
  readonly #unwatches: Unwatch[]
  /** What the pool may not take yet; a trade showed it. */
  readonly #unapproved = new Set<SideName>()
  #busy = ''

  constructor(parts: PoolTicketParts) {
    this.#parts = parts
    const most = button('Max', () => this.#fillMost(), {
      attrs: { 'aria-label': 'Max: the most you can' },
    })
    this.#amount = new Entry('Spend, $', 'amount', most)
    const moves = 'The pool may move before the trade comes, and gives a little more or less then.'
    const form = h(
      'form',
      { class: 'ticket-form', attrs: { novalidate: true } },
      ...[this.#side.element, this.#outcome.element, this.#amount.element, this.#summary],
      h('p', { class: 'soft' }, moves),
      ...[this.#submit, this.#notice],
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#send()
    })
    form.addEventListener('input', () => {
      write(this.#notice, '')
      this.#draw()
    })
    this.element = panel('Trade with the pool', 'ticket', form)
    const soon = () => paint(this.#draw)
    const { context, pool, own } = parts
    const { profile } = context.trader
    this.#unwatches = [pool.price.watch(soon), own.state.watch(soon), profile.watch(soon)]
    this.#draw()
  }

  stop(): void {
    for (const unwatch of this.#unwatches) unwatch()
    unpaint(this.#draw)
  }

  get #isBuy(): boolean {
    return this.#side.value() === 'buy'
  }

  get #outcomeIndex(): 0 | 1 {
    return this.#outcome.value() === 'no' ? 1 : 0
  }

  get #sideName(): SideName {
    return this.#isBuy ? 'BUY' : 'SELL'
  }

  /** Null while the amount is empty or wrong. */
  get #wanted(): PoolRequest | null {
    const collateralRaw = rawOf(this.#amount.input.value)
    if (collateralRaw === null || collateralRaw === 0) return null
    return { isBuy: this.#isBuy, outcome: this.#outcomeIndex, collateralRaw }
  }

  /** Null before a login. */
  #means(outcome: 0 | 1): Means | null {
    const state = this.#parts.own.state.value
    if (state === null) return null
    const sharesRaw = state.held.find((each) => each.outcome === outcome)?.sharesRaw ?? 0
    return { collateralRaw: state.freeRaw, sharesRaw }
  }

  #fillMost(): void {
    const outcome = this.#outcomeIndex
    const means = this.#means(outcome)
    if (means === null) return
    const raw = mostRaw(this.#parts.pool.pool, { isBuy: this.#isBuy, outcome }, means)
    this.#amount.input.value = String(raw / UNIT_RAW)
    this.#draw()
  }

  readonly #draw = (): void => {
    const { context, pool } = this.#parts
    const wanted = this.#wanted
    const isKnown = context.trader.profile.value !== null
    this.#amount.name(this.#isBuy ? 'Spend, $' : 'Get, $')
    const estimate = wanted === null ? null : estimateOf(pool.pool, wanted)
    const means = wanted === null ? null : this.#means(wanted.outcome)
    const isTyped = this.#amount.input.value.trim() !== ''
    const fault = isTyped && wanted === null ? 'Type a number like 10 or 2.5.' : ''
    const short = wanted === null || means === null ? '' : poolShortageOf(wanted, estimate, means)
    this.#amount.complain(fault || short)
    const lines =
      wanted === null || estimate === null ? [] : poolLinesOf(wanted, estimate, pool.pool)
    drawLines(this.#summary, lines)
    write(this.#submit, this.#busy || (isKnown ? this.#act() : 'Log in to trade'))
    this.#submit.disabled = this.#busy !== ''
    this.#submit.dataset.side = this.#isBuy ? 'buy' : 'sell'
  }

  #act(): string {
    if (this.#unapproved.has(this.#sideName)) {
      return this.#isBuy ? 'Let the pool take dollars' : 'Let the pool take shares'
    }
    return `${this.#isBuy ? 'Buy' : 'Sell'} ${OUTCOMES[this.#outcomeIndex]}`
  }

  async #send(): Promise<void> {
    const { trader } = this.#parts.context
    if (trader.profile.value === null) return askForLogin()
    const wanted = this.#wanted
    if (this.#busy !== '') return
    if (wanted === null) {
      if (this.#amount.input.value.trim() === '') this.#amount.complain('Type an amount.')
      return this.#amount.input.focus()
    }
    const side = this.#sideName
    const isApproving = this.#unapproved.has(side)
    this.#busy = isApproving ? 'Waiting for the next block…' : 'Sending…'
    write(this.#notice, '')
    this.#draw()
    try {
      if (isApproving) await this.#approve(side)
      else await this.#trade(wanted)
    } catch (error) {
      this.#refuse(error, side)
      this.#parts.own.refused(error)
    }
    this.#busy = ''
    this.#draw()
  }

  async #trade({ isBuy, outcome, collateralRaw }: PoolRequest): Promise<void> {
    const { context, market, own } = this.#parts
    const path = isBuy ? '/amm/buy' : '/amm/sell'
    const amount = isBuy ? 'collateralAmount' : 'collateralReturnAmount'
    const body = { market: market.slug, outcomeIndex: outcome, [amount]: String(collateralRaw) }
    const { expectedShares } = await call<Traded>('POST', path, { body })
    // An empty amount keeps a second press from being a second trade.
    this.#amount.input.value = ''
    const did = isBuy ? 'Bought' : 'Sold'
    const shares = `${units(expectedShares)} ${OUTCOMES[outcome]}`
    context.notices.good(`${did} ${shares} for ${dollars(collateralRaw)}.`)
    own.refresh()
  }

  /** Resolves when a block holds the approval. */
  async #approve(side: SideName): Promise<void> {
    const body = { market: this.#parts.market.slug, side }
    let { status } = await call<Approval>('POST', '/amm/allowances/approve', { body })
    for (let tries = 0; status !== 'confirmed'; tries++) {
      if (tries === CONFIRM_TRIES) throw new Error('No block holds the approval yet. Try again.')
      await new Promise((resolve) => setTimeout(resolve, CONFIRM_AFTER_MS))
      const requested = await call<Approval>('POST', '/amm/allowances/check', { body })
      status = requested.status
    }
    this.#unapproved.delete(side)
    this.#parts.context.notices.good('The pool may take it now.')
  }

  #refuse(error: unknown, side: SideName): void {
    if (error instanceof Refused && error.code === 'APPROVAL_MISSING') {
      this.#unapproved.add(side)
      const what = side === 'BUY' ? 'your dollars' : 'your shares'
      write(this.#notice, `The pool may not take ${what} yet. You let it once for this market.`)
      return
    }
    write(this.#notice, error instanceof Error ? error.message : String(error))
  }
}
