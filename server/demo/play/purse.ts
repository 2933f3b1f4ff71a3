// Keeps the demo's automatic traders funded: one of them each round.

import { integer } from '../../edge/http/schema/scalars.ts'
import { compile, openObject } from '../../edge/http/schema/schema.ts'
import { adminCall, type DemoClient } from '../demo-client.ts'
import type { OwnServer } from '../own-server.ts'
import { collect } from './holdings.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'

export interface Purse {
  readonly owner: DemoClient
  /** Its initial funds, paid again when nearly all of them are lost. */
  readonly fundsRaw: number
}

export interface PurseKeeperOptions extends BotOptions {
  readonly operators: OwnServer
  readonly adminToken: string
  /** The traders present so far. */
  readonly purses: () => readonly Purse[]
}

const ROUND_MS = 10_000
const LEFT_PART = 20

const knownBalance = compile(openObject({ freeRaw: integer(), reservedRaw: integer() }))

export function startPurseKeeper(options: PurseKeeperOptions): Rounds {
  const { operators, adminToken, purses, warn, audience } = options
  let cycle = 0
  const round = async () => {
    const all = purses()
    const { owner, fundsRaw } = all[cycle++ % all.length]
    await collect(owner)
    const { profileId } = owner.trader
    const balance = await adminCall(operators, adminToken, `/admin/balances/${profileId}`)
    if (!knownBalance.holds(balance)) throw new Error('a balance is two numbers')
    if (balance.freeRaw + balance.reservedRaw > fundsRaw / LEFT_PART) return
    const given = { profileId, collateralRaw: fundsRaw }
    await adminCall(operators, adminToken, '/admin/balances', given)
  }
  return startRounds({
    name: "the demo's purse keeper",
    warn,
    audience,
    round,
    pauseMs: () => ROUND_MS,
  })
}
