import type { Seq } from '../../engine/domain/ids.ts'
import type { Connection, Statement } from '../database.ts'
import type { Rests } from '../follower/tables/orders/backlog.ts'

// Checks whether rows of an answer are still in the backlog (follower/tables/orders/backlog.ts).
// Query and check run in one transaction, so both see the same state.

const OWNERS = 'SELECT owners FROM backlog WHERE first_owner <= ? AND last_owner >= ?'
const TRADE = 'SELECT 1 FROM backlog WHERE trade_seq = ? LIMIT 1'

export class LateRows {
  readonly #owners: Statement<[number, number], { owners: Buffer }>
  readonly #trade: Statement<[Seq]>

  constructor(connection: Connection) {
    this.#owners = connection.prepare(OWNERS)
    this.#trade = connection.prepare(TRADE)
  }

  has({ owner, tradeSeqs = [] }: Rests): boolean {
    if (owner !== undefined && this.#hasOwner(owner)) return true
    return tradeSeqs.some((seq) => this.#trade.get(seq) !== undefined)
  }

  #hasOwner(owner: number): boolean {
    for (const { owners } of this.#owners.iterate(owner, owner)) {
      if (isAmong(owner, owners)) return true
    }
    return false
  }
}

/** Owners are ascending, four bytes each. */
function isAmong(owner: number, owners: Buffer): boolean {
  let low = 0
  let high = owners.length / Int32Array.BYTES_PER_ELEMENT
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = owners.readInt32LE(middle * Int32Array.BYTES_PER_ELEMENT)
    if (found === owner) return true
    if (found < owner) low = middle + 1
    else high = middle
  }
  return false
}
