import { scenario } from '../../../support/scenario.ts'

// Rules §4.1: an own ask of 20 is first in the queue, and an ask of 50 of another is behind it.

const QUEUE = `
  me    gets 20 yes
  other gets 50 yes
  me    has 100
  me    sell yes 20 @0.50 GTC   rests
  other sell yes 50 @0.50 GTC   rests
`

scenario(
  'cancel_maker cancels the own ask and goes on',
  `${QUEUE}
  me    buy yes 60 @0.50 FAK cancel_maker  killed got 50 for 25 from other 50
  me    free 75 locked 0 yes 70 yes-locked 0
  me    cancels 1 ORDER_NOT_OPEN
  book  bids asks
`,
)

scenario(
  'an order that names no policy asks for cancel_maker',
  `${QUEUE}
  me    buy yes 60 @0.50 GTC  rests got 50 for 25 from other 50
  book  bids 10@0.50 asks
`,
)

scenario(
  'cancel_taker leaves the own ask and stops the taker',
  `${QUEUE}
  me    buy yes 60 @0.50 FAK cancel_taker  stopped got 0 for 0
  me    free 100 locked 0 yes 0 yes-locked 20
  book  bids asks 70@0.50
`,
)

scenario(
  'cancel_both cancels the own ask and stops the taker',
  `${QUEUE}
  me    buy yes 60 @0.50 FAK cancel_both  stopped got 0 for 0
  me    free 100 locked 0 yes 20 yes-locked 0
  book  bids asks 50@0.50
`,
)

scenario(
  'fills before a stop stay, and the rest of a stopped GTC order does not rest',
  `
  me    gets 20 yes
  other gets 50 yes
  me    has 100
  other sell yes 50 @0.50 GTC  rests
  me    sell yes 20 @0.50 GTC  rests
  other has 1
  me    buy yes 60 @0.50 GTC cancel_taker  stopped got 50 for 25 from other 50
  me    free 75 locked 0 yes 50 yes-locked 20
  book  bids asks 20@0.50
`,
)

scenario(
  'an own order behind the last needed fill is not touched',
  `
  me    gets 20 yes
  other gets 50 yes
  me    has 100
  other sell yes 50 @0.50 GTC  rests
  me    sell yes 20 @0.50 GTC  rests
  me    buy yes 50 @0.50 GTC cancel_both  filled got 50 for 25
  book  bids asks 20@0.50
`,
)

scenario(
  'cancel_both cancels only the own order it reaches first',
  `
  me    gets 30 yes
  me    has 100
  me    sell yes 10 @0.50 GTC  rests
  me    sell yes 10 @0.50 GTC  rests
  me    sell yes 10 @0.51 GTC  rests
  me    buy yes 60 @0.52 GTC cancel_both  stopped
  book  bids asks 10@0.50 10@0.51
`,
)

scenario(
  'an order of the other outcome on the same level is a self-trade too',
  `
  me    has 100
  me    buy no  10 @0.50 GTC  rests
  me    buy yes 10 @0.50 GTC cancel_maker  rests got 0
  me    locked 5
  book  bids 10@0.50 asks
`,
)

scenario(
  'a FOK order ignores own makers when it looks for depth, and cancels those it walks over',
  `${QUEUE}
  me    buy yes 60 @0.50 FOK cancel_maker  killed got 0
  me    yes-locked 20 free 100
  book  bids asks 70@0.50
  me    buy yes 50 @0.50 FOK cancel_maker  filled got 50 for 25 from other 50
  me    yes 70 yes-locked 0
  book  bids asks
`,
)

scenario(
  'a FOK order that would touch an own maker is refused whole under cancel_taker',
  `${QUEUE}
  me    buy yes 10 @0.50 FOK cancel_taker  stopped got 0
  me    free 100 locked 0
  book  bids asks 70@0.50
`,
)

scenario(
  'a FOK order that would touch an own maker is refused whole under cancel_both',
  `${QUEUE}
  me    buy yes 10 @0.50 FOK cancel_both  stopped got 0
  me    free 100 locked 0 yes-locked 20
  book  bids asks 70@0.50
  me    buy yes spend 5 FOK cancel_both   stopped got 0
  book  bids asks 70@0.50
`,
)
