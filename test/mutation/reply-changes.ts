import type { FileChanges } from './mutation.ts'

// What a trader reads in replies: what an order became, the first reply again, and one value for
// one thing.

const KEYS = ['test/server/api/orders/idempotency-key.test.ts']
const RETRIES = ['test/server/api/orders/retries.test.ts']
const CANCELS = ['test/server/api/orders/canceled-fills.test.ts']
const MARKETS = ['test/server/api/markets/markets.test.ts']
const MOVES = ['test/server/api/portfolio/moves.test.ts']
const TAPE = ['test/server/api/streams/market-tape.test.ts']

export const REPLY_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/api/orders/services.ts',
    tests: RETRIES,
    changes: [
      ['a first reply is given for ever', 'ageMs > LIMITS.replayMs', 'ageMs < 0'],
      ['other terms get the first reply', ' || !isAgain) return first', ') return first'],
      ['the first reply shows what is left now', 'order.placedRaw - filledSharesRaw', '0'],
    ],
  },
  {
    file: 'server/exchange/order-entry/known-order.ts',
    tests: KEYS,
    changes: [
      ['a key may come with another body', 'isKeyed === true && first.isOther', 'false'],
      [
        'what refuses orders by now refuses the first reply',
        ' || (replays === true && SINCE.includes(reject))',
        '',
      ],
    ],
  },
  {
    file: 'server/edge/intake/intake.ts',
    tests: KEYS,
    changes: [
      [
        'a key does not name its order',
        "const body = idempotencyKey === '' ? value : { ...value, clientOrderId: idempotencyKey }",
        'const body = value',
      ],
    ],
  },
  {
    file: 'server/edge/intake/order/client-order-id.ts',
    tests: KEYS,
    changes: [
      [
        'an order has two names',
        'const isOther = clientOrderId !== undefined && clientOrderId.trim() !== key.trim()',
        'const isOther = false',
      ],
    ],
  },
  {
    file: 'server/edge/http/route.ts',
    tests: KEYS,
    changes: [['calls with several orders ignore a key', ' ?? keyIssue(call, doc.headers)', '']],
  },
  {
    file: 'server/edge/intake/order/order-body.ts',
    tests: ['test/server/api/orders/expiration.test.ts'],
    changes: [
      [
        'an expiration may be milliseconds',
        'if (sec <= lastSec) return undefined',
        'return undefined',
      ],
    ],
  },
  {
    file: 'server/exchange/publisher/durable-publisher.ts',
    tests: CANCELS,
    changes: [
      [
        'a cancel does not say what was filled',
        `      filledSharesRaw: orders.filledSharesRawOf(slot),
      filledCollateralRaw`,
        `      filledSharesRaw: 0,
      filledCollateralRaw`,
      ],
      [
        'the market forgets that an order was filled',
        'isMatched: orders.wasMatched(slot)',
        'isMatched: false',
      ],
    ],
  },
  {
    file: 'engine/core/decide/cancel.ts',
    tests: CANCELS,
    changes: [
      [
        'the core forgets that an order was filled',
        'if (!orders.wasMatched(slot)) return',
        'if (orders.stateOf(slot) === 0) return',
      ],
      [
        'the core calls an order filled whose fill was taken back',
        'return mayBeUndone(clearing, accountId, orders.marketOf(slot)) ? null : ',
        'return ',
      ],
    ],
  },
  {
    file: 'server/api/orders/cancels.ts',
    tests: CANCELS,
    changes: [
      [
        'a cancel that meets a fill ignores reversals',
        'end === REJECT.ORDER_FILLED && this.#mayBeUndone(profileId)',
        'false',
      ],
    ],
  },
  {
    file: 'server/api/orders/services.ts',
    tests: ['test/server/api/orders/cancel-replace.test.ts'],
    changes: [
      [
        'a cancel-replace cancels first and checks later',
        'if (foreseen !== PASSES) {',
        'if (false) {',
      ],
    ],
  },
  {
    file: 'server/api/markets/services.ts',
    tests: TAPE,
    changes: [
      [
        'the tape shows the price of the last fill',
        '    price: averageYesPrice(fills),',
        '    price: averageYesPrice(fills.slice(-1)),',
      ],
    ],
  },
  {
    file: 'server/api/streams/market/market-topics.ts',
    tests: TAPE,
    changes: [
      [
        'the socket shows the price of the last fill',
        '      price: averageYesPrice(fills),',
        '      price: averageYesPrice(fills.slice(-1)),',
      ],
    ],
  },
  {
    file: 'server/api/portfolio/moves.ts',
    tests: MOVES,
    changes: [
      [
        'a market that left memory was never there to redeem',
        "isGone ? 'NOTHING_TO_REDEEM' : 'MARKET_NOT_FOUND'",
        "'MARKET_NOT_FOUND'",
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/moves.ts',
    tests: MOVES,
    changes: [
      [
        'a second redemption has another code',
        'return REJECT.NOTHING_TO_REDEEM',
        'return REJECT.INSUFFICIENT_SHARES',
      ],
    ],
  },
  {
    file: 'server/api/markets/markets.ts',
    tests: MARKETS,
    changes: [['the next market is always shown', 'query.includeNextMarket === false', 'false']],
  },
  {
    file: 'server/api/markets/markets.ts',
    tests: MARKETS,
    changes: [['a search always shows the next market', '!includeNextMarket)', 'false)']],
  },
  {
    file: 'server/api/orders/orders.ts',
    tests: ['test/server/api/orders/group-orders.test.ts'],
    changes: [
      [
        'the slug of a group stands for no market',
        'return markets.map(({ marketId }) => marketId)',
        'return markets.slice(0, 0).map(({ marketId }) => marketId)',
      ],
    ],
  },
]
