import type { Connection } from '../../database.ts'
import type { SettlementAnswer, SettlementAsk } from '../query-thread.ts'
import { Settlements } from './settlements.ts'

/** Answers what main asks of trades and blocks. */
export function settlementAnswers(
  connection: Connection,
): (ask: SettlementAsk) => SettlementAnswer {
  const settlements = new Settlements(connection)
  return (ask) => {
    switch (ask.what) {
      case 'of':
        return { of: settlements.of(ask.tradeSeq) }
      case 'trade':
        return { trade: settlements.trade(ask.tradeSeq) }
      case 'tradesAfter':
        return { tradesAfter: settlements.tradesAfter(ask.seq, ask.limit) }
      case 'newest':
        return { newest: settlements.newest(ask.limit) }
    }
  }
}
