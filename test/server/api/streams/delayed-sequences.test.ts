import { FILLED_3, frameTable, OWN_GONE, type Row } from '../../../support/frame-table.ts'

// Rules §4.3, §5.4: the owner of a held order gets no frame until its release, and then the frames
// of its type. An end before the release is a CANCELLATION.

const DELAY_MS = 60_000
const DELAY = `clock ${DELAY_MS}`

/** Alice's order is in the book, so Bob's order is held. */
const HELD = (words: string) => ['alice m buy no 3 @500', `bob t ${words}`, 't silent']

const DELAYED: readonly Row[] = [
  {
    title: 'a held GTC that fills when it is released',
    story: [...HELD('buy yes 3 @500'), DELAY],
    received: { m: FILLED_3, t: ['MATCHED 3 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'] },
  },
  {
    title: 'a held GTC that fills in part',
    story: [...HELD('buy yes 8 @500'), DELAY],
    received: { m: FILLED_3, t: ['MATCHED 3 @0.5', 'PLACEMENT 5', 'MINED'] },
  },
  {
    title: 'a held GTC rests if its maker is gone, and is then the maker of another held order',
    story: [
      ...HELD('buy yes 8 @500'),
      'alice cancels m',
      DELAY,
      't received 1',
      'carol u buy no 8 @500',
      'u silent',
      DELAY,
    ],
    received: {
      m: ['PLACEMENT 3', 'CANCELLATION 3'],
      t: ['PLACEMENT 8', 'UPDATE 0', 'MATCHED 8 @0.5', 'MINED'],
      u: ['MATCHED 8 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
  {
    title: 'a held FAK that fills in part, across makers of two owners',
    story: [
      'carol n buy no 2 @510',
      ...HELD('buy yes 8 @500 FAK'),
      'bob rests buy yes 1 @100',
      'rests received 1',
      DELAY,
    ],
    received: {
      n: ['PLACEMENT 2', 'UPDATE 0', 'MATCHED 2 @0.51', 'MINED'],
      m: FILLED_3,
      t: ['MATCHED 5 @0.496', 'EXECUTION PARTIALLY_FILLED 3 @0.5', 'MINED'],
      rests: ['PLACEMENT 1'],
    },
  },
  {
    title: 'a held FAK whose maker is gone',
    story: [...HELD('buy yes 8 @500 FAK'), 'alice cancels m', DELAY],
    received: { m: ['PLACEMENT 3', 'CANCELLATION 3'], t: ['EXECUTION KILLED 8 @0.5'] },
  },
  {
    title: 'a held FOK that fills, and one of the market form',
    story: [
      'alice m buy no 3 @500',
      'carol n buy no 5 @500',
      'bob t1 buy yes 3 @500 FOK',
      'bob t2 buy yes spend 1 FOK',
      't1 silent',
      't2 silent',
      DELAY,
    ],
    received: {
      m: FILLED_3,
      n: ['PLACEMENT 5', 'UPDATE 3', 'MATCHED 2 @0.5', 'MINED'],
      t1: ['MATCHED 3 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
      t2: ['MATCHED 2 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
  {
    title: 'a held FOK whose maker is gone',
    story: [...HELD('buy yes 3 @500 FOK'), 'alice cancels m', DELAY],
    received: { m: ['PLACEMENT 3', 'CANCELLATION 3'], t: [] },
  },
  {
    title: 'a held order that meets an own maker when it is released',
    story: [
      'bob own buy no 20 @500',
      'alice m buy no 3 @500',
      'bob t buy yes 9 @500 FAK cancel_both',
      'bob u buy yes 9 @500 FAK',
      't silent',
      DELAY,
    ],
    received: {
      own: OWN_GONE,
      t: ['EXECUTION KILLED 9 @0.5'],
      m: FILLED_3,
      u: ['MATCHED 3 @0.5', 'EXECUTION PARTIALLY_FILLED 6 @0.5', 'MINED'],
    },
  },
  {
    title: 'a held order that is canceled',
    story: [...HELD('buy yes 8 @500'), 'bob cancels t', DELAY],
    received: { m: ['PLACEMENT 3'], t: ['CANCELLATION 8'] },
  },
  {
    title: 'a held order of the market form that is canceled: its spend is not shown as a size',
    story: [...HELD('buy yes spend 1 FOK'), 'bob cancels t', DELAY],
    received: { m: ['PLACEMENT 3'], t: ['CANCELLATION 0'] },
  },
  {
    title: 'a held order that expires',
    story: [...HELD('buy yes 8 @500 until:30'), 'clock 31000', DELAY],
    received: { m: ['PLACEMENT 3'], t: ['CANCELLATION 8 EXPIRED'] },
  },
  {
    title: 'a held order that a heartbeat cancels',
    story: ['alice m buy no 3 @500', 'dora t buy yes 8 @500', 'dora heartbeat 6000', 'clock 6000'],
    received: { m: ['PLACEMENT 3'], t: ['CANCELLATION 8 HEARTBEAT'] },
  },
  {
    title: 'a held order whose market is resolved',
    story: [...HELD('buy yes 8 @500'), 'operator resolve', DELAY],
    received: {
      m: ['PLACEMENT 3', 'CANCELLATION 3 MARKET_RESOLVED'],
      t: ['CANCELLATION 8 MARKET_RESOLVED'],
    },
  },
  {
    title: 'a held order whose market locks',
    market: (nowMs) => ({ takerDelayMs: DELAY_MS, deadline: nowMs + 30_000 }),
    story: [...HELD('buy yes 8 @500'), 'clock 30000', DELAY],
    received: {
      m: ['PLACEMENT 3', 'CANCELLATION 3 MARKET_LOCKED'],
      t: ['CANCELLATION 8 MARKET_LOCKED'],
    },
  },
  {
    title: 'a held order whose trade fails',
    story: [...HELD('buy yes 3 @500 FAK'), 'operator fault FAILED', DELAY],
    received: {
      m: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.5', 'FAILED'],
      t: ['MATCHED 3 @0.5', 'EXECUTION FILLED 0 @0.5', 'FAILED'],
    },
  },
]

frameTable(DELAYED, { takerDelayMs: DELAY_MS })
