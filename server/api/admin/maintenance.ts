// The trading mode: its public view (rules §12.7), and the operator's calls that set it.

import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  TRADING_MODES,
  type TradingWindow,
  windowPhase,
} from '../../../engine/domain/markets/trading-window.ts'
import { SETTLEMENT_STATUSES } from '../../../engine/domain/moves/move-command.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { newestTrades } from '../../../persistence/query/read/settlements.ts'
import { admin, open } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { bytes32, isoTime } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  exactlyOne,
  firstShown,
  integer,
  lines,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { FaultTarget } from '../../exchange/settlement/settlement-port.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse, refusedOr } from '../../messages/refusal.ts'
import type { AdminServices } from './services.ts'

/** The last instant whose ISO 8601 text has a four-digit year. Replies cannot print a later one. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const WINDOW = {
  id: 3,
  mode: 'cancel_only',
  startsAt: '2026-12-01T12:00:00.000Z',
  endsAt: '2026-12-01T13:00:00.000Z',
  publicMessage: 'The exchange is being updated.',
} as const

const instant = () => firstShown(text(40), integer(0, LAST_MS))
const restriction = () =>
  means(
    oneOf('post_only', 'cancel_only', 'disabled'),
    'What is still accepted: post-only orders and cancels, only cancels, or neither.',
  )
const mode = () =>
  means(
    oneOf(...TRADING_MODES),
    'The mode in force: normal accepts everything, each later one accepts less.',
  )
const span = () => ({
  startsAt: means(isoTime(), 'When the restriction begins.'),
  endsAt: means(nullable(isoTime()), 'When it ends; null until an operator ends it.'),
  publicMessage: means(text(), 'Message for traders; empty for none.'),
})
const windowId = () => means(integer(1), 'Number of the window, counted from 1.')
const windowShape = () => object({ id: windowId(), mode: restriction(), ...span() })
const effect = () =>
  object({ target: means(oneOf('trading'), 'What is restricted.'), mode: restriction() })
const entry = () =>
  object({ ...span(), effects: means(list(effect()), 'Effects of the restriction.') })

function spanOf({ startsAtMs, endsAtMs, publicMessage }: TradingWindow) {
  const endsAt = endsAtMs === null ? null : isoText(endsAtMs)
  return { startsAt: isoText(startsAtMs), endsAt, publicMessage }
}

function windowView(window: TradingWindow) {
  return { id: window.windowId, mode: window.mode, ...spanOf(window) }
}

function entryOf(window: TradingWindow) {
  return { ...spanOf(window), effects: [{ target: 'trading' as const, mode: window.mode }] }
}

/** Unix ms of an instant given as ISO text or Unix ms; null when absent, NaN for any other text. */
function msOf(given: number | string | null | undefined): number | null {
  if (given === undefined || given === null) return null
  return typeof given === 'number' ? given : Date.parse(given)
}

const isInstant = (ms: number | null) => ms === null || (ms >= 0 && ms <= LAST_MS)

export const maintenanceStatus = route({
  method: 'GET',
  path: '/maintenance/status',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists the trading restrictions in force and scheduled.',
  query: {
    target: means(optional(oneOf('trading')), 'What is restricted; trading is the only target.'),
  },
  reply: object({
    active: means(list(entry()), 'Restrictions in force.'),
    scheduled: means(list(entry()), 'Restrictions that have not begun.'),
  }),
  means: 'Every restriction that has not ended; trading is normal while none is active.',
  example: {
    query: { target: 'trading' },
    reply: {
      active: [],
      scheduled: [
        {
          startsAt: WINDOW.startsAt,
          endsAt: WINDOW.endsAt,
          publicMessage: WINDOW.publicMessage,
          effects: [{ target: 'trading', mode: WINDOW.mode }],
        },
      ],
    },
  },
  handle: (_input, { modes, pipeline }: AdminServices) => {
    const nowMs = pipeline.sequencer.nowMs()
    const inPhase = (phase: string) =>
      modes.windows.filter((window) => windowPhase(window, nowMs) === phase).map(entryOf)
    return { active: inPhase('active'), scheduled: inPhase('scheduled') }
  },
})

export const putTradingWindow = route({
  method: 'POST',
  path: '/admin/trading-modes',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Restricts trading from a given time (or now) until another (or until it is ended).',
  body: object({
    mode: restriction(),
    startsAt: means(
      optional(nullable(instant())),
      'When it begins, in Unix milliseconds or ISO 8601; immediately when null, absent or past.',
    ),
    endsAt: means(
      optional(nullable(instant())),
      'When it ends, in Unix milliseconds or ISO 8601; null or absent until an operator ends it.',
    ),
    publicMessage: means(
      optional(lines(LIMITS.publicMessageCharactersMax)),
      'Message for traders; empty when absent.',
    ),
  }),
  status: 201,
  reply: windowShape(),
  means: 'The window is set, and trading is restricted during it.',
  links: {
    end: {
      to: 'DELETE /admin/trading-modes/:windowId',
      about: 'Ends the window.',
      params: { windowId: '/id' },
    },
  },
  rejects: ['OVERLOADED', 'VALIDATION', 'TRADING_WINDOW_LIMIT'],
  example: {
    body: {
      mode: WINDOW.mode,
      startsAt: WINDOW.startsAt,
      endsAt: WINDOW.endsAt,
      publicMessage: WINDOW.publicMessage,
    },
    reply: WINDOW,
  },
  handle: async ({ body, caller }, { modes }: AdminServices) => {
    const startsAtMs = msOf(body.startsAt)
    const endsAtMs = msOf(body.endsAt)
    const wrong = [
      ...(isInstant(startsAtMs) ? [] : ['startsAt']),
      ...(isInstant(endsAtMs) ? [] : ['endsAt']),
    ].map((field) => ({ field, message: 'must be a time in ISO 8601 or Unix milliseconds' }))
    if (wrong.length > 0) return invalid(...wrong)
    const { mode: restricted, publicMessage = '' } = body
    const wanted = { mode: restricted, startsAtMs, endsAtMs, publicMessage }
    const put = await modes.put(wanted, caller.operator.name)
    if (put === REJECT.VALIDATION) {
      return invalid({ field: 'endsAt', message: 'must be in the future, and after the start' })
    }
    return refusedOr(put, windowView)
  },
})

export const listTradingWindows = route({
  method: 'GET',
  path: '/admin/trading-modes',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the trading mode in force and every window that has not ended.',
  reply: object({
    mode: mode(),
    windows: means(list(windowShape()), 'Windows that have not ended, by ascending id.'),
  }),
  means: 'The current mode.',
  example: { reply: { mode: 'normal', windows: [WINDOW] } },
  handle: (_input, { modes }: AdminServices) => ({
    mode: modes.mode,
    windows: modes.windows.map(windowView),
  }),
})

export const endTradingWindow = route({
  method: 'DELETE',
  path: '/admin/trading-modes/:windowId',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Ends a window that is in force, or cancels one that has not begun.',
  params: { windowId: windowId() },
  reply: windowShape(),
  means: 'The window has ended.',
  rejects: ['OVERLOADED', 'TRADING_WINDOW_NOT_FOUND'],
  example: { params: { windowId: WINDOW.id }, reply: WINDOW },
  handle: async ({ params, caller }, { modes }: AdminServices) => {
    const ended = await modes.end(params.windowId, caller.operator.name)
    return refusedOr(ended, windowView)
  },
})

// The operator's view of settlement, and fault injection for the embedded chain (design §5).

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
    transactions: means(integer(0), 'Transactions of an EVM chain that have not happened yet.'),
    followedBlock: means(
      nullable(integer(0)),
      'The last block of an EVM chain whose moves of wallets are counted; null on the own chain.',
    ),
    trouble: means(
      nullable(text()),
      'Why no trade settles on an EVM chain at present; null when nothing is wrong.',
    ),
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
      transactions: 0,
      followedBlock: null,
      trouble: null,
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
    const transactions = pipeline.clearing.transactions.count
    const { trouble = null, followedBlock = null } = pipeline.mining?.port ?? {}
    const trades = await reads.read(newestTrades, { limit: query.limit })
    if (trades === undefined) return refuse('READ_TIMEOUT')
    return {
      height,
      throughSeq,
      waiting,
      transactions,
      followedBlock,
      trouble,
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
