import { LIMITS } from '../../engine/domain/limits.ts'
import { orderBody, SHARE } from '../support/exchange-client.ts'
import type { Ground } from './ground.ts'
import { signed } from './requests.ts'

// Single requests that change much at once, spread over the time of the attack.

const CALLERS = 32

export async function cancelAll(on: Ground): Promise<void> {
  const { attacker, full } = on.scene
  for (const [index, { slug }] of full.entries()) {
    await on.part((index + 0.5) / full.length)
    await on.peer().ask(signed(attacker, 'DELETE', `/orders/all/${slug}`))
  }
  await on.part(1)
}

/** Rests some orders, and cancels over all markets on all connections at once; again and again. */
export async function cancelEverywhere(on: Ground): Promise<void> {
  const { attacker, full } = on.scene
  const peers = Array.from({ length: CALLERS }, () => on.peer())
  for (let turn = 0; await on.turn(20); turn++) {
    const orders = full.map((market) => {
      const terms = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC' } as const
      return orderBody(attacker, market, { ...terms, salt: Date.now() * 1000 + turn })
    })
    const body = `{"orders":[${orders.join(',')}]}`
    await Promise.all(
      peers.map((_, index) => {
        const peer = on.again(peers[index])
        peers[index] = peer
        const isOrder = index === 0
        return peer.ask(
          isOrder
            ? signed(attacker, 'POST', '/orders/batch', body)
            : signed(attacker, 'DELETE', '/orders/all'),
        )
      }),
    )
  }
}

export async function sweep(on: Ground): Promise<void> {
  const { attacker, sellers, sweepSize } = on.scene
  for (const [index, market] of sellers.entries()) {
    await on.part((index + 0.5) / sellers.length)
    const terms = { isBuy: true, outcome: 'yes', ticks: 500, sizeRaw: sweepSize } as const
    const body = orderBody(attacker, market, { ...terms, type: 'FAK', salt: Date.now() })
    await on.peer().ask(signed(attacker, 'POST', '/orders', body))
  }
  await on.part(1)
}

/** Enough time to send every heartbeat before the deadline that all share. */
const TELLING_MS = 4000

export async function heartbeats(on: Ground): Promise<void> {
  const { beaters } = on.scene
  const cancelAt = Date.now() + LIMITS.heartbeatAheadMsMin + TELLING_MS
  const body = JSON.stringify({ cancelAt })
  let next = 0
  const caller = async () => {
    const peer = on.peer()
    while (next < beaters.length) {
      await peer.ask(signed(beaters[next++], 'POST', '/heartbeats', body))
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  await on.part(1)
}
