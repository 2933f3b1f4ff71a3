import { scenario } from '../../../support/scenario.ts'

// Every worked number of rules §1.6, §2.3 to §2.7 and §4.2, raw to the unit.

const fees = { fees: true }

scenario(
  'a complementary fill moves at the maker price and the improvement is the taker’s',
  `
  maker gets 100 yes
  taker has 75
  maker sell yes 100 @0.45 GTC   rests
  taker buy  yes 150 @0.50 GTC   rests got 100 for 45 fee 3 from maker 100
  taker free 5 locked 25 yes 97
  maker free 45 locked 0 yes 0
  book  bids 50@0.50 asks
`,
  fees,
)

scenario(
  'two buyers of opposite outcomes mint a pair',
  `
  maker has 80
  taker has 97.5
  maker buy no  200 @0.40 GTC   rests
  maker free 0 locked 80
  taker buy yes 150 @0.65 GTC   filled got 150 for 90 fee 3 from maker 150
  taker free 7.5 locked 0 yes 147 no 0
  maker free 0 locked 20 yes 0 no 150
  book  bids asks 50@0.60
`,
  fees,
)

scenario(
  'two sellers of opposite outcomes merge a pair',
  `
  maker gets 80 no
  taker gets 100 yes
  maker sell no  80  @0.35 GTC   rests
  book  bids 80@0.65 asks
  taker sell yes 100 @0.60 GTC   rests got 80 for 52 fee 0.84 from maker 80
  taker free 51.16 yes 0 yes-locked 20
  maker free 28 no 0 no-locked 0
  book  bids asks 20@0.60
`,
  fees,
)

scenario(
  'a taker over two levels pays one fee on its average price',
  `
  ann gets 100 yes
  ben has 22.5
  taker has 110
  ann   sell yes 100 @0.52 GTC   rests
  ben   buy  no  50  @0.45 GTC   rests
  taker buy  yes 200 @0.55 FAK   killed got 150 for 79.5 fee 3.990566 from ann 100 ben 50
  taker free 30.5 locked 0 yes 146.009434
  ann   free 52
  ben   free 0 locked 0 no 50
  book  bids asks
`,
  fees,
)

scenario(
  'a market buy spends its whole collateral to the raw unit',
  `
  maker gets 100 yes
  taker has 1
  maker sell yes 100 @0.30 GTC    rests
  taker buy  yes spend 1 FOK      filled got 3.333333 for 1 fee 0.099999
  taker free 0 locked 0 yes 3.233334
  maker free 1 yes-locked 96.666667
`,
  fees,
)

scenario(
  'a market sell delivers odd sizes and its dust falls on the taker',
  `
  maker has 37
  taker gets 13 yes
  maker buy  yes 100 @0.37 GTC    rests
  taker sell yes 12.345678 FOK    filled got 12.345678 for 4.5679 fee 0.137037
  taker free 4.430863 yes 0.654322 yes-locked 0
  maker yes 12.345678 locked 32.432099 free 0.000001
`,
  fees,
)

scenario(
  'a market sell into a mapped bid gives the maker the rounded-up half',
  `
  maker gets 100 no
  taker gets 0.002 yes
  maker sell no 100 @0.63 GTC    rests
  taker sell yes 0.001001 FOK    filled got 0.001001 for 0.00037 fee 0
  maker free 0.000631 no-locked 99.998999
`,
)

scenario(
  'a market buy that mints pays the rounded-up half',
  `
  maker has 60
  taker has 0.000001
  maker buy no 100 @0.60 GTC       rests
  taker buy yes spend 0.000001 FOK filled got 0.000002 for 0.000001
  maker no 0.000002 locked 59.999998 free 0.000001
  taker yes 0.000002 free 0
`,
)

scenario(
  'a market order that cannot fill whole leaves no trace',
  `
  maker gets 10 yes
  taker has 100
  maker sell yes 10 @0.30 GTC        rests
  taker buy  yes spend 3.000001 FOK  killed got 0 for 0 fee 0
  taker free 100 locked 0 yes 0
  book  bids asks 10@0.30
  taker buy  yes spend 3 FOK         filled got 10 for 3
  book  bids asks
  taker sell yes 10 FOK              killed
  taker yes 10 yes-locked 0
`,
)

scenario(
  'a market buy walks the whole opposite side without a limit price',
  `
  maker gets 3 yes
  taker has 10
  maker sell yes 1 @0.001 GTC    rests
  maker sell yes 1 @0.500 GTC    rests
  maker sell yes 1 @0.999 GTC    rests
  taker buy  yes spend 1.5 FOK   filled got 3 for 1.5
  maker free 1.5
`,
)

scenario(
  'a FOK limit order fills at its price or better, or not at all',
  `
  alice gets 10 yes
  bob   has 100
  alice sell yes 10 @0.52 GTC   rests
  bob   buy  yes 15 @0.52 FOK   killed
  bob   buy  yes 10 @0.519 FOK  killed
  bob   free 100 locked 0
  book  bids asks 10@0.52
  bob   buy  yes 10 @0.60 FOK   filled got 10 for 5.2
  bob   free 94.8
`,
)

scenario(
  'a maker left with less than one step is closed and the rest given back',
  `
  maker gets 10 yes
  taker has 10
  maker sell yes 1 @0.30 GTC            rests
  taker buy  yes spend 0.299701 FOK     filled got 0.999003
  maker yes 9.000997 yes-locked 0 free 0.299701
  book  bids asks
  maker cancels 1 ORDER_NOT_OPEN
`,
)

scenario(
  'a maker left with exactly one step stays',
  `
  maker gets 10 yes
  taker has 10
  maker sell yes 1 @0.30 GTC        rests
  taker buy  yes spend 0.2997 FOK   filled got 0.999
  book  bids asks 0.001@0.30
`,
)

scenario(
  'a limit taker takes whole steps from a maker that holds an odd size and closes the dust',
  `
  maker gets 10 yes
  odd   has 1
  taker has 10
  maker sell yes 1 @0.30 GTC           rests
  odd   buy  yes spend 0.15 FOK        filled got 0.5
  odd   buy  yes spend 0.000151 FOK    filled got 0.000503
  book  bids asks 0.499497@0.30
  taker buy  yes 1 @0.30 GTC           rests got 0.499 for 0.1497
  maker yes 9.000497 yes-locked 0
  book  bids 0.501@0.30 asks
`,
)

scenario(
  'native and mapped orders of one level share one queue',
  `
  alice gets 10 yes
  bob   has 10
  carol gets 10 yes
  taker has 100
  alice sell yes 10 @0.55 GTC  rests
  bob   buy  no  10 @0.45 GTC  rests
  carol sell yes 10 @0.55 GTC  rests
  taker buy  yes 25 @0.55 GTC  filled got 25 for 13.75 from alice 10 bob 10 carol 5
  bob   no 10
  book  bids asks 5@0.55
`,
)

scenario(
  'the book shows the YES ladder with NO interest folded in',
  `
  a has 48
  b gets 60 no
  c has 31.5
  d gets 30 yes
  a buy  yes 100 @0.48 GTC   rests
  b sell no  60  @0.52 GTC   rests
  c buy  no  70  @0.45 GTC   rests
  d sell yes 30  @0.60 GTC   rests
  book bids 160@0.48 asks 70@0.55 30@0.60
`,
)

scenario(
  'a reserve is what the order can cost, and cancelling gives it back',
  `
  alice has 10
  alice gets 5 no
  alice buy  yes 22.123 @0.381 GTC  rests
  alice free 1.571137 locked 8.428863
  alice sell no 5.001 @0.9 GTC      INSUFFICIENT_SHARES
  alice sell no 5 @0.9 GTC          rests
  alice no 0 no-locked 5
  alice buy  yes 2 @0.786 GTC       INSUFFICIENT_COLLATERAL
  alice cancels 1
  alice cancels 1 ORDER_NOT_OPEN
  alice cancels 2
  alice free 10 locked 0 no 5 no-locked 0
  book bids asks
`,
)

scenario(
  'a post-only order that would match is refused and leaves no trace',
  `
  alice gets 10 yes
  bob   has 10
  alice sell yes 10 @0.52 GTC            rests
  bob   buy  yes 10 @0.52 GTC post-only  would-cross got 0
  bob   free 10 locked 0
  bob   buy  yes 10 @0.519 GTC post-only rests
  alice sell yes 1 @0.519 GTC            INSUFFICIENT_SHARES
  alice buy  no  1 @0.481 GTC post-only  INSUFFICIENT_COLLATERAL
  alice has 1
  alice buy  no  1 @0.481 GTC post-only  would-cross
  alice buy  no  1 @0.480 GTC post-only  rests
  book  bids 10@0.519 asks 11@0.52
`,
)

scenario(
  'a post-only order that would cross only its owner is refused like any cross',
  `
  alice gets 10 yes
  alice has 10
  alice sell yes 10 @0.52 GTC           rests
  alice buy  yes 1 @0.52 GTC post-only cancel_maker  would-cross
  book  bids asks 10@0.52
`,
)

scenario(
  'a maker of a partly filled order keeps its place and its limit',
  `
  alice gets 10 yes
  bob   gets 10 yes
  taker has 100
  alice sell yes 10 @0.50 GTC  rests
  bob   sell yes 10 @0.50 GTC  rests
  taker buy  yes 4 @0.50 FAK   filled got 4 for 2 from alice 4
  taker buy  yes 8 @0.90 FAK   filled got 8 for 4 from alice 6 bob 2
  alice free 5
  bob   free 1 yes-locked 8
`,
)
