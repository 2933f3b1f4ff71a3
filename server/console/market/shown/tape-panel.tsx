// The tape: the newest trades of the market, live. A trade that was taken back is struck through.

import { Region } from '../../page/blocks.tsx'
import { clockTime, evenCents, units } from '../../page/format.ts'
import { useMemo } from '../../page/preact.ts'
import type { LiveTape } from './live-tape.ts'
import type { TapeRow } from './tape-copy.ts'

export function TapePanel({ tape: { rows } }: { readonly tape: LiveTape }) {
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
              <Trade key={row.trade.tradeEventId} row={row} />
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

function Trade({ row }: { readonly row: TapeRow }) {
  // A row is made once, and again only when its trade was taken back.
  return useMemo(() => {
    const { price, size, side, timestamp } = row.trade
    const name = side.toLowerCase()
    const text = (words: string) => (row.isBusted ? <s>{words}</s> : words)
    return (
      <tr
        class={row.isBusted ? 'busted' : undefined}
        title={row.isBusted ? 'This trade was taken back.' : undefined}
      >
        <td>{text(clockTime(timestamp))}</td>
        <td class={name}>{text(side === 'BUY' ? 'Buy' : 'Sell')}</td>
        <td class={`number ${name}`}>{text(evenCents(price))}</td>
        <td class="number">{text(units(size))}</td>
      </tr>
    )
  }, [row.isBusted])
}
