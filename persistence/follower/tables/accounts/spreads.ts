import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { PARTY } from './links.ts'

// What boards count of an owner in a market (rules §9.5). Its realised gains count while neither a
// single counterparty nor its own family accounts for half of the shares it traded there: gains
// from one counterparty may be arranged. A trade's volume is the payment of its smaller side, on
// which fees are based. It always counts with a fee, and without one under the same condition.
// Trades within the family have no volume.
// Invariants: a row is counted only by its own figures, at each fill, so a rebuild gives the same
// hours; at most PARTIES_MAX counterparties are tracked, and none with fewer shares than it has:
// the smallest is replaced by a new one, which takes over its shares.

const FIND = `
SELECT shares_raw AS sharesRaw, pnl_raw AS pnlRaw, volume_raw AS volumeRaw,
  is_counted AS isCounted, parties
FROM board_spreads WHERE market_id = ? AND owner = ?`
const PUT = `
INSERT INTO board_spreads (market_id, owner, shares_raw, pnl_raw, volume_raw, is_counted, parties)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET shares_raw = excluded.shares_raw,
  pnl_raw = excluded.pnl_raw, volume_raw = excluded.volume_raw,
  is_counted = excluded.is_counted, parties = excluded.parties`
export const PARTIES_MAX = 8

/** One owner's side of a fill. */
export interface MetPart {
  readonly marketId: MarketId
  readonly owner: ProfileId
  /** The relation of the other side to the owner (links.ts). */
  readonly party: number
  readonly sharesRaw: number
  /** The payment of the smaller side. */
  readonly riskRaw: number
  /** Whether the taker paid a fee. */
  readonly isPaid: boolean
}

export interface CountedSums {
  readonly pnlRaw: number
  readonly volumeRaw: number
}

type Party = [key: number, sharesRaw: number]
type Key = [marketId: MarketId, owner: ProfileId]
type PutRow = [...Key, sharesRaw: number, pnlRaw: number, volumeRaw: number, 0 | 1, string]

interface Found {
  readonly sharesRaw: number
  readonly pnlRaw: number
  readonly volumeRaw: number
  readonly isCounted: 0 | 1
  readonly parties: string
}

interface Spread {
  readonly key: Key
  sharesRaw: number
  /** All realised gains, and the volume without a fee, which count only under the condition. */
  pnlRaw: number
  volumeRaw: number
  isCounted: boolean
  readonly parties: Party[]
}

const sumOf = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER)

function note(parties: Party[], key: number, sharesRaw: number): void {
  const known = parties.find(([each]) => each === key)
  if (known !== undefined) {
    known[1] = sumOf(known[1], sharesRaw)
    return
  }
  const others = parties.filter(([each]) => each !== PARTY.OWN)
  if (key === PARTY.OWN || others.length < PARTIES_MAX) {
    parties.push([key, sharesRaw])
    return
  }
  const least = others.reduce((one, other) => (other[1] < one[1] ? other : one))
  least[0] = key
  least[1] = sumOf(least[1], sharesRaw)
}

function countsNow({ sharesRaw, parties }: Spread): boolean {
  return sharesRaw === 0 || parties.every(([, ofParty]) => 2 * ofParty < sharesRaw)
}

export class Spreads {
  readonly #find: Statement<Key, Found>
  readonly #put: Statement<PutRow>
  readonly #count: (owner: ProfileId, marketId: MarketId, sums: CountedSums) => void
  /** Exactly the rows that this chunk touched. */
  readonly #held = new Map<string, Spread>()

  /** `count` receives changes of what boards count. */
  constructor(
    connection: Connection,
    count: (owner: ProfileId, marketId: MarketId, sums: CountedSums) => void,
  ) {
    this.#find = connection.prepare(FIND)
    this.#put = connection.prepare(PUT)
    this.#count = count
  }

  met({ marketId, owner, party, sharesRaw, riskRaw, isPaid }: MetPart): void {
    const row = this.#heldOf(owner, marketId)
    row.sharesRaw = sumOf(row.sharesRaw, sharesRaw)
    if (party !== PARTY.NONE) note(row.parties, party, sharesRaw)
    this.#judge(row)
    if (party === PARTY.OWN || riskRaw === 0) return
    if (!isPaid) row.volumeRaw = sumOf(row.volumeRaw, riskRaw)
    if (isPaid || row.isCounted) this.#count(owner, marketId, { pnlRaw: 0, volumeRaw: riskRaw })
  }

  realised(owner: ProfileId, marketId: MarketId, changeRaw: number): void {
    const row = this.#heldOf(owner, marketId)
    row.pnlRaw += changeRaw
    if (row.isCounted) this.#count(owner, marketId, { pnlRaw: changeRaw, volumeRaw: 0 })
  }

  /** Counts the row from now on, or no longer. */
  #judge(row: Spread): void {
    const isCounted = countsNow(row)
    if (isCounted === row.isCounted) return
    row.isCounted = isCounted
    const { pnlRaw, volumeRaw } = row
    if (pnlRaw === 0 && volumeRaw === 0) return
    const sign = isCounted ? 1 : -1
    const [marketId, owner] = row.key
    this.#count(owner, marketId, { pnlRaw: sign * pnlRaw, volumeRaw: sign * volumeRaw })
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#held.values(), pace, (row) => {
      const { key, sharesRaw, pnlRaw, volumeRaw, isCounted, parties } = row
      this.#put.run(
        ...key,
        sharesRaw,
        pnlRaw,
        volumeRaw,
        isCounted ? 1 : 0,
        JSON.stringify(parties),
      )
    })
    this.#held.clear()
  }

  #heldOf(owner: ProfileId, marketId: MarketId): Spread {
    const name = `${owner}:${marketId}`
    const known = this.#held.get(name)
    if (known !== undefined) return known
    const key: Key = [marketId, owner]
    const found = this.#find.get(...key)
    const row: Spread =
      found === undefined
        ? { key, sharesRaw: 0, pnlRaw: 0, volumeRaw: 0, isCounted: true, parties: [] }
        : { ...found, key, isCounted: found.isCounted === 1, parties: JSON.parse(found.parties) }
    this.#held.set(name, row)
    return row
  }
}
