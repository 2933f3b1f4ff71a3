import type { Ground } from './ground.ts'

// What an attack is, and how most of them send requests.

export interface Attack {
  readonly name: string
  readonly run: (on: Ground) => Promise<void>
  /** Comes before the load is measured. */
  readonly prepare?: (on: Ground) => Promise<void>
  /** `wide`: a folder of its own, full of orders (`wide-scene.ts`). */
  readonly scene?: 'wide'
  /** How much memory the attack may take, by the bounds that hold it. */
  readonly bytes: number
  /** All answers that the attack may get. */
  readonly answers: readonly string[]
  /** The answers that a short attack waits for: the bound that stops it, where it has one. */
  readonly meets: readonly string[]
  readonly shortRounds: number
  /** Nobody reads the log during the attack. */
  readonly stallsLog?: boolean
}

/** Measured: a socket with its state costs up to 26 KB, a plain connection less. */
export const SOCKET_BYTES = 26 * 1024
export const CROWDED = ['closed', '429 RATE_LIMITED', '503 OVERLOADED']

export interface LoadOptions {
  /** Of all connections together. */
  readonly perSecond: number
  readonly connections: number
}

/** Sends requests one after the other on some connections of two addresses, at one rate in all. */
export async function asks(
  on: Ground,
  { perSecond, connections }: LoadOptions,
  next: (cycle: number) => string,
): Promise<void> {
  let cycle = 0
  const caller = async (_: unknown, index: number) => {
    const from = index % 2
    let peer = on.peer(from)
    while (await on.cycle(perSecond)) {
      peer = on.again(peer, from)
      await peer.request(next(cycle++))
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
}
