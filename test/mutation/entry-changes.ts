import type { FileChanges } from './mutation.ts'

// What comes before, beside and after a match: modes, heartbeats, taker delay, settlement.

const CORE = 'test/engine/core'
const BOUND = ['test/server/api/orders/delayed-cancel.test.ts']
const DELAY = [
  `${CORE}/orders/taker-delay.test.ts`,
  `${CORE}/invariant-two.test.ts`,
  `${CORE}/reference-model.test.ts`,
]
const GROUPS = [
  `${CORE}/orders/order-groups.test.ts`,
  'test/server/exchange/sequencer/due-cancels.test.ts',
  'test/server/api/orders/order-groups.test.ts',
]
const HOLDS = ['test/server/api/orders/cancel-replace.test.ts', 'test/simulation/held.test.ts']
const MODES = [
  `${CORE}/markets/trading-mode.test.ts`,
  'test/server/api/admin/trading-modes.test.ts',
]
const HELD = 'test/server/exchange/order-entry/taker-delay.test.ts'

export const ENTRY_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/book/market.ts',
    tests: DELAY,
    changes: [
      [
        'no taker is held',
        'order.takerDelayMs > 0 && crosses',
        'order.takerDelayMs < 0 && crosses',
      ],
      [
        'an order that does not cross is held too',
        'crosses(arrival.book, arrival.isBid, arrival.worstTicks)) {',
        'arrival.book > 0) {',
      ],
      [
        'an order that was canceled while held is released',
        'if (wantRaw > 0) {',
        'if (wantRaw > 0 || order.slot > 0) {',
      ],
    ],
  },
  {
    file: 'engine/core/decide/release.ts',
    tests: BOUND,
    changes: [
      [
        'a bound order may be canceled',
        'if (isBound(clearing, slot)) return REJECT.DELAYED_CANCEL_OFF\n',
        '\n',
      ],
      ['every delay binds', 'noDelayedCancel === true && takerDelayMs > 0', 'takerDelayMs > 0'],
    ],
  },
  {
    file: 'engine/core/decide/release.ts',
    tests: BOUND,
    changes: [
      ['an own order calls back a bound one', 'mayBind(clearing, slot) ? STP.CANCEL_MAKER : ', ''],
    ],
  },
  {
    file: 'server/exchange/sequencer/due-cancels.ts',
    tests: BOUND,
    changes: [
      [
        'a heartbeat calls back a bound order',
        'if (!OF_OWNERS.has(cause.reason) || !mayBind(this.#clearing, slot)) return true',
        'if (cause.beforeSeq > 0) return true',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/user-cancels.ts',
    tests: BOUND,
    changes: [['a cancel of all names bound orders', 'if (!isBinding) return', 'if (true) return']],
  },
  {
    file: 'engine/core/decide/release.ts',
    tests: [...DELAY, ...MODES],
    changes: [
      ['a release ignores the self-trade policy', 'orders.held.stpOf(slot)', '0'],
      ['a released order pays no fee', 'orders.feeBpsOf(slot)', '0'],
      ['a release is delayed again', 'release.takerDelayMs = 0', 'release.takerDelayMs = 1'],
    ],
  },
  {
    file: 'engine/core/markets/trading-mode.ts',
    tests: MODES,
    changes: [
      ['the least strict of two windows wins', 'Math.max(strictest,', 'Math.min(strictest,'],
      [
        'takers enter while only post-only orders may',
        "mode === 'post_only' && postOnly",
        "mode === 'post_only'",
      ],
      [
        'cancels go through while trading is disabled',
        "=== 'disabled' ? REJECT.TRADING_DISABLED : null",
        "=== 'disabled' ? null : null",
      ],
    ],
  },
  {
    file: 'engine/core/orders/order-groups.ts',
    tests: GROUPS,
    changes: [
      [
        'the window of an order group is a second shorter',
        'sec >= endSec - windowSec',
        'sec > endSec - windowSec',
      ],
      [
        'an order group closes at its limit already',
        'filledUntilRaw(group, endSec) > group.maxFillRaw',
        'filledUntilRaw(group, endSec) >= group.maxFillRaw',
      ],
      [
        'a taker does not count for its order group',
        'of [fill.taker, fill.maker]',
        'of [fill.maker]',
      ],
      [
        'a removed order group stays for ever',
        'if (group.removedSeq === 0 || group.orders.size > 0) return',
        'if (group.removedSeq >= 0) return',
      ],
    ],
  },
  {
    file: 'engine/core/decide/order-groups.ts',
    tests: GROUPS,
    changes: [
      [
        "an order joins another's order group",
        'group?.profileId === profileId && group.removedSeq === 0',
        'group?.removedSeq === 0',
      ],
      [
        'a closed order group takes orders',
        'group.closedSeq === 0 ? null : REJECT.ORDER_GROUP_CLOSED',
        'null',
      ],
      [
        'an order group takes an order too many',
        'group.orders.size - leaving < most',
        'group.orders.size - leaving <= most',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/due-cancels.ts',
    tests: GROUPS,
    changes: [
      [
        'an order group cancels the order that filled first',
        "if ('group' in cause && cause.keptSeq === seq) return false",
        '',
      ],
      [
        'a bound order of an order group loses its cancel',
        'const due = [...this.#due, ...this.#waiting].find(',
        'const due = this.#waiting.find(',
      ],
      [
        'a bound order that ended leaves its cancel to the next',
        'for (const { bound } of this.#due) bound.delete(slot)',
        '',
      ],
      ['a full order group fits one command', 'names.length < cancelItemsMax', 'names.length > 0'],
    ],
  },
  {
    file: 'engine/core/markets/heartbeats.ts',
    tests: [
      'test/server/api/orders/heartbeat-changes.test.ts',
      'test/server/api/orders/heartbeats.test.ts',
    ],
    changes: [
      ['a fired heartbeat stays armed', 'firedSeq: seq }', 'firedSeq: 0 }'],
      ['a disarmed heartbeat stays armed', 'this.#byProfile.delete(command.profileId)\n', '\n'],
    ],
  },
  {
    file: 'server/exchange/sequencer/releases.ts',
    tests: [HELD],
    changes: [
      ['held orders enter while takers may not', '|| !mayRelease(this.#clearing, nowMs)', ''],
      [
        'held orders are forgotten by a restart',
        'if (orders.stateOf(slot) === STATE.HELD) this.held(slot)',
        '',
      ],
      [
        'an order is released a millisecond late',
        'while (this.#deadlines.nextMs <= nowMs)',
        'while (this.#deadlines.nextMs < nowMs)',
      ],
      [
        'an order that was canceled keeps its release',
        'if (this.#deadlines.count > 0) this.#deadlines.remove(slot)',
        '',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/user-cancels.ts',
    tests: [HELD],
    changes: [
      ['a cancel does not report which orders are entering', 'releasing.push(...entering)\n', '\n'],
    ],
  },
  {
    file: 'server/exchange/sequencer/due-cancels.ts',
    tests: [
      'test/server/api/orders/heartbeat-changes.test.ts',
      'test/server/api/wide.test.ts',
      'test/server/exchange/publisher/time-slices.test.ts',
    ],
    changes: [
      [
        'a heartbeat cancels in one row only',
        'row = rows.nextOf(row)) {\n        const',
        'row = 0) {\n        const',
      ],
      ['a heartbeat cancels orders that came after it', ' || seq >= cause.beforeSeq', ''],
      [
        'a slice of cancels has no end',
        "return isOver() ? 'out of time' : 'complete'",
        "return 'complete'",
      ],
      [
        'a market whose cancels are not stamped takes orders',
        'return this.#due.some(',
        'return this.#due.every(',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: ['test/server/exchange/publisher/time-slices.test.ts'],
    changes: [
      [
        'orders of a closed market do not wait for the tables',
        '!takesOrders(market.status) && this.#burst.isFull',
        'false',
      ],
      [
        'orders of a frozen profile wait for the tables',
        '!takesOrders(market.status) && this.#burst.isFull',
        'this.#burst.isFull',
      ],
      [
        'an order comes before a due heartbeat',
        'this.heartbeats.nextMs <= nowMs || this.#expiries.nextMsOf(book) <= nowMs) return true',
        'this.#expiries.nextMsOf(book) <= nowMs) return true',
      ],
      [
        'an order comes before a due expiration',
        'this.#expiries.nextMsOf(book) <= nowMs) return true',
        'false) return true',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/heartbeat-deadlines.ts',
    tests: ['test/server/api/orders/heartbeat-changes.test.ts'],
    changes: [
      ['a fired heartbeat is never over', 'this.#canceling.delete(profileId)\n', '\n'],
      [
        'a profile may renew while its orders are canceled',
        'this.#canceling.add(profileId)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/api/orders/services.ts',
    tests: ['test/server/api/orders/cancel-replace.test.ts'],
    changes: [
      [
        'a replacement comes whatever became of the cancel',
        "isCanceled || mode === 'ALLOW_FAILURE'",
        'true',
      ],
      [
        'a replacement never comes when the cancel failed',
        "isCanceled || mode === 'ALLOW_FAILURE'",
        'isCanceled',
      ],
    ],
  },
  {
    file: 'server/edge/intake/order/order-batch.ts',
    tests: ['test/server/api/orders/cancel-replace.test.ts'],
    changes: [
      [
        'a profile id that no order takes is met behind the cancel',
        'cancel.\n    onBehalfOf: onBehalfOf(),',
        "cancel.\n    onBehalfOf: optional(schemaOf<number>({ type: 'integer' })),",
      ],
    ],
  },
  {
    file: 'engine/core/money/reversal.ts',
    tests: [`${CORE}/money/reversal.test.ts`],
    changes: [
      ['a reversal keeps the fee', 'if (feeRaw > 0) {', 'if (feeRaw < 0) {'],
      [
        'a maker of the other outcome gets the price',
        'makerLegRaw(valueRaw, sharesRaw, sameOutcome)',
        'makerLegRaw(valueRaw, sharesRaw, true)',
      ],
      ['pairs stay made', 'if (!sameOutcome) conditionRaw +=', 'if (sameOutcome) conditionRaw +='],
    ],
  },
  {
    file: 'engine/core/moves/conditions.ts',
    tests: [`${CORE}/moves/conditions.test.ts`, `${CORE}/money/reversal.test.ts`],
    changes: [
      [
        'fees that are owed are a credit',
        'if (paidRaw < 0) ledger',
        'if (paidRaw < 0 && !isSystemAccount(accountId)) ledger',
      ],
      ['a debt is collected as a payment', 'accountId, -paidRaw)', 'accountId, paidRaw)'],
    ],
  },
  {
    file: 'engine/core/money/blocks.ts',
    tests: [`${CORE}/money/blocks.test.ts`],
    changes: [
      [
        'a block leaves a gap',
        'command.height === this.height + 1',
        'command.height > this.height',
      ],
      [
        'a trade is reversed twice',
        'tradeSeq > this.throughSeq && !this.#failed.has(tradeSeq)',
        'tradeSeq > this.throughSeq',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/account-queues.ts',
    tests: HOLDS,
    changes: [
      ['a queue has no bound', 'queue.length >= LIMITS.accountQueueMax', 'queue.length < 0'],
      ['the newest of a queue runs first', 'queue.shift()', 'queue.pop()'],
      [
        'the next in a queue runs before a cancel is sent',
        "if (next.then === 'at once')",
        "if (next.then !== 'at its end')",
      ],
      [
        'an account stays busy after a cancel in its queue',
        'setImmediate(() => this.end(accountId))',
        'setImmediate(() => accountId)',
      ],
      [
        'two replacements of one account run at once',
        'if (this.isBusy(accountId)) {',
        'if (this.isBusy(-accountId)) {',
      ],
    ],
  },
  {
    file: 'server/api/orders/services.ts',
    tests: [...HOLDS, 'test/server/api/orders/delegation.test.ts'],
    changes: [
      [
        'an order that could not be canceled is replaced',
        "mode === 'ALLOW_FAILURE'",
        'mode.length > 0',
      ],
      [
        'an account stays busy after a replacement that is not tried',
        'replacement = Promise.resolve(null)\n        queues.end(profileId)',
        'replacement = Promise.resolve(null)',
      ],
      [
        'a caller that may not act for an account cancels its orders',
        'if (forbidden !== null) return',
        'if (forbidden === undefined) return',
      ],
      [
        'the rate limit counts only the first operation',
        'if (refusal === null) legs',
        'if (refusal === null || legs.length > 0) legs',
      ],
      [
        'operations that wait are not counted',
        'orders.reserve(operations.length)',
        'orders.reserve(0)',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/order-entry.ts',
    tests: [...HOLDS, 'test/server/exchange/order-entry/kept-orders.test.ts'],
    changes: [
      [
        'a waiting order shares its bytes with the next order',
        'new Uint8Array(arrival.record)',
        'arrival.record',
      ],
      [
        'an order of a busy account goes ahead',
        'if (queues.count === 0 ||',
        'if (queues.count >= 0 ||',
      ],
    ],
  },
  {
    file: 'server/api/orders/cancels.ts',
    tests: HOLDS,
    changes: [
      [
        'a cancel of a busy account goes ahead',
        'const waits = profileId !== null && queues.count > 0',
        'const waits = profileId !== null && queues.count < 0',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/order-batches.ts',
    tests: ['test/server/api/orders/order-batch.test.ts'],
    changes: [
      [
        'a group is answered together with its first order',
        'if (open === 0) reply',
        'if (open < count) reply',
      ],
      ['a group may exceed the bound on orders', 'hasCapacity(ordersMax)', 'hasCapacity(0)'],
      [
        'orders of a group count as under way for ever',
        'this.#orders.reserve(-this.#requested.take(requestId).ordersMax)',
        'this.#requested.take(requestId)',
      ],
    ],
  },
  {
    file: 'server/edge/intake/intake.ts',
    tests: [
      'test/server/api/orders/delegation.test.ts',
      'test/server/api/accounts/partners.test.ts',
    ],
    changes: [
      [
        'a token without the scope acts for others',
        "!token.scopes.includes('delegated_signing')",
        'token.scopes.length === 0',
      ],
      [
        'any token with the scope acts for any sub-account',
        'profile !== undefined && profile.partnerId === token.profileId',
        'profile !== undefined',
      ],
      [
        'a server wallet trades where it approved nothing',
        '!actor.approved.includes(market.exchangeAddress)',
        'actor.approved.length < 0',
      ],
    ],
  },
  {
    file: 'server/auth/hmac-signature.ts',
    tests: ['test/server/auth/missing-proof.test.ts'],
    changes: [
      [
        'a refused HMAC shows another digest of the body',
        "createHash('sha256').update(call.body).digest('hex')",
        "createHmac('sha256', '').update(call.body).digest('hex')",
      ],
    ],
  },
  {
    file: 'server/messages/refusal.ts',
    tests: ['test/server/edge/http/refused-fields.test.ts'],
    changes: [
      ['an issue of the whole body names no field', "field === '' ? WHOLE : field", 'field'],
    ],
  },
  {
    file: 'server/edge/intake/order/order-flaw.ts',
    tests: ['test/server/edge/intake/order/refused-signature.test.ts'],
    changes: [
      [
        'wrong signatures are explained without a bound',
        '++this.#explained <= EXPLAINED_PER_SEC',
        'this.#explained <= EXPLAINED_PER_SEC',
      ],
      [
        'a maker with another owner id is notified of its maker',
        'if (ownerId !== actor.profileId) {',
        'if (ownerId === 0) {',
      ],
    ],
  },
  {
    file: 'engine/domain/reject-precedence.ts',
    tests: ['test/engine/core/decide/gates.test.ts'],
    changes: [
      [
        'a short balance has its numbers the wrong way round',
        '{ availableRaw, requiredRaw })',
        '{ availableRaw: requiredRaw, requiredRaw: availableRaw })',
      ],
    ],
  },
  {
    file: 'server/edge/intake/order/order-signature.ts',
    tests: ['test/server/api/orders/delegation.test.ts'],
    changes: [
      [
        'a server wallet signs no fee',
        'market.feeEnabled ? feeBps : 0',
        'market.feeEnabled ? 0 : 0',
      ],
    ],
  },
  {
    file: 'server/api/accounts/accounts.ts',
    tests: ['test/server/api/accounts/partners.test.ts'],
    changes: [
      [
        'approvals may be retried at any time',
        'if (waitMs > 0) return refused',
        'if (waitMs < 0) return refused',
      ],
      [
        'two retries of approvals run at once',
        'submitted.length ?? 0) > 0',
        'submitted.length ?? 0) > 99',
      ],
    ],
  },
]
