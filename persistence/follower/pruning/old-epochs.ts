import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection } from '../../database.ts'
import { epochOf } from '../tables/epochs.ts'
import { ROWS } from './remove-rows.ts'

// Deletes the lists of old epochs (tables/epochs.ts): the epochs in which a market traded, and the
// numbers of its mined trades.

const TRADE_EPOCH = `
SELECT market_id AS marketId, first_ms AS firstMs, first_seq AS firstSeq FROM trade_epochs
WHERE (market_id, first_ms, first_seq) > (?, ?, ?)
ORDER BY market_id, first_ms, first_seq LIMIT 1`
const NEWEST_TRADE_EPOCH = `
SELECT market_id AS marketId, first_ms AS firstMs, first_seq AS firstSeq FROM trade_epochs
WHERE market_id = ? ORDER BY first_ms DESC, first_seq DESC LIMIT 1`
const DELETE_TRADE_EPOCH = `
DELETE FROM trade_epochs WHERE market_id = ? AND first_ms = ? AND first_seq = ?`

const MINED = `
SELECT epoch, market_id AS marketId FROM mined_trades
WHERE (epoch, market_id) > (?, ?) AND epoch < ? ORDER BY epoch, market_id LIMIT 1`
const NEWEST_MINED_EPOCH = `
SELECT epoch, first_number AS firstNumber FROM mined_epochs
WHERE market_id = ? ORDER BY first_number DESC LIMIT 1`
const FIRST_MINED_EPOCH = `
SELECT epoch, first_number AS firstNumber FROM mined_epochs
WHERE market_id = ? ORDER BY first_number LIMIT 1`
const MINED_NUMBERS = `
SELECT number FROM mined_trades WHERE epoch = ? AND market_id = ?
ORDER BY number LIMIT ${ROWS + 1}`
const DELETE_MINED = `
DELETE FROM mined_trades WHERE epoch = ? AND market_id = ? AND number < ?`
const DELETE_MINED_EPOCH = 'DELETE FROM mined_epochs WHERE market_id = ? AND first_number = ?'

interface TradeEpoch {
  readonly marketId: MarketId
  readonly firstMs: TimeMs
  readonly firstSeq: Seq
}

interface MinedEpoch {
  readonly epoch: number
  readonly firstNumber: number
}

export class OldEpochs {
  readonly #connection: Connection
  /** Epochs before it were emptied by this process. */
  #emptiedEpoch = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Deletes the rows of all epochs before `endEpoch`. */
  *forget(endEpoch: number): Generator<undefined, void> {
    if (endEpoch <= this.#emptiedEpoch) return
    yield* this.#tradeEpochs(endEpoch)
    yield* this.#minedTrades(endEpoch)
    this.#emptiedEpoch = endEpoch
  }

  *#tradeEpochs(endEpoch: number): Generator<undefined, void> {
    const next = this.#connection.prepare<[MarketId, TimeMs, Seq], TradeEpoch>(TRADE_EPOCH)
    const newest = this.#connection.prepare<[MarketId], TradeEpoch>(NEWEST_TRADE_EPOCH)
    const remove = this.#connection.prepare<[MarketId, TimeMs, Seq]>(DELETE_TRADE_EPOCH)
    const end = Number.MAX_SAFE_INTEGER
    let row = next.get(0, 0, 0)
    for (let count = 1; row !== undefined; count++) {
      const { marketId, firstMs, firstSeq } = row
      // The newest trade of a market stays, and is found by its epoch.
      const isNewest = newest.get(marketId)?.firstSeq === firstSeq
      const isOld = epochOf(firstSeq) < endEpoch && !isNewest
      if (isOld) remove.run(marketId, firstMs, firstSeq)
      row = isOld ? next.get(marketId, firstMs, firstSeq) : next.get(marketId, end, end)
      if (count % ROWS === 0) yield
    }
  }

  /** The newest number of a market stays, so that the next one follows it. */
  *#minedTrades(endEpoch: number): Generator<undefined, void> {
    const next = this.#connection.prepare<
      [epoch: number, MarketId, end: number],
      { epoch: number; marketId: MarketId }
    >(MINED)
    const newest = this.#connection.prepare<[MarketId], MinedEpoch>(NEWEST_MINED_EPOCH)
    const first = this.#connection.prepare<[MarketId], MinedEpoch>(FIRST_MINED_EPOCH)
    const numbers = this.#connection.prepare<[number, MarketId], { number: number }>(MINED_NUMBERS)
    const remove = this.#connection.prepare<[number, MarketId, end: number]>(DELETE_MINED)
    const removeEpoch = this.#connection.prepare<[MarketId, number]>(DELETE_MINED_EPOCH)
    let row = next.get(this.#emptiedEpoch - 1, 0, endEpoch)
    while (row !== undefined) {
      const { epoch, marketId } = row
      const isNewest = newest.get(marketId)?.epoch === epoch
      for (;;) {
        const found = numbers.all(epoch, marketId)
        const last = found.at(-1)
        if (last === undefined) break
        const isEnd = found.length <= ROWS
        remove.run(epoch, marketId, isEnd && !isNewest ? last.number + 1 : last.number)
        yield
        if (isEnd) break
      }
      for (;;) {
        const oldest = first.get(marketId)
        if (oldest === undefined || oldest.epoch > epoch) break
        if (isNewest && oldest.epoch === epoch) break
        removeEpoch.run(marketId, oldest.firstNumber)
      }
      row = next.get(epoch, marketId, endEpoch)
    }
  }
}
