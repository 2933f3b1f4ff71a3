import type { AccountId } from '../../engine/domain/ids.ts'
import type { Follower } from './follower.ts'
import type { Rests } from './tables/orders/backlog.ts'

// Reads that wait for rows of the backlog, oldest first. Rows of their owners are written first, so
// an account with few rows in a long backlog is soon complete. The makers of a trade have no common
// owner, and wait for the normal order.

interface Want {
  readonly id: number
  readonly rests: Rests
}

export class WantedRows {
  readonly #follower: Pick<Follower, 'isWhole'>
  #wants: readonly Want[] = []

  constructor(follower: Pick<Follower, 'isWhole'>) {
    this.#follower = follower
  }

  add(want: Want): void {
    this.#wants = [...this.#wants, want]
  }

  get owners(): readonly AccountId[] {
    return this.#wants.flatMap(({ rests }) => rests.owner ?? [])
  }

  /** Removes and returns the ids of reads whose rows are in the tables. */
  takeWritten(): readonly number[] {
    const isWhole = ({ rests }: Want) => this.#follower.isWhole(rests)
    const ids = this.#wants.filter(isWhole).map(({ id }) => id)
    if (ids.length > 0) this.#wants = this.#wants.filter((want) => !isWhole(want))
    return ids
  }
}
