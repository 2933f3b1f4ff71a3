import { setTimeout as afterMs, setImmediate as nextTick } from 'node:timers/promises'
import { Peer, Reported } from './peer.ts'
import type { Scene } from './scene.ts'

// The connections, the pace and the end of an attack. A long attack ends by the clock and keeps its
// pace. A short attack ends after a number of cycles and runs as fast as it can.

export interface GroundPlan {
  readonly port: number
  readonly scene: Scene
  /** Each attack has its own addresses; the load comes from 127.0.0.1. */
  readonly network: number
  /** 0 for a short attack, which ends after `rounds`. */
  readonly seconds: number
  readonly rounds: number
  /** Unix milliseconds of the instant at which what was prepared ends. */
  readonly instantMs: number
}

/** What ends at one instant is over after this. */
const OVER_MS = 5000

/** A sender that fell further behind does not catch up. */
const BEHIND_MS_MAX = 50
export class Ground {
  readonly scene: Scene
  readonly reported = new Reported()
  readonly #plan: GroundPlan
  readonly #peers = new Set<Peer>()
  readonly #endMs: number
  #rounds = 0
  #nextMs = performance.now()

  constructor(plan: GroundPlan) {
    this.#plan = plan
    this.scene = plan.scene
    this.#endMs = performance.now() + plan.seconds * 1000
  }

  get isShort(): boolean {
    return this.#plan.seconds === 0
  }

  /** For what an attack prepares: that is not what it is about, so its answers are not counted. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#plan.port}`
  }

  get instantMs(): number {
    return this.#plan.instantMs
  }

  /** Opens a connection from one of the attack's addresses. */
  peer(from = 0): Peer {
    const { port, network } = this.#plan
    const peer = new Peer(port, `127.0.${network}.${from + 2}`, this.reported)
    this.#peers.add(peer)
    return peer
  }

  /** The same connection, or a new one when it is closed. */
  again(peer: Peer, from = 0): Peer {
    if (!peer.isClosed) return peer
    this.#peers.delete(peer)
    return this.peer(from)
  }

  /** Waits for the next cycle of all callers together, `perSecond` a second; false at the end. */
  async cycle(perSecond: number): Promise<boolean> {
    this.#rounds++
    if (this.isShort) {
      await nextTick()
      return this.#rounds <= this.#plan.rounds
    }
    const nowMs = performance.now()
    this.#nextMs = Math.max(this.#nextMs + 1000 / perSecond, nowMs - BEHIND_MS_MAX)
    const waitMs = Math.min(this.#nextMs, this.#endMs) - nowMs
    if (waitMs >= 1) await afterMs(waitMs)
    return performance.now() < this.#endMs
  }

  /** Waits until this part of the time is over; a short attack does not wait. */
  async part(part: number): Promise<void> {
    if (this.isShort) return
    await afterMs(
      Math.max(0, this.#endMs - this.#plan.seconds * 1000 * (1 - part) - performance.now()),
    )
  }

  /** Waits until what ends at the instant is over; a short attack does not wait. */
  async instant(): Promise<void> {
    if (!this.isShort) await afterMs(Math.max(0, this.instantMs + OVER_MS - Date.now()))
  }

  /** Waits between two requests of one caller; a short attack does not wait. */
  async rest(ms: number): Promise<void> {
    if (!this.isShort) await afterMs(ms)
  }

  end(): void {
    for (const peer of this.#peers) peer.end()
  }
}
