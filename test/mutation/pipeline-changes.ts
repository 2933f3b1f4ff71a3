import type { FileChanges } from './mutation.ts'

// Deciding, stamping, publishing: nothing is visible before it is durable, no deadline is late.

const DEADLINES = 'test/simulation/deadlines.test.ts'
const PIPELINE = [
  'test/server/exchange/read-model/publishing.test.ts',
  'test/server/exchange/pipeline.test.ts',
]

const SOCKETS = 'test/server/api/streams'

export const PIPELINE_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/exchange/read-model/order-event-feed.ts',
    tests: ['frame-sequences', 'delayed-sequences', 'settlement'].map((name) => {
      return `${SOCKETS}/${name}.test.ts`
    }),
    changes: [
      ['a maker receives a fee', '      feeBps: 0,\n', '      feeBps: 300,\n'],
      [
        'a FOK that could not fill leaves a frame',
        'if (POLICY_OF_TYPE[order.orderType].whole && result !== FILLED) return',
        '',
      ],
      [
        'the spend of a held market buy is reported as its size',
        'buysBySpend(slot) ? 0 : leftRaw',
        'buysBySpend(slot) ? leftRaw : leftRaw',
      ],
      [
        'a closed maker shows a remaining size',
        'isClosed ? 0 : eventLeftRaw(f64s, event)',
        'eventLeftRaw(f64s, event)',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: ['test/server/exchange/order-entry/taker-delay.test.ts'],
    changes: [
      [
        'a heartbeat is over before its cancels are stamped',
        'profileIds.filter((profileId) => live.of(profileId) === 0)',
        '[...profileIds]',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: [DEADLINES, ...PIPELINE],
    changes: [
      [
        'time goes back over a restart',
        'this.#clock.nowMs(), this.#clearing.lastNowMs, this.#dueMs',
        'this.#clock.nowMs(), this.#dueMs',
      ],
      [
        'a deadline without space in the journal is stamped early when the clock steps back',
        'this.#clearing.lastNowMs, this.#dueMs)',
        'this.#clearing.lastNowMs)',
      ],
      [
        'a command is stamped before a due deadline',
        'const isEmitted = this.#isCut || this.emitDue(nowMs)',
        'const isEmitted = true',
      ],
      [
        'an expired order lives a millisecond longer',
        'this.#expiries.nextMs <= nowMs) this.#cancelExpired',
        'this.#expiries.nextMs < nowMs) this.#cancelExpired',
      ],
      [
        'a market locks a millisecond late',
        'while (this.#marketDeadlines.nextMs <= nowMs)',
        'while (this.#marketDeadlines.nextMs < nowMs)',
      ],
      ['requests take the space of deadlines', 'bytes + LIMITS.ringReserveBytes', 'bytes'],
      [
        'a closed market keeps its orders',
        'if (book !== 0) this.#dueCancels.add({ reason, marketId, beforeSeq: command.seq })',
        '',
      ],
      [
        'a change is reported one command early',
        'this.#over({ seq: this.#clearing.lastSeq, reject })',
        'this.#over({ seq: this.#clearing.lastSeq - 1, reject })',
      ],
      [
        'expiries are forgotten by a restart',
        'this.#expiries.add(orders.bookOf(slot), slot, expiresAtMs',
        'String(expiresAtMs',
      ],
      [
        'deadlines of markets are forgotten by a restart',
        'if (deadlineMs !== null) this.#marketDeadlines.add(book, deadlineMs)\n        continue',
        'continue',
      ],
      [
        'every cancel has the reason USER',
        'command.reason = CANCEL_REASONS.indexOf(reason)',
        'command.reason = 0',
      ],
      [
        'an order reaches its market but not the journal',
        '    this.#journal.append(order.seq, stamped)\n',
        '\n',
      ],
      [
        'an order that ended keeps its expiry',
        'this.#expiries.remove(this.#clearing.orders.bookOf(slot), slot)',
        'this.#expiries.count',
      ],
    ],
  },
  {
    file: 'server/exchange/publisher/durable-publisher.ts',
    tests: PIPELINE,
    changes: [
      [
        'a reply is given one seq before it is durable',
        'if (seq <= this.durableSeq &&',
        'if (seq <= this.durableSeq + 1 &&',
      ],
      [
        'waiting replies are given one seq early',
        'queue[this.#durableHead].seq <= this.durableSeq',
        'queue[this.#durableHead].seq <= this.durableSeq + 1',
      ],
      [
        'a published frame does not move the depth',
        '    this.#published.publish(words, f64s, at, count)\n',
        '',
      ],
      [
        'a receipt belongs to the next command',
        'const seq = eventSeq(f64s, last)\n    if (!this.#receipts',
        'const seq = eventSeq(f64s, last) + 1\n    if (!this.#receipts',
      ],
      ['a receipt leaves out the fee', 'this.#clearing.lastFeeRaw,\n        )', '0,\n        )'],
    ],
  },
  {
    file: 'server/exchange/publisher/receipts.ts',
    tests: ['test/server/exchange/publisher/receipts.test.ts'],
    changes: [
      ['a receipt keeps the lists of the command before', 'columns.lists[cell] = null\n', '\n'],
      ['a receipt keeps what the command before traded', 'columns.filledSharesRaw[cell] = 0', ''],
      [
        'columns that grew forget their lists',
        'this.lists[at] = from.lists[cell]',
        'this.lists[at] = null',
      ],
      [
        'columns that grew forget the request of an order',
        'this.requestId[at] = from.requestId[cell]',
        'this.requestId[at] = 0',
      ],
      [
        'a reply names one maker too many',
        'makers.length < replyOrdersMax',
        'makers.length <= replyOrdersMax',
      ],
    ],
  },
  {
    file: 'server/exchange/pipeline.ts',
    tests: PIPELINE,
    changes: [
      [
        'frames are released before they are durable',
        'shard.publishThrough(durableSeq, LIMITS',
        'shard.publishThrough(this.clearing.lastSeq, LIMITS',
      ],
      [
        'a change is published before it is durable',
        '    await this.durable(seq)\n    return reject',
        '    return reject',
      ],
      [
        'a refusal is published before the state that caused it is durable',
        '    await this.durable()\n    return reject',
        '    return reject',
      ],
    ],
  },
  {
    file: 'engine/shard/shard-handle.ts',
    tests: PIPELINE,
    changes: [
      [
        'a frame is released one seq early',
        'if (this.#frameSeq[cell] > durableSeq) break',
        'if (this.#frameSeq[cell] > durableSeq + 1) break',
      ],
    ],
  },
  {
    file: 'engine/shard/market-thread.ts',
    tests: PIPELINE,
    changes: [
      [
        'a book that is handed over loses its sides',
        'isBid: field(4) === 1,',
        'isBid: field(4) === 0,',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/record-publisher.ts',
    tests: PIPELINE,
    changes: [
      [
        'a maker closed with a remainder leaves it in the depth',
        'sizeRaw + leftRaw, code === MAKER.CLOSED ? 0 : leftRaw)',
        'sizeRaw + leftRaw, leftRaw)',
      ],
      [
        'the volume of a buy is rounded down',
        '(sells ? costFloorRaw : costCeilRaw)',
        '(sells ? costFloorRaw : costFloorRaw)',
      ],
      [
        "the last price is the price of the taker's token",
        'published.lastYesTicks = ticks',
        'published.lastYesTicks = ownTicks',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/published.ts',
    tests: PIPELINE,
    changes: [
      ['an old book is sent again', '    published.bookBytes = null\n', '\n'],
      ['an old mark values shares', '    published.mark = null\n', '\n'],
      ['a market publishes one batch of changes only', '      published.isReported = true\n', ''],
    ],
  },
  {
    file: 'server/exchange/read-model/book-views.ts',
    tests: ['test/server/exchange/read-model/book-views.test.ts'],
    changes: [
      [
        'zeros inside of a large size are lost',
        'value - billions * BILLION, 9,',
        'value - billions * BILLION, 1,',
      ],
      ['a list of levels ends with a comma', 'at === from ? at : at - 1', 'at'],
      ['bids stand worst first', 'isBid ? ONE - step : step', 'step'],
    ],
  },
  {
    file: 'server/exchange/read-model/depth.ts',
    tests: PIPELINE,
    changes: [
      ['a level forgets its side', 'this.#isBid[ticks] = isBid ? 1 : 0', 'this.#isBid[ticks] = 1'],
      [
        'an order that shrank still counts as large',
        'afterRaw < this.#minSizeRaw) this',
        'afterRaw < 0) this',
      ],
    ],
  },
  {
    file: 'server/api/orders/cancels.ts',
    tests: ['test/hostile/cancels.test.ts'],
    changes: [
      [
        'an order that the tables do not show yet counts as gone',
        'isUnreported(each) || this',
        'this',
      ],
      [
        'a cancel of an ended order does not give its id',
        'reject, orderId: this.#pipeline.ids.text(row.slot, row.generation)',
        'reject',
      ],
      [
        'an order of another account is reported as ended',
        'row.accountId === profileId',
        'row !== null',
      ],
    ],
  },
  {
    file: 'server/api/orders/services.ts',
    tests: ['test/server/api/orders/self-trade.test.ts'],
    changes: [
      ['a stopped order gives no reason', 'isStopped ? { reason', '!isStopped ? { reason'],
      [
        'own makers that were canceled are not reported',
        'canceled.length === 0',
        'canceled.length >= 0',
      ],
    ],
  },
  {
    file: 'server/auth/on-behalf.ts',
    tests: ['test/server/api/orders/on-behalf.test.ts'],
    changes: [
      [
        'header and body may differ',
        'inHeader === 0 || inHeader ===',
        'inHeader >= 0 || inHeader ===',
      ],
      ['a header that names nobody is ignored', 'Number.isNaN(inHeader)', 'inHeader === -1'],
    ],
  },
  {
    file: 'server/exchange/read-model/order-ids.ts',
    tests: ['test/server/exchange/read-model/order-ids.test.ts'],
    changes: [['a generation is not masked', 'generation ^ mask.low)', 'generation ^ 0)']],
  },
  {
    file: 'server/exchange/order-entry/order-reply.ts',
    tests: ['test/server/exchange/order-entry/order-reply.test.ts'],
    changes: [
      [
        'an order whose block failed is reported as matched',
        "'FAILED' ? 'CANCELED'",
        "'FAILED' ? 'MATCHED'",
      ],
    ],
  },
  {
    file: 'server/exchange/settlement/mining.ts',
    tests: ['test/server/exchange/settlement/mining.test.ts'],
    changes: [
      [
        'a trade stops waiting before its block is durable',
        'asideCount + this.#ending',
        'asideCount',
      ],
    ],
  },
  {
    file: 'server/exchange/settlement/mining.ts',
    tests: ['test/server/api/orders/approvals.test.ts'],
    changes: [
      [
        'an approval that must be retried is confirmed',
        "      if (setback === 'RETRYING') return false\n",
        '',
      ],
      [
        'an approval that failed is confirmed',
        'const isConfirmed = setback === null',
        'const isConfirmed = true',
      ],
    ],
  },
  {
    file: 'server/api/accounts/accounts.ts',
    tests: ['test/server/api/accounts/partners.test.ts'],
    changes: [
      [
        "a partner finds another's accounts by their address",
        'accounts.partners.byId(profileId)?.partnerId === partnerId',
        'accounts.partners.byId(profileId) !== undefined',
      ],
    ],
  },
  {
    file: 'server/start/wiring.ts',
    tests: ['test/server/api/unreported.test.ts'],
    changes: [
      [
        'the end of a proof is published before it is durable',
        'ENDED.has(proof.name) ?',
        '!ENDED.has(proof.name) ?',
      ],
    ],
  },
]
