// The ladder: the live depth of the YES book. A price that is pressed goes into the ticket. While
// the copy of the book is not current, the ladder is dim and says so.

import type { MarketView } from '../../exchange/shapes.ts'
import { Button, Region } from '../../page/blocks.tsx'
import { evenCents, units } from '../../page/format.ts'
import { useMemo, useSignal } from '../../page/preact.ts'
import { type LadderRow, ladderOf } from './ladder-rows.ts'
import type { LiveBook } from './live-book.ts'

/** A side scrolls above this; books that are deeper show the best so many levels. */
const ROWS_MAX = 200
const THOUSAND = 1000

interface BookPanelProps {
  readonly book: LiveBook
  readonly pick: (yesPrice: number) => void
}

export function BookPanel({ book: { copy }, pick }: BookPanelProps) {
  const isCurrent = copy?.isCurrent === true
  const { bids, asks } = ladderOf(copy?.bids ?? [], copy?.asks ?? [], ROWS_MAX)
  return (
    <Region
      label="Order book"
      name="book"
      data-state={isCurrent ? 'current' : 'stale'}
      data-sequence={copy?.sequence ?? 0}
    >
      <p class="catching" role="status" aria-live="polite">
        {isCurrent ? '' : 'Book is catching up…'}
      </p>
      <div class="ladder" role="table" aria-label="Levels of YES">
        <div role="rowgroup">
          <div class="heads" role="row">
            <span role="columnheader">Price</span>
            <span class="number" role="columnheader">
              Shares
            </span>
            <span class="number" role="columnheader">
              Total
            </span>
          </div>
        </div>
        <LadderSide side="ask" rows={asks} pick={pick} />
        <div role="rowgroup">
          <Middle book={copy} />
        </div>
        <LadderSide side="bid" rows={bids} pick={pick} />
      </div>
    </Region>
  )
}

function Middle({ book }: { readonly book: LiveBook['copy'] }) {
  const { bestBid = null, bestAsk = null, lastTradePrice = null } = book ?? {}
  const spread = bestBid === null || bestAsk === null ? null : evenCents(bestAsk - bestBid)
  return (
    <div class="middle" role="row">
      <span role="cell">{spread === null ? 'No spread' : `Spread ${spread}`}</span>
      <span class="soft number" role="cell" aria-colspan={2}>
        {lastTradePrice === null ? 'No trade yet' : `Last ${evenCents(lastTradePrice)}`}
      </span>
    </div>
  )
}

type Side = 'bid' | 'ask'

interface LadderSideProps {
  readonly side: Side
  /** Best first; the side of asks grows upwards. */
  readonly rows: readonly LadderRow[]
  readonly pick: (yesPrice: number) => void
}

/** One row is in the order of tabs; arrows reach the others. */
function LadderSide({ side, rows, pick }: LadderSideProps) {
  const tabStop = useSignal(0)
  const stop = Math.min(tabStop.value, rows.length - 1)
  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const outwards = side === 'bid' ? 'ArrowDown' : 'ArrowUp'
    const inwards = side === 'bid' ? 'ArrowUp' : 'ArrowDown'
    if (event.key !== outwards && event.key !== inwards) return
    if (!(event.target instanceof HTMLButtonElement)) return
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    const index = buttons.indexOf(event.target)
    const next = index + (event.key === outwards ? 1 : -1)
    if (buttons[next] === undefined) return
    event.preventDefault()
    tabStop.value = next
    buttons[next].focus()
  }
  return (
    <div
      class={`side ${side}s`}
      role="rowgroup"
      aria-label={side === 'bid' ? 'Bids' : 'Asks'}
      onKeyDown={move}
    >
      {rows.map((row, index) => (
        <Level key={index} {...row} side={side} isTabStop={index === stop} pick={pick} />
      ))}
    </div>
  )
}

interface LevelProps extends LadderRow {
  readonly side: Side
  readonly isTabStop: boolean
  readonly pick: (yesPrice: number) => void
}

/** Rows are keyed by their place: one that is focused stays where it is while the book moves. */
function Level({ side, price, sizeRaw, totalRaw, part, isTabStop, pick }: LevelProps) {
  const thousandths = Math.round(part * THOUSAND)
  // A row that did not change costs nothing: a deep book moves often, in few of its rows.
  return useMemo(() => {
    const words = evenCents(price)
    return (
      <div class="level" role="row" data-side={side} data-price={price} data-size={sizeRaw}>
        <span class="price" role="cell">
          <span
            class="bar"
            aria-hidden={true}
            style={{ transform: `scaleX(${thousandths / THOUSAND})` }}
          />
          <Button
            label={words}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={`${side === 'bid' ? 'Bid' : 'Ask'} ${words}, use this price`}
            onClick={() => pick(price)}
          />
        </span>
        <span class="number" role="cell">
          {units(sizeRaw)}
        </span>
        <span class="number soft" role="cell">
          {units(totalRaw)}
        </span>
      </div>
    )
  }, [price, sizeRaw, totalRaw, thousandths, isTabStop, pick])
}

function noBookWords({ status }: MarketView): string {
  if (status === 'RESOLVED') return 'This market is resolved.'
  if (status === 'LOCKED') return 'The market is closed: no book.'
  return 'The exchange does not show the book of this market now.'
}

/** In place of a book that is not shown. */
export function ClosedBook({ market }: { readonly market: MarketView }) {
  return (
    <Region label="Order book" name="book" data-state="current" data-sequence={0}>
      <p class="soft">{noBookWords(market)}</p>
    </Region>
  )
}
