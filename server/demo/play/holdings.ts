// The holdings of a demo profile. Pairs are merged and ended markets redeemed, so that its money
// returns: a demo that runs for weeks still trades.

import { boolean, integer, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../edge/http/schema/schema.ts'
import { accepted, type DemoClient } from '../demo-client.ts'

export interface Holding {
  readonly slug: string
  readonly conditionId: string
  readonly isClosed: boolean
  readonly yesRaw: number
  readonly noRaw: number
}

const UNIT_RAW = 1_000_000
const PAIRS_MIN_RAW = UNIT_RAW

const knownMarket = openObject({ slug: text(), conditionId: text(), closed: boolean() })
const knownHoldings = compile(
  openObject({
    clob: list(
      openObject({ market: knownMarket, tokensBalance: openObject({ yes: text(), no: text() }) }),
    ),
    amm: list(
      openObject({
        market: knownMarket,
        outcomeIndex: integer(0, 1),
        outcomeTokenAmount: text(),
      }),
    ),
  }),
)

interface Market {
  readonly slug: string
  readonly conditionId: string
  readonly closed: boolean
}

function holding({ slug, conditionId, closed }: Market, yesRaw: number, noRaw: number): Holding {
  return { slug, conditionId, isClosed: closed, yesRaw, noRaw }
}

/** The holdings in books, and those in pools, which list each outcome separately. */
export async function holdingsOf(client: DemoClient) {
  const found = await client.call('GET', '/portfolio/positions')
  if (!knownHoldings.holds(found)) throw new Error('positions are lists of markets')
  const books = found.clob.map(({ market, tokensBalance }) => {
    return holding(market, Number(tokensBalance.yes), Number(tokensBalance.no))
  })
  const pools = new Map<string, Holding>()
  for (const { market, outcomeIndex, outcomeTokenAmount } of found.amm) {
    const raw = Math.floor(Number(outcomeTokenAmount) * UNIT_RAW)
    const known = pools.get(market.slug) ?? holding(market, 0, 0)
    const held = outcomeIndex === 0 ? { yesRaw: raw } : { noRaw: raw }
    pools.set(market.slug, { ...known, ...held })
  }
  return { books, pools: [...pools.values()] }
}

/** The call that turns a holding back into money; null for none. */
function returnOf({ conditionId, isClosed, yesRaw, noRaw }: Holding) {
  const pairsRaw = Math.min(yesRaw, noRaw)
  if (isClosed) return { path: '/portfolio/redeem', body: { conditionId } }
  if (pairsRaw < PAIRS_MIN_RAW) return null
  return { path: '/portfolio/merge', body: { conditionId, amount: String(pairsRaw) } }
}

/** Collects what is possible; the rest, such as before a payout, waits for the next time. */
export async function collect(client: DemoClient): Promise<void> {
  const { books, pools } = await holdingsOf(client)
  for (const held of [...books, ...pools]) {
    const wanted = returnOf(held)
    if (wanted === null) continue
    const reply = await client.send('POST', wanted.path, wanted.body)
    if (reply.status >= 500) accepted(reply)
  }
}
