import type { SettlementCommand } from '../../../engine/domain/command.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from './pace.ts'

// The mined trades of each market, numbered from 1 in the order in which they were mined. A number
// never changes, because a mined trade is never taken back. A block takes the trades after the last
// block, by rising seq, without those that have a row in `settlements`: they were set aside or
// reversed before. So the rows of trades and settlements of a chunk are written first.

const BLOCK_BEFORE = 'SELECT through_seq AS throughSeq FROM blocks WHERE height = ?'
const OF_BLOCK = `
SELECT seq, market_id AS marketId FROM trades WHERE seq > ? AND seq <= ?
  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)`
const MARKET_OF = 'SELECT market_id AS marketId FROM trades WHERE seq = ?'
const NEWEST = 'SELECT number FROM mined_trades WHERE market_id = ? ORDER BY number DESC LIMIT 1'
const INSERT = 'INSERT INTO mined_trades (market_id, number, trade_seq) VALUES (?, ?, ?)'

type Mined = Extract<SettlementCommand, { kind: 'mineBlock' | 'settleTrade' }>

interface Row {
  readonly seq: Seq
  readonly marketId: MarketId
}

export class MinedTradesTable {
  readonly #blockBefore: Statement<[height: number], { throughSeq: Seq }>
  readonly #ofBlock: Statement<[afterSeq: Seq, throughSeq: Seq], Row>
  readonly #marketOf: Statement<[tradeSeq: Seq], { marketId: MarketId }>
  readonly #newest: Statement<[MarketId], { number: number }>
  readonly #insert: Statement<[MarketId, number, Seq]>
  /** The newest number of each market that this chunk touched. */
  readonly #numbers = new Map<MarketId, number>()
  #mined: Mined[] = []

  constructor(connection: Connection) {
    this.#blockBefore = connection.prepare(BLOCK_BEFORE)
    this.#ofBlock = connection.prepare(OF_BLOCK)
    this.#marketOf = connection.prepare(MARKET_OF)
    this.#newest = connection.prepare(NEWEST)
    this.#insert = connection.prepare(INSERT)
  }

  applied(command: SettlementCommand): void {
    const { kind } = command
    if (kind === 'mineBlock' || kind === 'settleTrade') this.#mined.push(command)
  }

  /** Runs inside the chunk's transaction, after its trades and settlements. */
  flush(pace: Pace): void {
    for (const command of this.#mined) this.#take(command, pace)
    this.#mined = []
    this.#numbers.clear()
  }

  #take(command: Mined, pace: Pace): void {
    if (command.kind === 'settleTrade') {
      const found = this.#marketOf.get(command.tradeSeq)
      if (found !== undefined) this.#put(found.marketId, command.tradeSeq)
      return
    }
    const afterSeq = this.#blockBefore.get(command.height - 1)?.throughSeq ?? 0
    const rows = this.#ofBlock.all(afterSeq, command.throughSeq)
    eachPaced(rows, pace, ({ seq, marketId }) => this.#put(marketId, seq))
  }

  #put(marketId: MarketId, tradeSeq: Seq): void {
    const before = this.#numbers.get(marketId) ?? this.#newest.get(marketId)?.number ?? 0
    this.#insert.run(marketId, before + 1, tradeSeq)
    this.#numbers.set(marketId, before + 1)
  }
}
