// What an operator sees of settlement, and the fault hook of the embedded chain (design §5).

import { LIMITS } from '../../engine/domain/limits.ts'
import { SETTLEMENT_STATUSES } from '../../engine/domain/settlement.ts'
import { admin } from '../http/auth-scheme.ts'
import { bytes32, isoTime } from '../http/fields.ts'
import { invalid, refuse } from '../http/refusal.ts'
import { route } from '../http/route.ts'
import { defaulted, integer, nullable, oneOf, pattern } from '../http/scalars.ts'
import { list, object, optional } from '../http/schema.ts'
import type { Services } from './services.ts'

const TX_HASH = '0x0f1aa4a4a6b1b0e8a3ad1a9fc5fe7a0c0fb3f0a3a6c1a7b1c2d3e4f5a6b7c8d9'

const tradeEventId = () => pattern('^[1-9][0-9]{0,15}$', 'Id of a trade, as its replies say it.')
const outcome = () => oneOf('RETRYING', 'FAILED')

export const showSettlement = route({
  method: 'GET',
  path: '/admin/settlement',
  auth: admin(),
  lane: 'admin',
  about: 'Where the chain stands, and what became of the newest trades.',
  query: { limit: defaulted(integer(1, LIMITS.userOrdersLimitMax), 50) },
  reply: object({
    height: integer(0),
    throughSeq: integer(0),
    waiting: integer(0),
    trades: list(
      object({
        tradeEventId: tradeEventId(),
        tradedAt: isoTime(),
        settlementStatus: oneOf(...SETTLEMENT_STATUSES),
        txHash: nullable(bytes32()),
        height: nullable(integer(1)),
        minedAt: nullable(isoTime()),
      }),
    ),
  }),
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { limit: 1 },
    reply: {
      height: 12,
      throughSeq: 431,
      waiting: 0,
      trades: [
        {
          tradeEventId: '420',
          tradedAt: '2026-01-01T00:00:00.000Z',
          settlementStatus: 'MINED',
          txHash: TX_HASH,
          height: 12,
          minedAt: '2026-01-01T00:00:00.250Z',
        },
      ],
    },
  },
  handle: async ({ query }, { pipeline, reads }: Services) => {
    // Before the tables are read: they show at least this much.
    const { height, throughSeq } = pipeline.mining?.shown ?? { height: 0, throughSeq: 0 }
    const waiting = pipeline.mining?.waitingCount ?? 0
    const trades = await reads.newestTrades(query.limit)
    if (trades === undefined) return refuse('READ_TIMEOUT')
    return {
      height,
      throughSeq,
      waiting,
      trades: trades.map(({ tradeSeq, tradedMs, status, txHash, height: inBlock, minedMs }) => ({
        tradeEventId: `${tradeSeq}`,
        tradedAt: new Date(tradedMs).toISOString(),
        settlementStatus: status,
        txHash,
        height: inBlock,
        minedAt: minedMs === null ? null : new Date(minedMs).toISOString(),
      })),
    }
  },
})

export const armFault = route({
  method: 'POST',
  path: '/admin/settlement/faults',
  auth: admin(),
  lane: 'admin',
  about: 'Lets a trade, or the next ones submitted to the embedded chain, be retried or fail.',
  body: object({
    tradeEventId: optional(tradeEventId()),
    next: optional(integer(1, LIMITS.settlementFaultsMax)),
    outcome: outcome(),
  }),
  reply: object({
    tradeEventId: nullable(tradeEventId()),
    next: nullable(integer(1)),
    outcome: outcome(),
  }),
  rejects: ['OVERLOADED', 'VALIDATION', 'NO_EMBEDDED_CHAIN', 'TRADE_NOT_WAITING'],
  example: {
    body: { next: 1, outcome: 'FAILED' },
    reply: { tradeEventId: null, next: 1, outcome: 'FAILED' },
  },
  handle: async ({ body }, { pipeline: { mining } }: Services) => {
    const { tradeEventId: id, next, outcome: setback } = body
    if ((id === undefined) === (next === undefined)) {
      return invalid({ field: '', message: 'Exactly one of tradeEventId or next is required' })
    }
    const faults = mining?.port.faults ?? null
    if (mining === null || faults === null) return refuse('NO_EMBEDDED_CHAIN')
    if (id !== undefined && !mining.isWaiting(Number(id))) return refuse('TRADE_NOT_WAITING')
    const target = id === undefined ? { next: next ?? 1 } : { tradeSeq: Number(id) }
    const refused = faults.arm(target, setback)
    if (refused !== null) return refuse(refused)
    return { tradeEventId: id ?? null, next: next ?? null, outcome: setback }
  },
})
