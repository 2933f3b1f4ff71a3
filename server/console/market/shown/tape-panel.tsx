// The tape: the newest trades of the market, live. A trade that was taken back is struck through.

import type { Context } from '../../context.ts'
import { Region } from '../../page/blocks.tsx'
import { clockTime, evenCents, units } from '../../page/format.ts'
import { useMemo } from '../../page/preact.ts'
import { TransactionLink } from '../../page/transaction-link.tsx'
import type { LiveTape } from './live-tape.ts'
import type { TapeRow } from './tape-copy.ts'

interface TapePanelProps {
  readonly context: Context
  readonly tape: LiveTape
}

export function TapePanel({ context, tape: { rows, transactions } }: TapePanelProps) {
  const hashes = transactions?.hashes.value
  return (
    <Region label="Trades" name="tape">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus */}
      <div class="tape-box" role="group" tabIndex={0} aria-label="Last trades">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Taker</th>
              <th class="number" scope="col">
                YES
              </th>
              <th class="number" scope="col">
                Shares
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.map((row) => (
              <Trade
                key={row.trade.tradeEventId}
                context={context}
                row={row}
                hash={hashes?.get(row.trade.tradeEventId) ?? null}
              />
            ))}
            {rows.value.length === 0 && (
              <tr>
                <td class="soft" colSpan={4}>
                  No trades yet.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </Region>
  )
}

interface TradeProps {
  readonly context: Context
  readonly row: TapeRow
  readonly hash: string | null
}

function Trade({ context, row, hash }: TradeProps) {
  // A row is made once, and again only when its trade was mined or taken back.
  return useMemo(() => {
    const { price, size, side, timestamp } = row.trade
    const name = side.toLowerCase()
    const text = (words: string) => (row.isBusted ? <s>{words}</s> : words)
    return (
      <tr
        class={row.isBusted ? 'busted' : undefined}
        title={row.isBusted ? 'This trade was taken back.' : undefined}
      >
        <td>
          <TransactionLink context={context} hash={hash}>
            {text(clockTime(timestamp))}
          </TransactionLink>
        </td>
        <td class={name}>{text(side === 'BUY' ? 'Buy' : 'Sell')}</td>
        <td class={`number ${name}`}>{text(evenCents(price))}</td>
        <td class="number">{text(units(size))}</td>
      </tr>
    )
  }, [row.isBusted, hash])
}
