// The ticket of a pool: what one wants, what the pool would give now, and the button that sends it.
// A pool takes what a visitor trades only once the visitor has approved it (rules §7.5).

import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Context } from '../../context.ts'
import { call, messageOf, Refused } from '../../exchange/api.ts'
import { OUTCOMES } from '../../exchange/positions.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { Metadata } from '../../page/blocks.tsx'
import { dollars, rawOf, units } from '../../page/format.ts'
import { signal, useMemo } from '../../page/preact.ts'
import { Entry, MaxButton, TicketForm, type Way, WayChoice } from '../own/fields.tsx'
import type { OwnMarket } from '../own/own-market.ts'
import type { Means } from '../own/ticket-format.ts'
import type { LivePool } from './live-pool.ts'
import {
  estimateOf,
  mostRaw,
  type PoolRequest,
  poolLinesOf,
  poolShortageOf,
} from './pool-estimate.ts'

/** A block confirms an approval: it is checked again after a while, so many times. */
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
const sideOf = ({ isBuy }: Way): SideName => (isBuy ? 'BUY' : 'SELL')

class PoolDraft {
  readonly way = signal<Way>({ isBuy: true, outcome: 0 })
  readonly amount = signal('')
  readonly fault = signal('')
  /** What the button says while a call runs; empty for none. */
  readonly busy = signal('')
  readonly #parts: PoolTicketParts
  /** What the pool may not take yet; a trade showed it. */
  readonly #unapproved = signal<ReadonlySet<SideName>>(new Set())
  readonly #isSubmitted = signal(false)

  constructor(parts: PoolTicketParts) {
    this.#parts = parts
  }

  change({ amount = this.amount.peek(), ...way }: Partial<Way> & { readonly amount?: string }) {
    this.way.value = { ...this.way.peek(), ...way }
    this.amount.value = amount
    this.fault.value = ''
    this.#isSubmitted.value = false
  }

  /** Null while the amount is empty or wrong. */
  get request(): PoolRequest | null {
    const collateralRaw = rawOf(this.amount.value)
    if (collateralRaw === null || collateralRaw === 0) return null
    return { ...this.way.value, collateralRaw }
  }

  get mustApprove(): boolean {
    return this.#unapproved.value.has(sideOf(this.way.value))
  }

  get amountFault(): string {
    const { request } = this
    if (request === null) {
      if (this.amount.value.trim() !== '') return 'Type a number like 10 or 2.5.'
      return this.#isSubmitted.value ? 'Type an amount.' : ''
    }
    const means = this.#means
    if (means === null) return ''
    return poolShortageOf(request, estimateOf(this.#parts.pool.pool, request), means)
  }

  fillMost(): void {
    const means = this.#means
    if (means === null) return
    const raw = mostRaw(this.#parts.pool.pool, this.way.peek(), means)
    this.change({ amount: String(raw / UNIT_RAW) })
  }

  /** Gives the name of the field to fill in first, if there is one. */
  async send(): Promise<'amount' | undefined> {
    const { request, mustApprove } = this
    if (this.busy.peek() !== '') return undefined
    if (request === null) {
      this.#isSubmitted.value = true
      return 'amount'
    }
    this.busy.value = mustApprove ? 'Waiting for the next block…' : 'Sending…'
    this.fault.value = ''
    try {
      if (mustApprove) await this.#approve(sideOf(request))
      else await this.#trade(request)
    } catch (error) {
      this.#refuse(error, sideOf(request))
      this.#parts.own.refused(error)
    }
    this.busy.value = ''
    return undefined
  }

  /** Null before a login. */
  get #means(): Means | null {
    const state = this.#parts.own.state.value
    if (state === null) return null
    const { outcome } = this.way.value
    const sharesRaw = state.held.find((each) => each.outcome === OUTCOMES[outcome])?.sharesRaw ?? 0
    return { collateralRaw: state.freeRaw, sharesRaw }
  }

  async #trade({ isBuy, outcome, collateralRaw }: PoolRequest): Promise<void> {
    const { context, market, own } = this.#parts
    const path = isBuy ? '/amm/buy' : '/amm/sell'
    const amount = isBuy ? 'collateralAmount' : 'collateralReturnAmount'
    const body = { market: market.slug, outcomeIndex: outcome, [amount]: String(collateralRaw) }
    const { expectedShares } = await call<Traded>('POST', path, { body })
    // An empty amount keeps a second press from being a second trade.
    this.change({ amount: '' })
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
      const checked = await call<Approval>('POST', '/amm/allowances/check', { body })
      status = checked.status
    }
    this.#unapproved.value = new Set([...this.#unapproved.peek()].filter((each) => each !== side))
    this.#parts.context.notices.good('The pool is approved.')
  }

  #refuse(error: unknown, side: SideName): void {
    if (error instanceof Refused && error.code === 'APPROVAL_MISSING') {
      this.#unapproved.value = new Set([...this.#unapproved.peek(), side])
      const then = side === 'BUY' ? 'buy' : 'sell'
      this.fault.value = `Approve the pool once for this market, then ${then}.`
      return
    }
    this.fault.value = messageOf(error)
  }
}

export function PoolTicket(parts: PoolTicketParts) {
  const draft = useMemo(() => new PoolDraft(parts), [])
  const { pool } = parts.pool
  const { way, amount, request } = draft
  const { isBuy, outcome } = way.value
  const estimate = request === null ? null : estimateOf(pool, request)
  const lines = request === null || estimate === null ? [] : poolLinesOf(request, estimate, pool)
  const trade = `${isBuy ? 'Buy' : 'Sell'} ${OUTCOMES[outcome]}`
  const approve = `Approve ${isBuy ? 'dollars' : 'shares'} for this pool`
  return (
    <TicketForm
      context={parts.context}
      label="Trade with the pool"
      act={draft.busy.value || (draft.mustApprove ? approve : trade)}
      isBusy={draft.busy.value !== ''}
      isBuy={isBuy}
      fault={draft.fault.value}
      send={() => draft.send()}
    >
      <WayChoice way={way.value} change={(change) => draft.change(change)} />
      <Entry
        label={isBuy ? 'Spend, $' : 'Get, $'}
        name="amount"
        value={amount.value}
        fault={draft.amountFault}
        enter={(text) => draft.change({ amount: text })}
      >
        <MaxButton fill={() => draft.fillMost()} />
      </Entry>
      <Metadata look="summary" metadata={lines} />
      <p class="soft">The price may move before your trade executes.</p>
    </TicketForm>
  )
}
