import { LIMITS } from '../../engine/domain/limits.ts'
import { orderBody, SHARE } from '../support/exchange-client.ts'
import { type Attack, CROWDED } from './attack.ts'
import type { Ground } from './ground.ts'
import { signed } from './requests.ts'

// Single requests, and single instants, that change as much at once as the bounds allow.

const CALLERS = 32
const MIB = 2 ** 20
/** Heartbeats are sent from so many addresses. */
const HEARTBEAT_ADDRESSES = 4

async function cancelAll(on: Ground): Promise<void> {
  const { holder, full } = on.scene
  await on.part(0.5)
  await on.peer().request(signed(holder, 'DELETE', `/orders/all/${full.slug}`))
  await on.part(1)
}

/** Rests an order, and cancels over all markets on all connections at once; again and again. */
async function cancelEverywhere(on: Ground): Promise<void> {
  const { attacker, full } = on.scene
  const peers = Array.from({ length: CALLERS }, () => on.peer())
  for (let cycle = 0; await on.cycle(20); cycle++) {
    const terms = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC' } as const
    const body = orderBody(attacker, full, { ...terms, salt: Date.now() * 1000 + cycle })
    await Promise.all(
      peers.map((_, index) => {
        const peer = on.again(peers[index])
        peers[index] = peer
        const isOrder = index === 0
        return peer.request(
          isOrder
            ? signed(attacker, 'POST', '/orders', body)
            : signed(attacker, 'DELETE', '/orders/all'),
        )
      }),
    )
  }
}

async function sweep(on: Ground): Promise<void> {
  const { attacker, sellers, sweepSize } = on.scene
  await on.part(0.5)
  const terms = { isBuy: true, outcome: 'yes', ticks: 500, sizeRaw: sweepSize } as const
  const body = orderBody(attacker, sellers, { ...terms, type: 'FAK', salt: Date.now() })
  await on.peer().request(signed(attacker, 'POST', '/orders', body))
  await on.part(1)
}

/** Sends every heartbeat with the deadline that all share. */
async function heartbeats(on: Ground): Promise<void> {
  const { beaters } = on.scene
  const body = JSON.stringify({ cancelAt: on.instantMs })
  let next = 0
  const caller = async (_: unknown, index: number) => {
    const from = index % HEARTBEAT_ADDRESSES
    let peer = on.peer(from)
    while (next < beaters.length) {
      peer = on.again(peer, from)
      await peer.request(signed(beaters[next++], 'POST', '/heartbeats', body))
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

/** Waits until the prepared instant is over. */
async function untilOver(on: Ground): Promise<void> {
  await on.instant()
  await on.part(1)
}

export const WIDE_ACTS: readonly Attack[] = [
  {
    name: 'cancel-all of as many orders as a profile may have',
    run: cancelAll,
    bytes: 64 * MIB,
    answers: ['200', 'closed'],
    meets: ['200'],
    shortRounds: 0,
  },
  {
    name: 'cancels over all markets at once',
    run: cancelEverywhere,
    bytes: 64 * MIB,
    answers: ['200', '201', ...CROWDED],
    meets: ['200'],
    shortRounds: 20,
  },
  {
    name: 'a sweep over many makers',
    run: sweep,
    scene: 'wide',
    bytes: 64 * MIB,
    answers: ['201', 'closed'],
    meets: ['201'],
    shortRounds: 0,
  },
  {
    name: `heartbeats of ${LIMITS.subAccountsPerPartnerMax} profiles that end at one instant`,
    prepare: heartbeats,
    run: untilOver,
    bytes: 64 * MIB,
    answers: ['200', ...CROWDED],
    meets: ['200'],
    shortRounds: 0,
  },
]

/** Too large for a short form: `large-commands.test.ts` has one. */
export const WIDEST: Attack = {
  name: 'orders of the whole exchange that expire at one instant',
  run: untilOver,
  scene: 'wide',
  bytes: 256 * MIB,
  answers: [],
  meets: [],
  shortRounds: 0,
}
