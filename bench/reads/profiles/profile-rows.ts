// Boards, profiles, packs, feeds and matches: an exchange of many profiles beside one of a
// hundredth. Every row of their tables comes from commands that the core applied and the follower
// wrote.

import { assert } from '../../../engine/domain/assert.ts'
import { ExchangeClient } from '../../../test/support/exchange-client.ts'
import { Random } from '../../../test/support/random.ts'
import { writeHistory } from '../../exchange/exchange-folder.ts'
import { progress, type Row } from '../../harness/bench.ts'
import { withCachedFolder } from '../../harness/folder.ts'
import { withServer } from '../../http/servers.ts'
import { type Pace, readRows, type Side } from '../read-rows.ts'
import { historyOf, MAKER, type ProfileSize } from './profile-history.ts'
import { accountOf, HOME, PROFILE_READS, profileValues } from './profile-reads.ts'

export type ProfilesPlan = ProfileSize & Pace

/** How many times fewer profiles the small exchange has. */
const TIMES = 100
/** Profiles whose packs are read one by one. */
const PACK_OWNERS = 200
const TRIES_MAX = 2400
const POLL_EVERY_MS = 250

/** Waits until the first pass after the start has made the boards: all profiles are on one then. */
async function whenProjected(baseUrl: string, { profiles }: ProfileSize): Promise<void> {
  for (let left = TRIES_MAX; left > 0; left--) {
    const reply = await fetch(`${baseUrl}/leaderboard/pnl?limit=1`)
    const biggest = await fetch(`${baseUrl}/leaderboard/pnl/unrealized/biggest-positions?limit=1`)
    // The board of a page is made at its first read, which may time out.
    const ofPage = await fetch(`${baseUrl}/leaderboard/pnl?scope=category&${HOME}`)
    const { totalRows } = Object(await reply.json())
    const { state } = Object(await biggest.json())
    if (totalRows >= profiles && state === 'READY' && ofPage.ok) return
    progress(`reads: ${totalRows ?? 'no'} profiles are on the boards`)
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
  }
  throw new Error('The boards were not ready in time.')
}

async function packIdsOf(baseUrl: string, owners: number): Promise<number[]> {
  const ids: number[] = []
  for (let owner = 1; owner <= owners; owner++) {
    const reply = await fetch(`${baseUrl}/parlay/${accountOf(owner)}/positions`)
    const { data } = Object(await reply.json())
    assert(Array.isArray(data), 'packs of an account are a list')
    ids.push(...data.map(({ id }) => Number(id)))
  }
  return ids
}

function withSide<T>(size: ProfileSize, work: (side: Side) => Promise<T>): Promise<T> {
  const { profiles, trades } = size
  const make = (dataDir: string) => {
    writeHistory(dataDir, (seal) => historyOf(size, seal, Date.now()))
  }
  return withCachedFolder(`profiles-${profiles}-${trades}`, make, (dataDir) =>
    withServer(dataDir, async (openCaller, baseUrl) => {
      await whenProjected(baseUrl, size)
      const body = { account: accountOf(MAKER), apiToken: { scopes: ['trading'] } }
      const token = Object(await new ExchangeClient(baseUrl).admin('/admin/profiles', body))
      const packIds = await packIdsOf(baseUrl, Math.min(PACK_OWNERS, profiles))
      const values = profileValues(size, new Random(2), packIds)
      const name = `${profiles} profiles, ${profiles * trades} trades`
      return await work({ name, values, caller: openCaller({ token }) })
    }),
  )
}

export function profileRows({ profiles, trades, ...pace }: ProfilesPlan): Promise<Row[]> {
  const small = { profiles: Math.ceil(profiles / TIMES), trades }
  return withSide(small, (few) =>
    withSide({ profiles, trades }, (many) => readRows(few, many, PROFILE_READS, pace)),
  )
}
