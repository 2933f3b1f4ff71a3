import type { FileChanges } from './mutation.ts'

// Money, shares, fees.

const CORE = 'test/engine/core'
const GOLDEN = 'test/golden/golden.test.ts'
const MONEY = [
  `${CORE}/money/arithmetic.test.ts`,
  `${CORE}/money/worked-fills.test.ts`,
  `${CORE}/reference-model.test.ts`,
  `${CORE}/replay.test.ts`,
  GOLDEN,
]

export const LEDGER_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/money/taker-fee.ts',
    tests: MONEY,
    changes: [
      [
        'the fee of a sell is rounded up',
        'return mulDivFloor(feeBps, smallerRaw, BPS_ONE)',
        'return Math.ceil((feeBps * smallerRaw) / BPS)',
      ],
      [
        'the fee of a buy is rounded up',
        'return mulDivFloor(feeBps, sharesRaw, BPS_ONE)',
        'return Math.ceil((feeBps * sharesRaw) / BPS)',
      ],
      [
        'the fee of a buy above one half is rounded down twice',
        'mulDivFloor(scaled, sharesRaw, collateralRaw) / BPS_ONE',
        'mulDivFloor(Math.floor(scaled / BPS), sharesRaw, collateralRaw)',
      ],
      [
        'the fee of a sell is on its whole value',
        '  sharesRaw: number,\n): number {\n' +
          '  const smallerRaw = Math.min(collateralRaw, sharesRaw - collateralRaw)',
        '  sharesRaw: number,\n): number {\n' +
          '  const smallerRaw = Math.min(collateralRaw, sharesRaw)',
      ],
    ],
  },
  {
    file: 'engine/core/money/fill-money.ts',
    tests: MONEY,
    changes: [
      [
        'a buyer pays rounded down',
        'buys ? costCeilRaw(ownTicks, sharesRaw)',
        'buys ? costFloorRaw(ownTicks, sharesRaw)',
      ],
      [
        'a seller is paid rounded up',
        ': costFloorRaw(ownTicks, sharesRaw)\n',
        ': costCeilRaw(ownTicks, sharesRaw)\n',
      ],
      [
        'a maker that sells pays a fee',
        'ledger.creditCollateral(account, fill.collateralRaw)',
        'const feeRaw = Math.floor((orders.feeBpsOf(maker) * fill.collateralRaw) / 10_000)\n' +
          '    ledger.creditCollateral(account, fill.collateralRaw - feeRaw)\n' +
          '    ledger.creditCollateral(FEE_ACCOUNT, feeRaw)',
      ],
      [
        'both sides of a mint pay the price of the taker',
        'sameOutcome ? takerRaw : sharesRaw - takerRaw',
        'sameOutcome ? takerRaw : takerRaw',
      ],
      [
        'a merge adds to the condition',
        'buys ? sharesRaw : -sharesRaw',
        'buys ? sharesRaw : sharesRaw',
      ],
      ['a NO taker pays the YES price', 'ladderTicks(outcome, yesTicks)', 'yesTicks'],
      [
        'a taker that got a better price keeps the difference reserved',
        ': reserveOfLeft(orders, taker, leftRaw)',
        ': orders.reservedRawOf(taker) - fill.collateralRaw',
      ],
      [
        'an ended order gets a raw unit too little back',
        'spendReserve(orders.accountOf(slot), freedRaw, 0)',
        'spendReserve(orders.accountOf(slot), freedRaw, 1)',
      ],
      [
        'an ended order gets back twice its reserve',
        'orders.outcomeOf(slot), freedRaw, 0)',
        'orders.outcomeOf(slot), freedRaw, -freedRaw)',
      ],
      [
        'a buyer gets its fee back',
        'creditShares(orders.rowOf(taker), outcome, sharesRaw - feeRaw)',
        'creditShares(orders.rowOf(taker), outcome, sharesRaw)',
      ],
      ['nobody gets the fee of a sell', 'ledger.creditSystem(FEES, feeRaw)\n', '\n'],
      [
        'a taker earns a raw unit with each fill',
        'orders.addFilled(taker, fill.sharesRaw, fill.collateralRaw)\n',
        'orders.addFilled(taker, fill.sharesRaw, fill.collateralRaw)\n' +
          '  ledger.creditCollateral(orders.accountOf(taker), 1)\n',
      ],
    ],
  },
  {
    file: 'engine/domain/units.ts',
    tests: [`${CORE}/money/arithmetic.test.ts`],
    changes: [
      [
        'a cost rounded up is rounded down',
        'Math.ceil((priceTicks * oddRaw)',
        'Math.floor((priceTicks * oddRaw)',
      ],
      [
        'a quotient of large factors is an estimate',
        'quotient += Math.floor(rest / divisor)\n',
        '\n',
      ],
      [
        'a spend buys a share more than it pays for',
        'Math.floor((restRaw * PRICE_ONE_TICKS) / priceTicks)',
        'Math.ceil((restRaw * PRICE_ONE_TICKS) / priceTicks)',
      ],
    ],
  },
  {
    file: 'engine/core/money/ledger.ts',
    tests: [`${CORE}/money/ledger.test.ts`, ...MONEY],
    changes: [
      [
        'a reserve may exceed the free collateral',
        "reserveRaw,\n      'a reserve is covered by free collateral'",
        "reserveRaw - 1,\n      'a reserve is covered by free collateral'",
      ],
      [
        'a share reserve may exceed the free shares',
        "reserveRaw, 'a reserve is covered by free shares'",
        "reserveRaw - 1, 'a reserve is covered by free shares'",
      ],
      [
        'reserved collateral may leave',
        "amountRaw, 'only free collateral is withdrawn'",
        "0, 'only free collateral is withdrawn'",
      ],
      [
        'a fill may cost more than it reserved',
        "paidRaw <= amountRaw, 'a fill never",
        "paidRaw <= amountRaw + 1, 'a fill never",
      ],
      [
        'an order may get back more shares than it reserved',
        "amountRaw,\n      'a release never exceeds its reserve'",
        "0,\n      'a release never exceeds its reserve'",
      ],
      [
        'shares may leave that were not reserved',
        "amountRaw, 'reserved shares cover a delivery'",
        "0, 'reserved shares cover a delivery'",
      ],
      [
        'a credit may lower a balance',
        "assert(amountRaw >= 0, 'a credit never lowers a balance')\n    this.collateralFreeRaw",
        'this.collateralFreeRaw',
      ],
      [
        'funds may exceed the largest exact number',
        'Number.isSafeInteger(this.fundedRaw)',
        'this.fundedRaw > 0',
      ],
      ['a condition may owe', 'market.conditionRaw >= -market.shortRaw,', 'market.marketId >= 0,'],
      ['a withdrawal is not counted', 'this.fundedRaw -= amountRaw\n', '\n'],
    ],
  },
  {
    file: 'engine/core/money/unmined.ts',
    tests: [`${CORE}/money/unmined.test.ts`],
    changes: [
      ['proceeds leave before their block', 'this.#sumRaw[profileId] += raw', ''],
      ['a block frees proceeds that came after it', 'seq > blocks.throughSeq', 'seq < 0'],
      ['a block frees proceeds of trades set aside', 'blocks.isAside(seq)', 'seq < 0'],
      [
        'a trade that is mined late holds its proceeds back',
        'this.#aside.get(tradeSeq) ?? []',
        '[]',
      ],
    ],
  },
  {
    file: 'engine/core/decide/funds.ts',
    tests: [`${CORE}/money/unmined.test.ts`, `${CORE}/decide/accounts.test.ts`],
    changes: [
      ['a debit takes reserved collateral', 'freeRaw < collateralRaw', 'freeRaw < 0'],
      ['shares below zero hold nothing back', ' + owedSharesRaw(clearing, profileId)\n', '\n'],
    ],
  },
  {
    file: 'engine/core/money/position-rows.ts',
    tests: [`${CORE}/money/position-rows.test.ts`, ...MONEY],
    changes: [
      ['two markets share a position', ' && this.#marketOf[row] === marketId', ''],
      ['a row that is given back leaves a gap in its chain', 'gap = next\n    }', 'break\n    }'],
      [
        'a row moves before its home cell',
        'if (((next - home) & mask) < ((next - gap) & mask)) continue',
        'if (home === next) continue',
      ],
      ['a row that was given back is never used again', 'this.#free = row\n  }', '  }'],
      [
        'a snapshot forgets the free rows',
        'this.#accountOf[row] = this.#free\n        this.#free = row',
        'this.#accountOf[row] = 0',
      ],
    ],
  },
  {
    file: 'engine/core/clearing.ts',
    tests: [
      `${CORE}/money/ledger.test.ts`,
      `${CORE}/decide/gates.test.ts`,
      `${CORE}/book/self-trade.test.ts`,
      `${CORE}/reference-model.test.ts`,
      GOLDEN,
    ],
    changes: [
      ['time may go back', 'nowMs >= this.lastNowMs,', 'nowMs > 0,'],
      ['a command may be left out', 'seq === this.lastSeq + 1,', 'seq > this.lastSeq,'],
      [
        'rules of a later version are accepted',
        'command.version <= RULES_VERSION,',
        'command.version > 0,',
      ],
      [
        'a post-only order that crossed keeps its hash',
        'if (result === WOULD_CROSS || result === NOT_PLACED)',
        'if (result === NOT_PLACED)',
      ],
      ['an own maker that was canceled keeps its reserve', 'case STP_CANCEL:\n', '\n'],
      [
        'a maker that is filled stays in the table',
        'if (legs.closed) this.#end(legs.maker, market, true)\n',
        '\n',
      ],
      [
        'the last price is the first',
        'market.lastYesTicks = legs.ticks',
        'market.lastYesTicks ||= legs.ticks',
      ],
      [
        'a sell reserves the shares of the other outcome',
        'this.ledger.reserveShares(row, order)',
        'this.ledger.reserveShares(row, { ...order, outcome: 1 - order.outcome })',
      ],
    ],
  },
]
