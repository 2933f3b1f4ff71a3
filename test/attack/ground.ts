import { setTimeout as afterMs, setImmediate as nextTurn } from 'node:timers/promises'
import { Peer, Told } from './peer.ts'
import type { Scene } from './scene.ts'

// What an attack stands on: its connections, its pace and its end. A long one ends by the clock
// and keeps its pace; a short one ends after so many turns and hurries.

export interface GroundPlan {
  readonly port: number
  readonly scene: Scene
  /** Each attack has addresses of its own; those who trade as they should are at 127.0.0.1. */
  readonly network: number
  /** 0: the turns decide. */
  readonly seconds: number
  readonly turns: number
}

/** A sender that fell behind does not make up for more. */
const BEHIND_MS_MAX = 50
export class Ground {
  readonly scene: Scene
  readonly told = new Told()
  readonly #plan: GroundPlan
  readonly #peers = new Set<Peer>()
  readonly #endMs: number
  #turns = 0
  #nextMs = performance.now()

  constructor(plan: GroundPlan) {
    this.#plan = plan
    this.scene = plan.scene
    this.#endMs = performance.now() + plan.seconds * 1000
  }

  get isShort(): boolean {
    return this.#plan.seconds === 0
  }

  /** A new connection, from one of the addresses. */
  peer(from = 0): Peer {
    const { port, network } = this.#plan
    const peer = new Peer(port, `127.0.${network}.${from + 2}`, this.told)
    this.#peers.add(peer)
    return peer
  }

  /** The same one, or another when it was ended. */
  again(peer: Peer, from = 0): Peer {
    if (!peer.isClosed) return peer
    this.#peers.delete(peer)
    return this.peer(from)
  }

  /** Waits for the next turn of so many a second over all who ask; false at the end. */
  async turn(perSecond: number): Promise<boolean> {
    this.#turns++
    if (this.isShort) {
      await nextTurn()
      return this.#turns <= this.#plan.turns
    }
    const nowMs = performance.now()
    this.#nextMs = Math.max(this.#nextMs + 1000 / perSecond, nowMs - BEHIND_MS_MAX)
    const waitMs = Math.min(this.#nextMs, this.#endMs) - nowMs
    if (waitMs >= 1) await afterMs(waitMs)
    return performance.now() < this.#endMs
  }

  /** Until so much of the time is over; not in a short one. */
  async part(part: number): Promise<void> {
    if (this.isShort) return
    await afterMs(
      Math.max(0, this.#endMs - this.#plan.seconds * 1000 * (1 - part) - performance.now()),
    )
  }

  end(): void {
    for (const peer of this.#peers) peer.end()
  }
}
