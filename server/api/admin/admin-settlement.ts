// The operator's view of settlement, and fault injection for the embedded chain (design §5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { newestTrades } from '../../../persistence/query/read/settlements.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { bytes32, isoTime } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  exactlyOne,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { FaultTarget } from '../../exchange/settlement/settlement-port.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import type { AdminServices } from './services.ts'

const TX_HASH = '0x0f1aa4a4a6b1b0e8a3ad1a9fc5fe7a0c0fb3f0a3a6c1a7b1c2d3e4f5a6b7c8d9'

const tradeEventId = () => pattern('^[1-9][0-9]{0,15}$', 'Id of a trade, as in its replies.')
const outcome = () =>
  means(
    oneOf('RETRYING', 'FAILED'),
    'Fault to inject: one more attempt, or a failure, after which the trade is reversed.',
  )

const trade = () =>
  object({
    tradeEventId: tradeEventId(),
    tradedAt: means(isoTime(), 'When the orders matched.'),
    settlementStatus: means(
      oneOf(...SETTLEMENT_STATUSES),
      'MATCHED waits for a block, RETRYING for a retry, MINED is in one, FAILED is reversed.',
    ),
    txHash: means(nullable(bytes32()), 'Hash of its transaction; null before there is one.'),
    height: means(nullable(integer(1)), 'Height of its block; null until it is in one.'),
    minedAt: means(nullable(isoTime()), 'When its block was produced; null until then.'),
  })

export const showSettlement = route({
  method: 'GET',
  path: '/admin/settlement',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the state of the chain and of the newest trades.',
  query: {
    limit: means(defaulted(integer(1, LIMITS.userOrdersLimitMax), 50), 'Maximum trades to list.'),
  },
  reply: object({
    height: means(integer(0), 'Height of the newest block; 0 before the first.'),
    throughSeq: means(
      integer(0),
      'Trades of commands up to this seq are in blocks, except retried and failed ones.',
    ),
    waiting: means(integer(0), 'How many trades wait for a block.'),
    trades: means(list(trade()), 'The newest trades, newest first.'),
  }),
  means: 'The current state of the chain and of the newest trades.',
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
  handle: async ({ query }, { pipeline, reads }: AdminServices) => {
    // Read before the tables, which then show at least as much as this.
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
        tradedAt: isoText(tradedMs),
        settlementStatus: status,
        txHash,
        height: inBlock,
        minedAt: minedMs === null ? null : isoText(minedMs),
      })),
    }
  },
})

const ONE_TARGET = 'Exactly one of tradeEventId, next or nextApprovals is required'

/** The target of a fault; null unless exactly one of the three is given. */
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
  rateClass: 'admin',
  about: 'Injects faults: trades or approvals of the embedded chain are retried or fail.',
  body: exactlyOne(
    {
      tradeEventId: means(optional(tradeEventId()), 'The one trade that gets the fault.'),
      next: means(
        optional(integer(1, LIMITS.settlementFaultsMax)),
        'How many of the next trades get the fault.',
      ),
      nextApprovals: means(
        optional(integer(1, LIMITS.settlementFaultsMax)),
        'How many of the next approvals get the fault.',
      ),
      outcome: outcome(),
    },
    'tradeEventId',
    'next',
    'nextApprovals',
  ),
  reply: object({
    tradeEventId: means(nullable(tradeEventId()), 'The trade that gets the fault, or null.'),
    next: means(nullable(integer(1)), 'How many of the next trades get the fault, or null.'),
    nextApprovals: means(
      nullable(integer(1)),
      'How many of the next approvals get the fault, or null.',
    ),
    outcome: outcome(),
  }),
  means: 'The fault is set until the next restart.',
  rejects: ['VALIDATION', 'NO_EMBEDDED_CHAIN', 'TRADE_NOT_WAITING', 'FAULT_LIMIT'],
  example: {
    body: { next: 1, outcome: 'FAILED' },
    reply: { tradeEventId: null, next: 1, nextApprovals: null, outcome: 'FAILED' },
  },
  handle: async ({ body }, { pipeline: { mining } }: AdminServices) => {
    const { tradeEventId: id = null, next = null, nextApprovals = null, outcome: setback } = body
    const target = targetOf(id, next, nextApprovals)
    if (target === null) return invalid({ field: 'tradeEventId', message: ONE_TARGET })
    const faults = mining?.port.faults ?? null
    if (mining === null || faults === null) return refuse('NO_EMBEDDED_CHAIN')
    if ('tradeSeq' in target && !mining.isWaiting(target.tradeSeq))
      return refuse('TRADE_NOT_WAITING')
    const refused = faults.arm(target, setback)
    if (refused !== null) return refuse(refused)
    return { tradeEventId: id, next, nextApprovals, outcome: setback }
  },
})
