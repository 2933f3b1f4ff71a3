import { FILLED_3, frameTable, OWN_GONE, type Row } from '../../../support/frame-table.ts'
import '../../../support/two-edges.ts'

// The tables of rules §5.4 and §4.1: exactly the frames that the owner of each order gets, in
// sequence. Bob takes, Alice and Carol make.

const ARRIVALS: readonly Row[] = [
  {
    title: 'a GTC that rests untouched, and is canceled',
    story: ['bob t buy yes 5 @100', 'bob cancels t'],
    received: { t: ['PLACEMENT 5', 'CANCELLATION 5'] },
  },
  {
    title: 'a GTC that fills on arrival, across makers of two owners',
    story: ['alice m1 buy no 3 @600', 'carol m2 buy no 10 @580', 'bob t buy yes 8 @420'],
    received: {
      t: ['MATCHED 8 @0.4125', 'EXECUTION FILLED 0 @0.42', 'MINED'],
      m1: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.6', 'MINED'],
      m2: ['PLACEMENT 10', 'UPDATE 5', 'MATCHED 5 @0.58', 'MINED'],
    },
  },
  {
    title: 'two makers of one owner each get their own frames of one trade',
    story: ['alice m1 buy no 3 @600', 'alice m2 buy no 10 @580', 'bob t buy yes 8 @420'],
    received: {
      t: ['MATCHED 8 @0.4125', 'EXECUTION FILLED 0 @0.42', 'MINED'],
      m1: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.6', 'MINED'],
      m2: ['PLACEMENT 10', 'UPDATE 5', 'MATCHED 5 @0.58', 'MINED'],
    },
  },
  {
    title: 'a GTC that fills in part on arrival, and as a maker later',
    story: [
      'alice m buy no 3 @500',
      'bob t buy yes 8 @500',
      't received 3',
      'carol u buy no 5 @500',
    ],
    received: {
      m: FILLED_3,
      t: ['MATCHED 3 @0.5', 'PLACEMENT 5', 'MINED', 'UPDATE 0', 'MATCHED 5 @0.5', 'MINED'],
      u: ['MATCHED 5 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
  {
    title: 'a maker that several takers meet, with its rest canceled',
    story: [
      'alice m buy no 10 @500',
      'bob t1 buy yes 4 @500',
      'm received 4',
      'carol t2 buy yes 5 @500 FAK',
      'm received 7',
      'alice cancels m',
    ],
    received: {
      m: [
        'PLACEMENT 10',
        'UPDATE 6',
        'MATCHED 4 @0.5',
        'MINED',
        'UPDATE 1',
        'MATCHED 5 @0.5',
        'MINED',
        'CANCELLATION 1',
      ],
      t1: ['MATCHED 4 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
      t2: ['MATCHED 5 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
  {
    title: 'a FAK that fills in part',
    story: ['alice m buy no 3 @500', 'bob t buy yes 8 @500 FAK'],
    received: {
      m: FILLED_3,
      t: ['MATCHED 3 @0.5', 'EXECUTION PARTIALLY_FILLED 5 @0.5', 'MINED'],
    },
  },
  {
    title: 'a FAK without a match',
    story: ['bob t buy yes 8 @500 FAK'],
    received: { t: ['EXECUTION KILLED 8 @0.5'] },
  },
  {
    title: 'a FOK that fills, and one that cannot',
    story: ['alice m buy no 3 @500', 'bob no buy yes 8 @500 FOK', 'bob t buy yes 3 @510 FOK'],
    received: { m: FILLED_3, no: [], t: ['MATCHED 3 @0.5', 'EXECUTION FILLED 0 @0.51', 'MINED'] },
  },
  {
    title: 'a market buy over two levels has its average price; one beyond the book gets no frame',
    story: [
      'alice m1 buy no 3 @600',
      'carol m2 buy no 10 @500',
      'bob no buy yes spend 7 FOK',
      'bob t buy yes spend 2.2 FOK',
    ],
    received: {
      m1: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.6', 'MINED'],
      m2: ['PLACEMENT 10', 'UPDATE 8', 'MATCHED 2 @0.5', 'MINED'],
      no: [],
      t: ['MATCHED 5 @0.44', 'EXECUTION FILLED 0 @0.44', 'MINED'],
    },
  },
  {
    title: 'a maker that an odd fill leaves too small is closed',
    story: ['alice m buy no 1 @700', 'bob t buy yes spend 0.2999 FOK'],
    received: {
      m: ['PLACEMENT 1', 'UPDATE 0', 'MATCHED 0.999666 @0.7', 'MINED'],
      t: ['MATCHED 0.999666 @0.3', 'EXECUTION FILLED 0 @0.3', 'MINED'],
    },
  },
  {
    title: 'sales: shares change hands, or burn with shares of the other outcome',
    story: [
      'alice a1 buy no 9 @500',
      'bob b1 buy yes 9 @500',
      'carol m buy yes 10 @300',
      'bob t1 sell yes all 4 FOK',
      'alice n sell no 5 @400',
      'bob t2 sell yes 5 @600',
    ],
    received: {
      m: ['PLACEMENT 10', 'UPDATE 6', 'MATCHED 4 @0.3', 'MINED'],
      t1: ['MATCHED 4 @0.3', 'EXECUTION FILLED 0 @0.3', 'MINED'],
      n: ['PLACEMENT 5', 'UPDATE 0', 'MATCHED 5 @0.4', 'MINED'],
      t2: ['MATCHED 5 @0.6', 'EXECUTION FILLED 0 @0.6', 'MINED'],
    },
  },
  {
    title: 'an order that is reduced, then replaced by one that trades',
    story: [
      'alice m buy no 10 @500',
      'alice reduces m to 7',
      'alice reduces m to 4',
      'bob u buy yes 3 @400',
      'alice replaces m by n buy no 5 @600',
      'n received 3',
      'alice reduces n to 0',
    ],
    received: {
      m: ['PLACEMENT 10', 'UPDATE 7', 'UPDATE 4', 'CANCELLATION 4 REPLACED'],
      u: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.4', 'MINED'],
      n: ['MATCHED 3 @0.6', 'PLACEMENT 2', 'MINED', 'CANCELLATION 2'],
    },
  },
  {
    title: 'a post-only order that rests; one that would match is stored nowhere',
    story: ['alice m buy no 3 @500 post-only', 'bob refused buy yes 3 @500 post-only'],
    received: { m: ['PLACEMENT 3'] },
  },
]

/** Bob's own order is first in the queue, with Alice's order behind it (rules §4.1). */
const OWN = ['bob own buy no 20 @500', 'alice m buy no 50 @500']

const SELF_TRADES: readonly Row[] = [
  {
    title: 'self-trade, cancel_maker: the own maker is canceled, the arrival goes on',
    story: [...OWN, 'bob t buy yes 60 @500 FAK cancel_maker'],
    received: {
      own: OWN_GONE,
      m: ['PLACEMENT 50', 'UPDATE 0', 'MATCHED 50 @0.5', 'MINED'],
      t: ['MATCHED 50 @0.5', 'EXECUTION PARTIALLY_FILLED 10 @0.5', 'MINED'],
    },
  },
  {
    title: 'self-trade, cancel_maker: the rest of a GTC rests',
    story: ['bob own buy no 20 @500', 'bob t buy yes 60 @500'],
    received: { own: OWN_GONE, t: ['PLACEMENT 60'] },
  },
  {
    title: 'self-trade, cancel_taker: the arrival stops before its own maker',
    story: [...OWN, 'bob t buy yes 60 @500 FAK cancel_taker'],
    received: { own: ['PLACEMENT 20'], m: ['PLACEMENT 50'], t: ['EXECUTION KILLED 60 @0.5'] },
  },
  {
    title: 'self-trade, cancel_taker: fills before the stop stand, and a GTC ends like a FAK',
    story: [
      'alice m buy no 5 @500',
      'bob own buy no 20 @500',
      'bob t buy yes 60 @500 cancel_taker',
    ],
    received: {
      m: ['PLACEMENT 5', 'UPDATE 0', 'MATCHED 5 @0.5', 'MINED'],
      own: ['PLACEMENT 20'],
      t: ['MATCHED 5 @0.5', 'EXECUTION PARTIALLY_FILLED 55 @0.5', 'MINED'],
    },
  },
  {
    title: 'self-trade, cancel_both: both are canceled',
    story: [...OWN, 'bob t buy yes 60 @500 FAK cancel_both'],
    received: { own: OWN_GONE, m: ['PLACEMENT 50'], t: ['EXECUTION KILLED 60 @0.5'] },
  },
  {
    title: 'self-trade of a FOK: it must fill without its own makers, else nothing happens',
    story: [
      ...OWN,
      'bob wide buy yes 60 @500 FOK',
      'bob stop buy yes 60 @500 FOK cancel_both',
      'bob t buy yes 50 @500 FOK',
    ],
    received: {
      own: OWN_GONE,
      wide: [],
      stop: [],
      m: ['PLACEMENT 50', 'UPDATE 0', 'MATCHED 50 @0.5', 'MINED'],
      t: ['MATCHED 50 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
]

const EXCHANGE_ACTS: readonly Row[] = [
  {
    title: 'an expiry',
    story: ['bob t buy yes 5 @100 until:60', 't received 1', 'clock 61000'],
    received: { t: ['PLACEMENT 5', 'CANCELLATION 5 EXPIRED'] },
  },
  {
    title: 'a heartbeat that was missed',
    story: ['dora t buy yes 5 @100', 'dora heartbeat 6000', 'clock 6000'],
    received: { t: ['PLACEMENT 5', 'CANCELLATION 5 HEARTBEAT'] },
  },
  {
    title: 'a market that locks at its deadline',
    market: (nowMs) => ({ deadline: nowMs + 60_000 }),
    story: ['bob t buy yes 5 @100', 'alice u buy no 5 @100', 'clock 60000'],
    received: {
      t: ['PLACEMENT 5', 'CANCELLATION 5 MARKET_LOCKED'],
      u: ['PLACEMENT 5', 'CANCELLATION 5 MARKET_LOCKED'],
    },
  },
  {
    title: 'a market that is resolved, with an order filled in part',
    story: ['bob t buy yes 5 @500', 'alice u buy no 2 @500', 't received 4', 'operator resolve'],
    received: {
      t: ['PLACEMENT 5', 'UPDATE 3', 'MATCHED 2 @0.5', 'MINED', 'CANCELLATION 3 MARKET_RESOLVED'],
      u: ['MATCHED 2 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'],
    },
  },
  {
    title: 'a settlement that fails: FAILED in place of MINED, and the rest of a GTC stays',
    story: ['operator fault FAILED', 'alice m buy no 3 @500', 'bob t buy yes 8 @500'],
    received: {
      m: ['PLACEMENT 3', 'UPDATE 0', 'MATCHED 3 @0.5', 'FAILED'],
      t: ['MATCHED 3 @0.5', 'PLACEMENT 5', 'FAILED'],
    },
  },
  {
    title: 'a settlement that is tried again: the retry is no frame',
    story: ['operator fault RETRYING', 'alice m buy no 3 @500', 'bob t buy yes 3 @500 FOK'],
    received: { m: FILLED_3, t: ['MATCHED 3 @0.5', 'EXECUTION FILLED 0 @0.5', 'MINED'] },
  },
]

frameTable([...ARRIVALS, ...SELF_TRADES, ...EXCHANGE_ACTS])
