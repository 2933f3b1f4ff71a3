// The transactions that settled the trades of the tape. No stream publishes them, so they are read
// while a trade that is shown waits for its own.

import { read } from '../../exchange/api.ts'
import type { MinedTrade } from '../../exchange/shapes.ts'
import { whileVisible } from '../../page/lifetime.ts'
import { type Signal, signal } from '../../page/preact.ts'
import { Refresher } from '../../page/refresher.ts'
import { type Hashes, isAnyWaiting, type TapeRow } from './tape-copy.ts'

const READ_MAX = 100
const PAUSE_MS = 3000

export class Transactions {
  readonly hashes = signal<Hashes>(new Map())
  readonly #refresher: Refresher
  readonly #ends: readonly (() => void)[]

  constructor(slug: string, rows: Signal<readonly TapeRow[]>) {
    const path = `/markets/${encodeURIComponent(slug)}/events?limit=${READ_MAX}`
    this.#refresher = new Refresher(async (signal) => {
      if (!isAnyWaiting(rows.peek(), this.hashes.peek())) return
      try {
        const { events } = await read<{ readonly events: readonly MinedTrade[] }>(path, signal)
        this.hashes.value = new Map(events.map((each) => [each.tradeEventId, each.txHash]))
      } catch {
        // A trade that waits is looked for again.
      }
    }, PAUSE_MS)
    const refresh = () => this.#refresher.refresh()
    this.#ends = [rows.subscribe(refresh), whileVisible(PAUSE_MS, refresh)]
  }

  stop(): void {
    this.#refresher.stop()
    for (const end of this.#ends) end()
  }
}
