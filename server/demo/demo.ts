// `--demo`: fills an empty data folder with a lively exchange, and runs bots that quote in its
// books.

import type { ProfileId } from '../../engine/domain/ids.ts'
import type { OwnCalls } from '../edge/http/access/own-calls.ts'
import { adminCall } from './demo-client.ts'
import { findPeople, makeCompany } from './demo-company.ts'
import {
  BOTS,
  fillBots,
  fillMarkets,
  fillPast,
  fillTraders,
  slugsOf,
  TRADERS,
} from './demo-fill.ts'
import { type Play, startPlay } from './demo-play.ts'
import { type Filling, signIn } from './demo-profiles.ts'
import { fillSocial } from './demo-social.ts'
import { type DemoFile, readDemo, writeDemo } from './demo-store.ts'
import { OwnServer } from './own-server.ts'
import { Audience, type Visits } from './play/audience.ts'

export interface DemoOptions {
  readonly dataDir: string
  readonly baseUrl: string
  /** Address of the admin API. */
  readonly operatorsUrl: string
  /** The token, if this start created or received it; null when only demo.json has it. */
  readonly adminToken: string | null
  readonly config: {
    readonly headerPrefixes: readonly string[]
    readonly domain: { readonly name: string; readonly chainId: number }
    readonly tls?: { readonly certFile: string } | undefined
  }
  /** Its calls are not rate-limited. */
  readonly ownCalls: OwnCalls
  readonly visits: () => Visits
  readonly log: { warn(sentence: string): void; info(sentence: string): void }
}

export interface Demo {
  /** True when the books have their first quotes; false when the demo was stopped before. */
  readonly ready: Promise<boolean>
  stop(): Promise<void>
}

interface Found {
  readonly demo: DemoFile
  /** False when the admin token changed: its bots are other profiles, which do not exist yet. */
  readonly hasBots: boolean
}

/** The demo of this folder with its admin token; warns and returns null when it has no demo. */
async function findDemo(options: DemoOptions, server: OwnServer): Promise<Found | null> {
  const { baseUrl, operatorsUrl, log } = options
  const known = readDemo(options.dataDir)
  if (known === 'damaged') {
    log.warn('demo.json is damaged: the exchange is served as it is, without the demo bots')
    return null
  }
  const adminToken = options.adminToken ?? known?.adminToken ?? ''
  if (adminToken === '' || (known === null && (await slugsOf(server)).size > 0)) {
    log.warn('the exchange in the data folder is not a demo; it is served as it is')
    return null
  }
  const elsewhere = operatorsUrl === baseUrl ? {} : { operatorsUrl }
  const traders = known !== null && known.traders.length >= TRADERS.length ? known.traders : []
  const hasBots = traders.length > 0 && known?.adminToken === adminToken
  const hasCompany = hasBots && known?.hasCompany === true
  return { demo: { baseUrl, ...elsewhere, adminToken, traders, hasCompany }, hasBots }
}

/** demo.json lists its traders once all are created and funded, so none is ever funded twice. */
async function complete(dataDir: string, found: Found, filling: Filling): Promise<DemoFile> {
  const { demo, hasBots } = found
  const hasTraders = demo.traders.length > 0
  if (hasBots || !hasTraders) writeDemo(dataDir, demo)
  if (hasBots) return demo
  await fillMarkets(filling)
  await fillBots(filling)
  const traders = hasTraders ? demo.traders : await fillTraders(filling)
  if (!hasTraders && traders.length > 0) await fillPast(filling, traders[0])
  if (!hasTraders) await fillSocial(filling, traders)
  const whole = { ...demo, traders }
  if (!filling.isStopped()) writeDemo(dataDir, whole)
  return whole
}

/** Writes a new admin token before it is valid: without it, no later start can fill the demo. */
export function keepAdminToken(dataDir: string, baseUrl: string, adminToken: string): void {
  writeDemo(dataDir, { baseUrl, adminToken, traders: [] })
}

interface Started {
  readonly server: OwnServer
  readonly operators: OwnServer
  readonly audience: Audience
}

async function begin(
  options: DemoOptions,
  { server, operators, audience }: Started,
  isStopped: () => boolean,
): Promise<Play | null> {
  const { config, log, dataDir, ownCalls } = options
  const found = await findDemo(options, server)
  if (found === null) return null
  const venue = { server, headerPrefix: config.headerPrefixes[0], domain: config.domain }
  const filling = { venue, operators, adminToken: found.demo.adminToken, isStopped }
  const demo = await complete(dataDir, found, filling)
  if (isStopped()) return null
  // A proof of a trader's funds then need not wait for the first count. May fail during a stop.
  await adminCall(operators, filling.adminToken, '/admin/solvency', {}).catch(() => null)
  const bots = [await signIn(filling, BOTS[0]), await signIn(filling, BOTS[1])]
  if (isStopped()) return null
  const owned = (profileId: ProfileId) => ownCalls.profiles.add(profileId)
  for (const { profileId } of bots) owned(profileId)
  const people = async () => {
    const made = await (demo.hasCompany
      ? findPeople(filling)
      : makeCompany(filling, demo.traders, bots))
    for (const { trader } of made) owned(trader.profileId)
    if (demo.hasCompany) return made
    if (!isStopped()) writeDemo(dataDir, { ...demo, hasCompany: true })
    return made
  }
  return startPlay({ filling, bots, people, audience, warn: (sentence) => log.warn(sentence) })
}

/** Creates or finds the demo and starts its bots. */
export function startDemo(options: DemoOptions): Demo {
  let stopped = false
  const seen = { seq: '' }
  const calls = { certFile: options.config.tls?.certFile, marks: options.ownCalls.headers, seen }
  const server = new OwnServer(options.baseUrl, calls)
  const operators = new OwnServer(options.operatorsUrl, calls)
  const audience = new Audience(options.visits)
  const begun = begin(options, { server, operators, audience }, () => stopped)
  const quoted = async () => {
    await (await begun)?.ready
    return !stopped
  }
  return {
    ready: quoted(),
    async stop() {
      stopped = true
      audience.stop()
      server.hurry()
      operators.hurry()
      // `ready` reports a failure of the start.
      const bots = await begun.catch(() => null)
      await bots?.stop()
      server.close()
      operators.close()
    },
  }
}
