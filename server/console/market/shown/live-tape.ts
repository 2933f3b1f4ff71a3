// The tape of the market that is shown: it follows the stream, and reads what was lost.

import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import type { TapeTrade } from '../../exchange/shapes.ts'
import type { TapeEvent } from '../../exchange/streams.ts'
import { signal } from '../../page/preact.ts'
import { type Missing, TapeCopy, type TapeRow } from './tape-copy.ts'
import { Transactions } from './transactions.ts'

const READ_MAX = 100
/** The tables that are read may be a moment behind the tape. */
const AGAIN_AFTER_MS = 1000
const TRIES_MAX = 3

interface TapeParts {
  readonly slug: string
  /** A market that is over has a tape, but no live one. */
  readonly isLive: boolean
  readonly onTrade: (trade: TapeTrade) => void
}

export class LiveTape {
  /** Newest first. */
  readonly rows = signal<readonly TapeRow[]>([])
  /** Null without a block explorer. */
  readonly transactions: Transactions | null
  readonly #slug: string
  readonly #onTrade: (trade: TapeTrade) => void
  readonly #copy = new TapeCopy()
  readonly #ended = new AbortController()
  readonly #ends: readonly (() => void)[]

  constructor({ streams, info }: Context, { slug, isLive, onTrade }: TapeParts) {
    const hasExplorer = info.chain.explorerUrl !== undefined
    this.transactions = hasExplorer ? new Transactions(slug, this.rows) : null
    this.#slug = slug
    this.#onTrade = onTrade
    const onLink = (link: string): void => {
      if (link === 'lost') this.#copy.lose()
      if (link === 'live') void this.#read('newest')
    }
    this.#ends = isLive
      ? [streams.tape(slug, (updates) => this.#take(updates)), streams.link.subscribe(onLink)]
      : []
    if (streams.link.peek() !== 'live' || !isLive) void this.#read('newest')
  }

  stop(): void {
    this.#ended.abort()
    this.transactions?.stop()
    for (const end of this.#ends) end()
  }

  #take(updates: TapeEvent): void {
    const isTrade = 'trade' in updates
    const missing = isTrade
      ? this.#copy.takeFrame(updates.trade)
      : this.#copy.takeBust(updates.busted)
    if (isTrade) this.#onTrade(updates.trade)
    void this.#read(missing)
    this.rows.value = this.#copy.rows
  }

  async #read(missing: Missing, tries = 1): Promise<void> {
    if (missing === null) return
    const after = missing === 'newest' ? '' : `&afterSeq=${missing.afterSeq}`
    const path = `/markets/${encodeURIComponent(this.#slug)}/trades?limit=${READ_MAX}${after}`
    const { signal } = this.#ended
    try {
      const { trades } = await read<{ readonly trades: readonly TapeTrade[] }>(path, signal)
      this.#copy.takeRead(trades)
      this.rows.value = this.#copy.rows
    } catch {
      // What is missing is read again, here or with the next trade.
    }
    const still = this.#copy.missing
    if (still === null || tries === TRIES_MAX || signal.aborted) return
    setTimeout(() => void this.#read(still, tries + 1), AGAIN_AFTER_MS)
  }
}
