import { assert } from '../../../engine/domain/assert.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../database.ts'
import { epochOf } from './epochs.ts'
import { eachPaced, type Pace } from './pace.ts'

// The mined trades of each market, numbered from 1 in mining order. A number never changes, because
// a mined trade is never reversed. A block mines the trades after the previous block, by ascending
// seq, without those that have a row in `settlements`: they were set aside or reversed before. So a
// chunk's rows of trades and settlements are written first. The mined trades of a group are those
// of its markets, numbered again under the group, so that a distant page is found as for a market.
// Its markets refer to it, so their rows are written first.

const BLOCK_BEFORE = 'SELECT through_seq AS throughSeq FROM blocks WHERE height = ?'
const OF_BLOCK = `
SELECT seq, market_id AS marketId FROM trades WHERE seq > ? AND seq <= ?
  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)`
const MARKET_OF = 'SELECT market_id AS marketId FROM trades WHERE seq = ?'
export const NEWEST_EPOCH =
  'SELECT epoch FROM mined_epochs WHERE market_id = ? ORDER BY first_number DESC LIMIT 1'
export const NEWEST_NUMBER =
  'SELECT number FROM mined_trades WHERE epoch = ? AND market_id = ? ORDER BY number DESC LIMIT 1'
const GROUP_OF = 'SELECT group_id AS groupId FROM markets WHERE market_id = ?'
const INSERT = 'INSERT INTO mined_trades (epoch, market_id, number, trade_seq) VALUES (?, ?, ?, ?)'
const INSERT_EPOCH = 'INSERT INTO mined_epochs (market_id, first_number, epoch) VALUES (?, ?, ?)'
/** Markets with a cached newest number. At the limit all of them are dropped and read again. */
const KEPT_MAX = 1 << 14

type Mined = Extract<CommandOf<'settlement'>, { kind: 'mineBlock' | 'settleTrade' }>

interface Row {
  readonly seq: Seq
  readonly marketId: MarketId
}

/** The newest mined trade of a market. */
interface Newest {
  readonly number: number
  /** The epoch of the command that mined it; below all epochs before the first. */
  readonly epoch: number
  /** The group of the market; null if there is none. */
  readonly groupId: MarketId | null
}

export class MinedTradesTable {
  readonly #blockBefore: Statement<[height: number], { throughSeq: Seq }>
  readonly #ofBlock: Statement<[afterSeq: Seq, throughSeq: Seq], Row>
  readonly #marketOf: Statement<[tradeSeq: Seq], { marketId: MarketId }>
  readonly #newestEpoch: Statement<[MarketId], { epoch: number }>
  readonly #newestNumber: Statement<[epoch: number, MarketId], { number: number }>
  readonly #groupOf: Statement<[MarketId], { groupId: MarketId | null }>
  readonly #insert: Statement<[epoch: number, MarketId, number, Seq]>
  readonly #insertEpoch: Statement<[MarketId, number, epoch: number]>
  readonly #newest = new Map<MarketId, Newest>()
  #mined: Mined[] = []

  constructor(connection: Connection) {
    this.#blockBefore = connection.prepare(BLOCK_BEFORE)
    this.#ofBlock = connection.prepare(OF_BLOCK)
    this.#marketOf = connection.prepare(MARKET_OF)
    this.#newestEpoch = connection.prepare(NEWEST_EPOCH)
    this.#newestNumber = connection.prepare(NEWEST_NUMBER)
    this.#groupOf = connection.prepare(GROUP_OF)
    this.#insert = connection.prepare(INSERT)
    this.#insertEpoch = connection.prepare(INSERT_EPOCH)
  }

  applied(command: CommandOf<'settlement'>): void {
    const { kind } = command
    if (kind === 'mineBlock' || kind === 'settleTrade') this.#mined.push(command)
  }

  /** Runs inside the chunk's transaction, after its trades and settlements. */
  flush(pace: Pace): void {
    for (const command of this.#mined) this.#take(command, pace)
    this.#mined = []
  }

  #take(command: Mined, pace: Pace): void {
    const epoch = epochOf(command.seq)
    if (command.kind === 'settleTrade') {
      const found = this.#marketOf.get(command.tradeSeq)
      if (found !== undefined) this.#put(epoch, found.marketId, command.tradeSeq)
      return
    }
    const afterSeq = this.#blockBefore.get(command.height - 1)?.throughSeq ?? 0
    const rows = this.#ofBlock.all(afterSeq, command.throughSeq)
    eachPaced(rows, pace, ({ seq, marketId }) => this.#put(epoch, marketId, seq))
  }

  #put(epoch: number, marketId: MarketId, tradeSeq: Seq): void {
    const groupId = this.#number(epoch, marketId, tradeSeq)
    if (groupId !== null) this.#number(epoch, groupId, tradeSeq)
  }

  /** Writes the next number of a market or a group; returns the market's group. */
  #number(epoch: number, marketId: MarketId, tradeSeq: Seq): MarketId | null {
    const before = this.#newest.get(marketId) ?? this.#newestOf(marketId)
    const number = before.number + 1
    if (before.epoch !== epoch) this.#insertEpoch.run(marketId, number, epoch)
    this.#insert.run(epoch, marketId, number, tradeSeq)
    if (this.#newest.size >= KEPT_MAX) this.#newest.clear()
    this.#newest.set(marketId, { number, epoch, groupId: before.groupId })
    return before.groupId
  }

  #newestOf(marketId: MarketId): Newest {
    const groupId = this.#groupOf.get(marketId)?.groupId ?? null
    const epoch = this.#newestEpoch.get(marketId)?.epoch
    if (epoch === undefined) return { number: 0, epoch: Number.NEGATIVE_INFINITY, groupId }
    const number = this.#newestNumber.get(epoch, marketId)?.number
    assert(number !== undefined, 'an epoch of a market has a mined trade')
    return { number, epoch, groupId }
  }
}
