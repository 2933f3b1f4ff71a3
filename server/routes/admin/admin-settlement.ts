// What an operator sees of settlement, and the fault hook of the embedded chain (design §5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/settlement.ts'
import { newestTrades } from '../../../persistence/query/read/settlements.ts'
import { admin } from '../../http/auth-scheme.ts'
import { invalid, refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { bytes32, isoTime } from '../../http/schema/fields.ts'
import { defaulted, integer, nullable, oneOf, pattern } from '../../http/schema/scalars.ts'
import { list, object, optional } from '../../http/schema/schema.ts'
import type { FaultTarget } from '../../settlement/settlement-port.ts'
import type { Services } from '../services.ts'

const TX_HASH = '0x0f1aa4a4a6b1b0e8a3ad1a9fc5fe7a0c0fb3f0a3a6c1a7b1c2d3e4f5a6b7c8d9'

const tradeEventId = () => pattern('^[1-9][0-9]{0,15}$', 'Id of a trade, as its replies say it.')
const outcome = () => oneOf('RETRYING', 'FAILED')

export const showSettlement = route({
  method: 'GET',
  path: '/admin/settlement',
  auth: admin('read'),
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
    const trades = await reads.read(newestTrades, { limit: query.limit })
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

const ONE_TARGET = 'Exactly one of tradeEventId, next or nextApprovals is required'

/** Null unless one of the three is given. */
function targetOf(
  id: string | null,
  next: number | null,
  nextApprovals: number | null,
): FaultTarget | null {
  const given: FaultTarget[] = []
  if (id !== null) given.push({ tradeSeq: Number(id) })
  if (next !== null) given.push({ next })
  if (nextApprovals !== null) given.push({ nextApprovals })
  return given.length === 1 ? given[0] : null
}

export const armFault = route({
  method: 'POST',
  path: '/admin/settlement/faults',
  auth: admin('root'),
  lane: 'admin',
  about:
    'Lets a trade, or the next trades or approvals the embedded chain gets, be retried or fail.',
  body: object({
    tradeEventId: optional(tradeEventId()),
    next: optional(integer(1, LIMITS.settlementFaultsMax)),
    nextApprovals: optional(integer(1, LIMITS.settlementFaultsMax)),
    outcome: outcome(),
  }),
  reply: object({
    tradeEventId: nullable(tradeEventId()),
    next: nullable(integer(1)),
    nextApprovals: nullable(integer(1)),
    outcome: outcome(),
  }),
  rejects: ['OVERLOADED', 'VALIDATION', 'NO_EMBEDDED_CHAIN', 'TRADE_NOT_WAITING'],
  example: {
    body: { next: 1, outcome: 'FAILED' },
    reply: { tradeEventId: null, next: 1, nextApprovals: null, outcome: 'FAILED' },
  },
  handle: async ({ body }, { pipeline: { mining } }: Services) => {
    const { tradeEventId: id = null, next = null, nextApprovals = null, outcome: setback } = body
    const target = targetOf(id, next, nextApprovals)
    if (target === null) return invalid({ field: '', message: ONE_TARGET })
    const faults = mining?.port.faults ?? null
    if (mining === null || faults === null) return refuse('NO_EMBEDDED_CHAIN')
    if ('tradeSeq' in target && !mining.isWaiting(target.tradeSeq))
      return refuse('TRADE_NOT_WAITING')
    const refused = faults.arm(target, setback)
    if (refused !== null) return refuse(refused)
    return { tradeEventId: id, next, nextApprovals, outcome: setback }
  },
})
