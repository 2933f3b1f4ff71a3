// Boards, profiles, packs, feeds and matches in `make bench-reads`: an exchange of many profiles
// beside one of a hundredth. Both servers are up and take turns. Every row of their tables comes
// from commands that the core applied and the follower wrote.

import { assert } from '../../../engine/domain/assert.ts'
import { ExchangeClient, headersFor } from '../../../test/support/exchange-client.ts'
import { Random } from '../../../test/support/random.ts'
import { ServerProcess } from '../../../test/support/server-process.ts'
import { Caller } from '../../http/calls.ts'
import { progress } from '../../report/progress.ts'
import type { Row } from '../../report/report.ts'
import { alternating, type Pace, Rounds, type Side } from '../alternating.ts'
import { withKeptFolder } from '../kept-folder.ts'
import { writeStory } from '../written-folder.ts'
import { CROWD_READS, type CrowdRead, HOME } from './crowd-list.ts'
import { accountOf, anyId, type Sample } from './crowd-names.ts'
import { type CrowdSize, MAKER } from './crowd-size.ts'
import { CrowdStory } from './crowd-story.ts'

export type CrowdPlan = CrowdSize & Pace

/** How many times fewer profiles the small exchange has. */
const TIMES = 100
/** Profiles whose packs are asked for one by one. */
const PACK_OWNERS = 200
const SERVER_ARGS = ['--accept-clock', '--no-rate-limit', '--stop-deadline', '120']
const TRIES_MAX = 2400
const LOOK_MS = 250

/** The first pass after a start makes the boards: it has ended when all profiles are on one. */
async function whenProjected(baseUrl: string, { profiles }: CrowdSize): Promise<void> {
  for (let left = TRIES_MAX; left > 0; left--) {
    const reply = await fetch(`${baseUrl}/leaderboard/pnl?limit=1`)
    const biggest = await fetch(`${baseUrl}/leaderboard/pnl/unrealized/biggest-positions?limit=1`)
    // The board of a page is made when it is first asked for, and may be late then.
    const ofPage = await fetch(`${baseUrl}/leaderboard/pnl?scope=category&${HOME}`)
    const { totalRows } = Object(await reply.json())
    const { state } = Object(await biggest.json())
    if (totalRows >= profiles && state === 'READY' && ofPage.ok) return
    progress(`reads: ${totalRows ?? 'no'} profiles are on the board`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new Error('The boards are not made in time.')
}

async function packIdsOf(baseUrl: string, sample: Sample): Promise<number[]> {
  const ids: number[] = []
  for (let owner = 0; owner < Math.min(PACK_OWNERS, sample.size.profiles); owner++) {
    const reply = await fetch(`${baseUrl}/parlay/${accountOf(anyId(sample))}/positions`)
    const { data } = Object(await reply.json())
    assert(Array.isArray(data), 'packs of an account are a list')
    ids.push(...data.map(({ id }) => Number(id)))
  }
  return ids
}

class Requester {
  readonly #open: Caller
  readonly #signed: Caller
  readonly #sample: Sample

  constructor(baseUrl: string, sample: Sample, token: { tokenId: string; secret: string }) {
    this.#sample = sample
    this.#open = new Caller(baseUrl)
    this.#signed = new Caller(baseUrl, [200], (request) => headersFor(token, request))
  }

  round(read: CrowdRead, calls: number): Promise<number[]> {
    const caller = read.isSigned === true ? this.#signed : this.#open
    return caller.round(() => read.request(this.#sample), calls)
  }

  close(): void {
    this.#open.close()
    this.#signed.close()
  }
}

async function withSide<T>(
  { calls, profiles, trades }: CrowdPlan,
  work: (side: Side<CrowdRead>) => Promise<T>,
): Promise<T> {
  const size = { profiles, trades }
  const make = (dataDir: string) =>
    writeStory(dataDir, (seal) => new CrowdStory(size, seal).report(Date.now()))
  return withKeptFolder({ name: `crowd-${profiles}-${trades}`, make }, async (dataDir) => {
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    try {
      await whenProjected(server.baseUrl, size)
      const body = { account: accountOf(MAKER), apiToken: { scopes: ['trading'] } }
      const { tokenId, secret } = Object(
        await new ExchangeClient(server.baseUrl).admin('/admin/profiles', body),
      )
      const sample = { random: new Random(2), size, packIds: [] }
      const packIds = await packIdsOf(server.baseUrl, sample)
      const requester = new Requester(server.baseUrl, { ...sample, packIds }, { tokenId, secret })
      const name = `${profiles} profiles, ${profiles * trades} trades`
      const round = (read: CrowdRead) => requester.round(read, calls)
      const done = await work({ name, rounds: new Rounds(), round })
      requester.close()
      return done
    } finally {
      await server.stop()
    }
  })
}

export function crowdRows(plan: CrowdPlan): Promise<Row[]> {
  const small = { ...plan, profiles: Math.ceil(plan.profiles / TIMES) }
  const kindOf = ({ kind }: CrowdRead) => kind
  const rounds = { ...plan, reads: CROWD_READS, kindOf }
  return withSide(small, (few) => withSide(plan, (many) => alternating(few, many, rounds)))
}
