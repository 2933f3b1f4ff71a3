import { LIMITS } from '../../../../engine/domain/limits.ts'
import { readSetting } from '../../../settings/flags.ts'
import { count, oneOf, optional, words } from '../../../settings/kinds.ts'
import { bare, type Form, filled, flagNames, own, post, wordAs } from '../admin-form.ts'
import { wholeList } from './list-forms.ts'

// The forms of `outcomex admin` for windows of restricted trading, and for the chain.

const instant = words('TIME', 'an ISO 8601 instant')
const RESTRICTIONS = oneOf('post_only', 'cancel_only', 'disabled')
const SETBACKS = oneOf('RETRYING', 'FAILED')

const WINDOW = {
  startsAt: own('from', optional(instant), undefined, 'restrict: when it begins; else now.'),
  endsAt: own(
    'until',
    optional(instant),
    undefined,
    'restrict: when it ends; else when an operator ends it.',
  ),
  publicMessage: own(
    'message',
    optional(words('TEXT', 'a text')),
    undefined,
    'restrict: what the public is told.',
  ),
} as const
const SETTLED = own(
  'trades',
  count(1, LIMITS.userOrdersLimitMax),
  50,
  'settlement: greatest number of trades.',
)
const TARGET = {
  tradeEventId: own(
    'trade',
    optional(words('ID', 'the id of a trade')),
    undefined,
    'settlement-fault: the trade to meet it.',
  ),
  next: own(
    'next',
    optional(count(1, LIMITS.settlementFaultsMax)),
    undefined,
    'settlement-fault: how many of the next trades meet it.',
  ),
  nextApprovals: own(
    'next-approvals',
    optional(count(1, LIMITS.settlementFaultsMax)),
    undefined,
    'settlement-fault: how many of the next approvals meet it.',
  ),
} as const

export const TRADING_FORMS: Readonly<Record<string, Form>> = {
  restrict: {
    use: `admin restrict ${RESTRICTIONS.shape} [--from TIME] [--until TIME] [--message TEXT]`,
    flags: Object.values(WINDOW),
    words: 1,
    fields: flagNames(WINDOW),
    call([mode], given) {
      const restricted = { mode: wordAs(RESTRICTIONS, mode) }
      return post('/admin/trading-modes', { ...restricted, ...filled(WINDOW, given) })
    },
  },
  unrestrict: {
    use: 'admin unrestrict WINDOW_ID',
    flags: [],
    words: 1,
    fields: { windowId: 'WINDOW_ID' },
    call([id]) {
      const windowId = wordAs(count(1, Number.MAX_SAFE_INTEGER), id)
      return bare('DELETE', `/admin/trading-modes/${windowId}`)
    },
  },
  restrictions: wholeList('restrictions', '/admin/trading-modes'),
  settlement: {
    use: 'admin settlement [--trades N]',
    flags: [SETTLED],
    words: 0,
    fields: { limit: '--trades' },
    call: (_words, given) => bare('GET', `/admin/settlement?limit=${readSetting(SETTLED, given)}`),
  },
  'settlement-fault': {
    use: `admin settlement-fault ${SETBACKS.shape} --trade ID|--next N|--next-approvals N`,
    flags: Object.values(TARGET),
    words: 1,
    fields: { outcome: SETBACKS.shape, ...flagNames(TARGET) },
    call: ([outcome], given) =>
      post('/admin/settlement/faults', {
        outcome: wordAs(SETBACKS, outcome),
        ...filled(TARGET, given),
      }),
  },
}
