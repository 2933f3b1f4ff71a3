import type { FileChanges } from './mutation.ts'

// The book: price, time, sizes, self-trade prevention, order types.

const CORE = 'test/engine/core'
const FILLS = [
  `${CORE}/money/worked-fills.test.ts`,
  `${CORE}/book/self-trade.test.ts`,
  `${CORE}/reference-model.test.ts`,
  `${CORE}/book/events.test.ts`,
  'test/golden/golden.test.ts',
]
const LEVELS = [`${CORE}/book/ladder.test.ts`, 'test/bench/published-cases.test.ts', ...FILLS]

export const BOOK_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/book/book.ts',
    tests: FILLS,
    changes: [
      [
        'a bid takes one tick past its limit',
        'ticks > worstTicks : ticks < worstTicks) return\n',
        'ticks > worstTicks + 1 : ticks < worstTicks) return\n',
      ],
      [
        'an ask takes one tick past its limit',
        'ticks > worstTicks : ticks < worstTicks) return\n',
        'ticks > worstTicks : ticks < worstTicks - 1) return\n',
      ],
      [
        'a bid does not cross an ask at its price',
        'bestAskOf[book] <= ticks',
        'bestAskOf[book] < ticks',
      ],
      [
        'an ask does not cross a bid at its price',
        'bestBidOf[book] >= ticks',
        'bestBidOf[book] > ticks',
      ],
      [
        'a maker filled in part goes to the end of its queue',
        'leftOf[slot] = leftRaw\n  emit(FILL_OPEN',
        'unlink(slot)\n  link(slot, arrival.book, ticks, !arrival.isBid)\n' +
          '  leftOf[slot] = leftRaw\n  emit(FILL_OPEN',
      ],
      [
        'a maker left with less than a step stays in the book',
        'if (leftRaw < STEP_RAW) {\n    unlink',
        'if (leftRaw === 0) {\n    unlink',
      ],
      [
        'a cancel ignores the generation',
        'leftRaw !== 0 && generationOf[slot] === generation',
        'leftRaw !== 0',
      ],
      [
        'a market buy pays for a fill rounded down',
        'arrival.wantRaw -= arrival.bySpend ? costCeilRaw(ownTicks, fillRaw)',
        'arrival.wantRaw -= arrival.bySpend ? Math.floor((ownTicks * fillRaw) / 1000)',
      ],
      [
        'the probe of a market buy rounds down',
        '  wantRaw -= arrival.bySpend ? costCeilRaw(ownTicks, fillRaw)',
        '  wantRaw -= arrival.bySpend ? Math.floor((ownTicks * fillRaw) / 1000)',
      ],
      [
        'a market buy of NO spends at the YES price',
        'NO_ASK - ticks\n  let slot = headOf[level]',
        'ticks\n  let slot = headOf[level]',
      ],
      [
        'cancel_both goes on after the own maker',
        'if (arrival.stp !== CANCEL_MAKER) arrival.stopped = true',
        'if (arrival.stp === CANCEL_TAKER) arrival.stopped = true',
      ],
      ['cancel_taker cancels the maker too', 'if (arrival.stp === CANCEL_TAKER) return\n', '\n'],
      [
        'an owner trades with itself',
        'if (ownerOf[slot] === arrival.owner) {',
        'if (ownerOf[slot] < 0) {',
      ],
      [
        'the probe of a FOK counts own orders',
        'if (ownerOf[slot] !== arrival.owner) {',
        'if (ownerOf[slot] >= 0) {',
      ],
      [
        'the probe of a FOK under cancel_taker skips own orders',
        '} else if (arrival.stp !== CANCEL_MAKER) {',
        '} else if (arrival.stp === CANCEL_BOTH) {',
      ],
      [
        'the probe of a FOK looks past its limit',
        'ticks > worstTicks : ticks < worstTicks) return false',
        'ticks > worstTicks + 9 : ticks < worstTicks - 9) return false',
      ],
      [
        'a limit order takes the odd part of a maker',
        'wholeStepsRaw(makerLeftRaw)',
        'makerLeftRaw',
      ],
      [
        'a cancel does not report the size that was left',
        'TICKS_MASK, slot, byRaw, leftRaw)\n}\n\n/** Takes',
        'TICKS_MASK, slot, byRaw, 0)\n}\n\n/** Takes',
      ],
      [
        'a self-trade cancel does not report the size that was left',
        'emit(STP_CANCEL, ticks, slot, 0, leftRaw)',
        'emit(STP_CANCEL, ticks, slot, 0, 0)',
      ],
    ],
  },
  {
    file: 'engine/core/book/market.ts',
    tests: FILLS,
    changes: [
      [
        'a FOK fills in part',
        'policy.whole && !canFillWhole()',
        '!policy.whole && !canFillWhole()',
      ],
      ['the remainder of a FAK rests', 'if (!policy.rests) return KILLED\n', '\n'],
      [
        'a post-only order meets makers',
        'order.postOnly ? WOULD_CROSS : placeTaking(order)',
        'placeTaking(order)',
      ],
      [
        'a market sell leaves the odd part of its size',
        'arrival.aligned = !order.marketForm',
        'arrival.aligned = order.marketForm || !order.marketForm',
      ],
      ['a market buy stops before 0.999', 'NO_ASK - 1 : 1', 'NO_ASK - 2 : 1'],
      ['a market sell stops before 0.001', 'NO_ASK - 1 : 1', 'NO_ASK - 1 : 2'],
      [
        'a NO order uses its own price on the YES ladder',
        'else arrival.worstTicks = ladderTicks(order.outcome, order.priceTicks)',
        'else arrival.worstTicks = order.priceTicks',
      ],
      [
        'an arrival that met its own maker rests',
        'if (arrival.stopped) return STP_STOPPED\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/book/ladder.ts',
    tests: LEVELS,
    changes: [
      [
        'the best bid is not updated when its level empties',
        'bestBidOf[book] = occupiedUpTo(book, ticks)',
        'bestBidOf[book] = occupiedUpTo(book, ticks - 2)',
      ],
      [
        'the best ask is not updated when its level empties',
        'bestAskOf[book] = occupiedFrom(book, ticks)',
        'bestAskOf[book] = occupiedFrom(book, ticks + 2)',
      ],
      ['a worse bid becomes the best', 'if (ticks > bestBidOf[book]) bestBidOf', 'bestBidOf'],
      [
        'a word without levels stays in the summary',
        'if (bitmap[index] === 0) {',
        'if (bitmap[index] === -1) {',
      ],
      [
        'the newest order of a level loses its link to the order before it',
        'previousOf[slot] = tail\n',
        'previousOf[slot] = 0\n',
      ],
      [
        'a level loses its tail when its newest order leaves',
        'tailOf[level] = previous\n',
        'tailOf[level] = 0\n',
      ],
      [
        'a search downwards in a wide book ends within its summary word',
        'if (--at < 0) return NO_WORD',
        'if (--at < 32) return NO_WORD',
      ],
      [
        'a search upwards in a wide book ends within its summary word',
        'if (++at >= SUMMARY_WORDS) return NO_WORD',
        'if (++at >= 1) return NO_WORD',
      ],
      [
        'the downward search misses the top tick of a word',
        'bit === 31 ? -1 :',
        'bit === 31 ? 0x7fffffff :',
      ],
    ],
  },
  {
    file: 'engine/core/book/event-buffer.ts',
    tests: FILLS,
    changes: [
      ['a full event buffer is not flushed', 'if (nextEvent[0] === END) flushEvents()\n', '\n'],
      ['a resting ask is published as a bid', 'takerIsBid ? 1 : 0', 'takerIsBid ? 1 : 1'],
    ],
  },
]
