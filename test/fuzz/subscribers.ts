import { at } from '../support/json-path.ts'
import { handshakeOf, SocketClient } from '../support/socket-client.ts'
import type { Actor } from './actors.ts'
import type { Role } from './speaker.ts'

// Clients that join every channel of the sockets while other requests run. Each receives only what
// is its own, and only the owner receives anything of the owner.

const RECEIVED_MS = 8000
const CHANNELS = 7
/** Fields that say whose a frame is. */
const WHOSE = new Set(['userId', 'profileId', 'ownerId'])

interface Ear {
  readonly role: Role
  readonly client: SocketClient
}

export class Subscriptions {
  readonly #port: number
  readonly #slugs: readonly string[]
  readonly #subscriptions = new Map<string, Ear>()

  constructor(port: number, slugs: readonly string[]) {
    this.#port = port
    this.#slugs = slugs
  }

  /** Opens each closed socket; a socket whose token was revoked ends with its next frame. */
  async open(actors: ReadonlyMap<Role, Actor>): Promise<void> {
    const requests = [...actors.values()].map((actor) => ({
      role: actor.role,
      headers: proof(actor, this.#port),
    }))
    for (const { role, headers } of [...requests, { role: 'nobody' as const, headers: {} }]) {
      const ear = this.#subscriptions.get(role)
      if (ear?.client.socket.connected === true) continue
      const client = await SocketClient.open(this.#port, { headers })
      this.#subscriptions.set(role, { role, client })
      client.socket.emit('subscribe_order_events')
      client.socket.emit('subscribe_transactions')
      client.socket.emit('subscribe_positions', { marketSlugs: this.#slugs })
      client.socket.emit('subscribe_market_prices', { marketSlugs: this.#slugs, mode: 'delta' })
      client.socket.emit('subscribe_trades', { marketSlugs: this.#slugs })
      client.socket.emit('subscribe_market_lifecycle')
      client.socket.emit('subscribe_live_offers')
      // Each subscription is answered; events before its answer need not arrive.
      const answers = () => client.of('system').length + client.of('exception').length
      await client.until(() => answers() >= CHANNELS || !client.socket.connected)
    }
  }

  /**
   * Returns which frame reached a client that must not see it, or ''. Checked frames are dropped.
   */
  issue(actors: ReadonlyMap<Role, Actor>, owned: ReadonlySet<string>): string {
    for (const { role, client } of this.#subscriptions.values()) {
      const own = actors.get(role)?.trader.profileId ?? 0
      for (const { event, payload } of client.frames.splice(0)) {
        const frame = `${event} ${JSON.stringify(payload)}`
        if (at(payload, 'code') === 'INTERNAL')
          return `a frame to ${role} reports a fault: ${frame}`
        const isOthers = numbersAt(payload, WHOSE).some((id) => id !== own)
        if (isOthers) return `a socket of ${role} got ${frame}`
        const shown = role === 'owner' ? undefined : [...owned].find((text) => frame.includes(text))
        if (shown !== undefined) return `a socket of ${role} got ${shown} in ${frame}`
      }
    }
    return ''
  }

  /** Whether a frame about this order reaches the owner in time. */
  async receivesOf(orderId: string): Promise<boolean> {
    const client = this.#subscriptions.get('owner')?.client
    if (client === undefined) return false
    const isThere = () =>
      !client.socket.connected ||
      client.of('orderEvent').some((frame) => at(frame, 'orderId') === orderId)
    const late = new Promise((resolve) =>
      AbortSignal.timeout(RECEIVED_MS).addEventListener('abort', resolve),
    )
    await Promise.race([client.until(isThere), late])
    return client.socket.connected && isThere()
  }

  close(): void {
    for (const { client } of this.#subscriptions.values()) client.close()
  }
}

/** The stranger shows its cookie; the others sign with their tokens. */
function proof({ role, cookie, trader }: Actor, port: number): Record<string, string> {
  const origin = `http://127.0.0.1:${port}`
  return role === 'stranger' ? { cookie, origin } : handshakeOf(trader, Date.now())
}

/** The numbers in fields with these names, given as numbers or as text. */
export function numbersAt(value: unknown, names: ReadonlySet<string>): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const isOne = names.has(name) && (typeof each === 'number' || typeof each === 'string')
    return isOne ? [Number(each)] : numbersAt(each, names)
  })
}
