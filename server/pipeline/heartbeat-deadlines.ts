// Main's side of the heartbeats (domain §4.9): which deadline comes next, and whose cancels are
// under way. The state itself is in the clearing, from which all of this follows again.

import type { Clearing } from '../../engine/core/clearing.ts'
import { Deadlines } from '../../engine/core/deadlines.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { RareCommand } from '../../engine/domain/command.ts'
import type { TimeMs } from '../../engine/domain/units.ts'

const FIRST_CAPACITY = 1024

export class HeartbeatDeadlines {
  /** By profile id. */
  readonly #due = new Deadlines(FIRST_CAPACITY)
  /** Profiles whose deadline passed while not all of their cancels are durable. */
  readonly #canceling = new Set<number>()
  /** Those of them whose cancels are not all stamped. */
  readonly #unsent = new Set<number>()

  get nextMs(): TimeMs {
    return this.#due.nextMs
  }

  get armedCount(): number {
    return this.#due.count
  }

  /** Takes the profile whose deadline comes first. */
  pop(): number {
    return this.#due.pop()
  }

  isCanceling(profileId: number): boolean {
    return this.#canceling.has(profileId)
  }

  watch(command: RareCommand): void {
    if (command.kind === 'armHeartbeat') this.arm(command.profileId, command.cancelAtMs)
    else if (command.kind === 'disarmHeartbeat') this.#due.remove(command.profileId)
    else if (command.kind === 'fireHeartbeat') this.began(command.profileId)
  }

  arm(profileId: number, cancelAtMs: TimeMs): void {
    this.#due.remove(profileId)
    this.#due.add(profileId, cancelAtMs)
  }

  began(profileId: number): void {
    this.#canceling.add(profileId)
    this.#unsent.add(profileId)
  }

  get hasUnsent(): boolean {
    return this.#unsent.size > 0
  }

  /** The profiles of which nothing is left to stamp since this was asked last. */
  takeSent(isOwed: (profileId: number) => boolean): number[] {
    const sent = [...this.#unsent].filter((profileId) => !isOwed(profileId))
    for (const profileId of sent) this.#unsent.delete(profileId)
    return sent
  }

  /** The last of its cancels is durable. */
  ended(profileId: number): void {
    this.#canceling.delete(profileId)
  }
}

/** Live orders of a profile that came before `seq`, by market. No market is asked in vain. */
export function ordersBefore(
  { catalogue, ledger, orders }: Clearing,
  profileId: number,
  seq: number,
): Map<number, { slot: number; generation: number }[]> {
  const byMarket: ReturnType<typeof ordersBefore> = new Map()
  let unseen = orders.openCountOf(profileId)
  for (let marketId = 1; unseen > 0; marketId++) {
    assert(marketId <= catalogue.count, 'a live order is in a market')
    const row = ledger.rows.find(profileId, marketId)
    const names: { slot: number; generation: number }[] = []
    let slot = row === 0 ? 0 : orders.firstOfRow(row)
    for (; slot !== 0; slot = orders.nextOf(slot)) {
      unseen--
      if (orders.seqOf(slot) < seq) names.push({ slot, generation: orders.generationOf(slot) })
    }
    if (names.length > 0) byMarket.set(marketId, names)
  }
  return byMarket
}
