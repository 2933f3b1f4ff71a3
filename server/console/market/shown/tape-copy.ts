// The newest trades of a market. Each trade names the one before it, and each frame of the tape has
// the number after that of the frame before. So a loss shows, and the console requests what is
// missing. It knows neither sockets nor the page.

import type { Seq } from '../../../../engine/domain/ids.ts'
import type { BustFrame, TapeTrade, TradeFrame } from '../../exchange/shapes.ts'

const TRADES_MAX = 50

/** What a loss needs: trades after a seq, or all of the newest, when a bust may be lost too. */
export type Missing = { readonly afterSeq: Seq } | 'newest' | null

export interface TapeRow {
  readonly trade: TapeTrade
  readonly isBusted: boolean
}

/** Transactions by the event ids of their trades. */
export type Hashes = ReadonlyMap<string, string>

/** Whether a trade is not in a block yet; a trade that was taken back never will be. */
export function isAnyWaiting(rows: readonly TapeRow[], hashes: Hashes): boolean {
  return rows.some(({ trade, isBusted }) => !isBusted && !hashes.has(trade.tradeEventId))
}

export class TapeCopy {
  /** Newest first. */
  #rows: TapeRow[] = []
  #sequence = 0

  get rows(): readonly TapeRow[] {
    return this.#rows
  }

  /** Adds what a read gave; a trade that is known keeps its place. */
  takeRead(trades: readonly TapeTrade[]): void {
    for (const trade of trades) this.#put(trade)
  }

  /** A trade of the socket; says what is missing before it. */
  takeFrame(frame: TradeFrame): Missing {
    const isLost = this.#isAfterLoss(frame.sequence)
    this.#put(frame)
    return this.missing ?? (isLost ? 'newest' : null)
  }

  /** A trade names the one before it, which is requested until it arrives. */
  get missing(): Missing {
    for (const [index, { trade }] of this.#rows.entries()) {
      const before = this.#rows[index + 1]?.trade.seq
      if (before === undefined || trade.prevSeq === null) continue
      if (trade.prevSeq > before) return { afterSeq: before }
    }
    return null
  }

  takeBust({ tradeEventId, sequence }: BustFrame): Missing {
    const isLost = this.#isAfterLoss(sequence)
    this.#rows = this.#rows.map((row) =>
      row.trade.tradeEventId === tradeEventId ? { ...row, isBusted: true } : row,
    )
    return isLost ? 'newest' : null
  }

  /** The connection was lost: frames are counted from 1. */
  lose(): void {
    this.#sequence = 0
  }

  #isAfterLoss(sequence: number): boolean {
    const isLost = this.#sequence !== 0 && sequence > this.#sequence + 1
    this.#sequence = Math.max(this.#sequence, sequence)
    return isLost
  }

  #put(trade: TapeTrade): void {
    const known = this.#rows.find((row) => row.trade.seq === trade.seq)
    const isBusted = known?.isBusted === true || trade.busted === true
    const others = this.#rows.filter((row) => row !== known)
    this.#rows = [...others, { trade, isBusted }]
      .sort((a, b) => b.trade.seq - a.trade.seq)
      .slice(0, TRADES_MAX)
  }
}
