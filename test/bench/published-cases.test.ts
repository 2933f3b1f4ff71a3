import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KIND, type Messages } from '../../bench/published/messages.ts'
import '../../bench/published/wide-arena.ts'

// The kinds of edge cases of the published benchmark, each as messages and the whole report. A line
// of a report is `0` accepted, `1` a trade, `2` canceled, `3` modified, `4` cancel rejected, `5`
// modify rejected, then the number of the message; side 0 buys.

// The book copies the shape of its arena when it loads.
const { reportOf } = await import('../../bench/published/report.ts')

const KINDS: Readonly<Record<string, number>> = {
  new: KIND.NEW,
  ioc: KIND.IOC,
  modify: KIND.MODIFY,
  cancel: KIND.CANCEL,
}

/** Lines like `new buy 1 100 10`: id, price, quantity. */
function messagesOf(script: string): Messages {
  const rows = linesOf(script).map((line) => line.split(' '))
  const column = (index: number) => Int32Array.from(rows, (row) => Number(row[index] ?? 0))
  return {
    count: rows.length,
    kind: Uint8Array.from(rows, ([kind]) => KINDS[kind]),
    isBuy: Uint8Array.from(rows, ([, side]) => (side === 'buy' ? 1 : 0)),
    id: column(2),
    price: column(3),
    quantity: column(4),
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

const CASES: readonly (readonly [name: string, messages: string, report: string])[] = [
  [
    'makers at one price trade in the order of their arrival',
    `new sell 1 100 5
     new sell 2 100 5
     new sell 3 100 5
     new buy 4 100 12`,
    `0,0,1,1,100,5
     0,1,1,2,100,5
     0,2,1,3,100,5
     0,3,0,4,100,12
     1,3,100,5,1,4
     1,3,100,5,2,4
     1,3,100,2,3,4`,
  ],
  [
    'an order filled in part is canceled with what is left',
    `new sell 1 100 10
     new buy 2 100 4
     cancel sell 1
     ioc buy 3 100 1`,
    `0,0,1,1,100,10
     0,1,0,2,100,4
     1,1,100,4,1,2
     2,2,1,1,100
     0,3,0,3,100,1
     2,3,0,3,100`,
  ],
  [
    'a second cancel is rejected',
    `new buy 1 100 10
     cancel buy 1
     cancel buy 1`,
    `0,0,0,1,100,10
     2,1,0,1,100
     4,2,1`,
  ],
  [
    'a cancel and a modify of a filled order are rejected',
    `new buy 1 100 10
     new sell 2 100 10
     cancel buy 1
     modify buy 1 101 10
     cancel sell 2`,
    `0,0,0,1,100,10
     0,1,1,2,100,10
     1,1,100,10,1,2
     4,2,1
     5,3,1
     4,4,2`,
  ],
  [
    'a modify of a canceled order is rejected',
    `new buy 1 100 10
     cancel buy 1
     modify buy 1 101 10`,
    `0,0,0,1,100,10
     2,1,0,1,100
     5,2,1`,
  ],
  [
    'a cancel and a modify of an order never seen are rejected',
    `cancel buy 7
     modify sell 8 100 1`,
    `4,0,7
     5,1,8`,
  ],
  [
    'the residual of an IOC order is gone',
    `new sell 1 100 3
     ioc buy 2 100 5
     cancel buy 2
     modify buy 2 100 1`,
    `0,0,1,1,100,3
     0,1,0,2,100,5
     1,1,100,3,1,2
     2,1,0,2,100
     4,2,2
     5,3,2`,
  ],
  [
    'an IOC order on an empty book is canceled whole',
    `ioc buy 1 100 5
     ioc sell 2 100 5`,
    `0,0,0,1,100,5
     2,0,0,1,100
     0,1,1,2,100,5
     2,1,1,2,100`,
  ],
  [
    'an IOC order at a worse price than the touch does not trade',
    `new sell 1 101 5
     ioc buy 2 100 5
     new buy 3 99 5
     ioc sell 4 100 5`,
    `0,0,1,1,101,5
     0,1,0,2,100,5
     2,1,0,2,100
     0,2,0,3,99,5
     0,3,1,4,100,5
     2,3,1,4,100`,
  ],
  [
    'an IOC order that is filled whole leaves no residual',
    `new sell 1 100 5
     new sell 2 101 5
     ioc buy 3 101 10`,
    `0,0,1,1,100,5
     0,1,1,2,101,5
     0,2,0,3,101,10
     1,2,100,5,1,3
     1,2,101,5,2,3`,
  ],
  [
    'a modify that crosses trades at once, at the price of the maker',
    `new sell 1 101 5
     new buy 2 100 5
     modify buy 2 102 5`,
    `0,0,1,1,101,5
     0,1,0,2,100,5
     1,2,101,5,1,2
     3,2,0,2,102,5`,
  ],
  [
    'a modify that crosses in part rests with what is left',
    `new sell 1 101 5
     new buy 2 100 5
     modify buy 2 101 8
     ioc sell 3 101 9`,
    `0,0,1,1,101,5
     0,1,0,2,100,5
     1,2,101,5,1,2
     3,2,0,2,101,8
     0,3,1,3,101,9
     1,3,101,3,2,3
     2,3,1,3,101`,
  ],
  [
    'a modify of a sale may cross too',
    `new buy 1 100 4
     new buy 2 99 4
     new sell 3 101 6
     modify sell 3 99 6`,
    `0,0,0,1,100,4
     0,1,0,2,99,4
     0,2,1,3,101,6
     1,3,100,4,1,3
     1,3,99,2,2,3
     3,3,1,3,99,6`,
  ],
  [
    'a modify to the same price loses its place',
    `new sell 1 100 5
     new sell 2 100 5
     modify sell 1 100 5
     ioc buy 3 100 6`,
    `0,0,1,1,100,5
     0,1,1,2,100,5
     3,2,1,1,100,5
     0,3,0,3,100,6
     1,3,100,5,2,3
     1,3,100,1,1,3`,
  ],
  [
    'a modify of the best level moves the touch',
    `new sell 1 100 5
     new sell 2 101 5
     modify sell 1 102 5
     ioc buy 3 102 10`,
    `0,0,1,1,100,5
     0,1,1,2,101,5
     3,2,1,1,102,5
     0,3,0,3,102,10
     1,3,101,5,2,3
     1,3,102,5,1,3`,
  ],
  [
    'a modify of the only order moves it',
    `new buy 1 100 5
     modify buy 1 90 6
     ioc sell 2 100 1
     ioc sell 3 90 7`,
    `0,0,0,1,100,5
     3,1,0,1,90,6
     0,2,1,2,100,1
     2,2,1,2,100
     0,3,1,3,90,7
     1,3,90,6,1,3
     2,3,1,3,90`,
  ],
  [
    'a modify out of the middle of a queue keeps its neighbours',
    `new sell 1 100 5
     new sell 2 100 5
     new sell 3 100 5
     modify sell 2 101 5
     ioc buy 4 101 15`,
    `0,0,1,1,100,5
     0,1,1,2,100,5
     0,2,1,3,100,5
     3,3,1,2,101,5
     0,4,0,4,101,15
     1,4,100,5,1,4
     1,4,100,5,3,4
     1,4,101,5,2,4`,
  ],
  [
    'a modify after a partial fill replaces what is left',
    `new sell 1 100 10
     ioc buy 2 100 4
     modify sell 1 100 9
     ioc buy 3 100 20`,
    `0,0,1,1,100,10
     0,1,0,2,100,4
     1,1,100,4,1,2
     3,2,1,1,100,9
     0,3,0,3,100,20
     1,3,100,9,1,3
     2,3,0,3,100`,
  ],
  [
    'a modify may follow a modify, and a cancel names the newest price',
    `new buy 1 100 5
     modify buy 1 101 6
     modify buy 1 102 7
     cancel buy 1`,
    `0,0,0,1,100,5
     3,1,0,1,101,6
     3,2,0,1,102,7
     2,3,0,1,102`,
  ],
  [
    'cancels out of a queue at its head, its middle and its end',
    `new sell 1 100 1
     new sell 2 100 2
     new sell 3 100 3
     new sell 4 100 4
     new sell 5 100 5
     cancel sell 1
     cancel sell 3
     cancel sell 5
     ioc buy 6 100 9`,
    `0,0,1,1,100,1
     0,1,1,2,100,2
     0,2,1,3,100,3
     0,3,1,4,100,4
     0,4,1,5,100,5
     2,5,1,1,100
     2,6,1,3,100
     2,7,1,5,100
     0,8,0,6,100,9
     1,8,100,2,2,6
     1,8,100,4,4,6
     2,8,0,6,100`,
  ],
  [
    'a cancel of the last order of a level moves the touch to the next',
    `new buy 1 100 5
     new buy 2 98 5
     cancel buy 1
     ioc sell 3 99 5
     ioc sell 4 98 5`,
    `0,0,0,1,100,5
     0,1,0,2,98,5
     2,2,0,1,100
     0,3,1,3,99,5
     2,3,1,3,99
     0,4,1,4,98,5
     1,4,98,5,2,4`,
  ],
  [
    'a sweep of many levels leaves a residual that becomes the touch',
    `new sell 1 100 1
     new sell 2 101 1
     new sell 3 103 1
     new sell 4 106 1
     new buy 5 105 5
     ioc sell 6 105 3
     ioc buy 7 106 1`,
    `0,0,1,1,100,1
     0,1,1,2,101,1
     0,2,1,3,103,1
     0,3,1,4,106,1
     0,4,0,5,105,5
     1,4,100,1,1,5
     1,4,101,1,2,5
     1,4,103,1,3,5
     0,5,1,6,105,3
     1,5,105,2,5,6
     2,5,1,6,105
     0,6,0,7,106,1
     1,6,106,1,4,7`,
  ],
  [
    'a level that was emptied fills again',
    `new sell 1 100 5
     ioc buy 2 100 5
     new sell 3 100 5
     cancel sell 3
     new sell 4 100 5
     ioc buy 5 100 5`,
    `0,0,1,1,100,5
     0,1,0,2,100,5
     1,1,100,5,1,2
     0,2,1,3,100,5
     2,3,1,3,100
     0,4,1,4,100,5
     0,5,0,5,100,5
     1,5,100,5,4,5`,
  ],
  [
    'sides alternate at one price',
    `new buy 1 100 5
     new sell 2 100 8
     new buy 3 100 6
     new sell 4 100 3`,
    `0,0,0,1,100,5
     0,1,1,2,100,8
     1,1,100,5,1,2
     0,2,0,3,100,6
     1,2,100,3,2,3
     0,3,1,4,100,3
     1,3,100,3,3,4`,
  ],
  [
    'a new order at the touch of its own side waits behind it',
    `new buy 1 100 5
     new buy 2 100 5
     new sell 3 101 5
     ioc sell 4 100 7`,
    `0,0,0,1,100,5
     0,1,0,2,100,5
     0,2,1,3,101,5
     0,3,1,4,100,7
     1,3,100,5,1,4
     1,3,100,2,2,4`,
  ],
  [
    'prices far apart are found across the whole ladder',
    `new sell 1 65000 5
     new buy 2 1 5
     new sell 3 40000 5
     ioc buy 4 65534 10
     ioc sell 5 1 5`,
    `0,0,1,1,65000,5
     0,1,0,2,1,5
     0,2,1,3,40000,5
     0,3,0,4,65534,10
     1,3,40000,5,3,4
     1,3,65000,5,1,4
     0,4,1,5,1,5
     1,4,1,5,2,5`,
  ],
  [
    'the largest quantity trades',
    `new sell 1 100 2147483647
     ioc buy 2 100 2147483646
     ioc buy 3 100 1`,
    `0,0,1,1,100,2147483647
     0,1,0,2,100,2147483646
     1,1,100,2147483646,1,2
     0,2,0,3,100,1
     1,2,100,1,1,3`,
  ],
  [
    'best bid and ask after each message: only a better price trades',
    `new buy 1 99 1
     new sell 2 101 1
     new buy 3 100 1
     cancel buy 3
     ioc sell 4 100 1
     ioc sell 5 99 1
     ioc buy 6 100 1
     ioc buy 7 101 1`,
    `0,0,0,1,99,1
     0,1,1,2,101,1
     0,2,0,3,100,1
     2,3,0,3,100
     0,4,1,4,100,1
     2,4,1,4,100
     0,5,1,5,99,1
     1,5,99,1,1,5
     0,6,0,6,100,1
     2,6,0,6,100
     0,7,0,7,101,1
     1,7,101,1,2,7`,
  ],
]

for (const [name, messages, report] of CASES) {
  test(name, () => {
    assert.deepEqual([...reportOf(messagesOf(messages))], linesOf(report))
  })
}
