// A running exchange in this process, without HTTP and intake. Requests go straight to the
// sequencer, and the test sets the time.

import { after } from 'node:test'
import { ASK_TABLES } from '../../engine/core/decide/decide.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { PlaceOrder, TokenFields } from '../../engine/domain/command.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { tokenSecretOf } from '../../persistence/seal.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill } from './bare-exchange.ts'
import { marketSpec, ownRequest, profileFields } from './specs.ts'

/**
 * Opens an exchange, which is stopped when the tests of the file are over, or the test that calls
 * this: however that test ends, and unless it stopped the exchange itself. No hook may call it.
 */
export async function openForTest(
  ...settings: Parameters<typeof openToKill>
): Promise<RunningExchange> {
  const exchange = await openToKill(...settings)
  let stopped: ReturnType<RunningExchange['stop']> | null = null
  const stop = () => {
    stopped ??= exchange.stop()
    return stopped
  }
  after(stop)
  return { ...exchange, stop }
}

export const TOKEN = 'test-token'
const tokenIdOf = (profileId: number) => (profileId === 1 ? TOKEN : `${TOKEN}-${profileId}`)

/** The token by which a profile places its orders. */
export function tokenOf({ seal }: Pick<RunningExchange, 'seal'>, profileId: number): TokenFields {
  const tokenId = tokenIdOf(profileId)
  const sealedSecret = seal.seal(new Uint8Array(32), tokenSecretOf(tokenId, profileId))
  return { tokenId, sealedSecret, label: null, scopes: ['trading'] }
}

/** Creates the market with this id; ids count from 1. */
export async function makeMarket(
  { pipeline }: RunningExchange,
  marketId: number,
  deadlineMs: number | null = null,
): Promise<void> {
  const market = marketSpec(marketId, { deadlineMs })
  await pipeline.change(() => ({ kind: 'createMarket', marketId, book: marketId, market }))
}

/** Makes the profile with this id, which has a token and this collateral. */
export async function addProfile(
  exchange: Pick<RunningExchange, 'pipeline' | 'seal'>,
  profileId: number,
  collateralRaw: number,
  changes: Parameters<typeof profileFields>[1] = {},
): Promise<void> {
  const { pipeline } = exchange
  const profile = profileFields(profileId, changes)
  const token = tokenOf(exchange, profileId)
  await pipeline.change(() => ({ kind: 'createProfile', profileId, profile, token }))
  await pipeline.change(() => ({ kind: 'adjustBalance', profileId, collateralRaw }))
}

/** Makes one market with this deadline, and one funded profile with a token. */
export async function fill(
  exchange: RunningExchange,
  collateralRaw: number,
  deadlineMs: number | null = null,
): Promise<void> {
  await makeMarket(exchange, 1, deadlineMs)
  await addProfile(exchange, 1, collateralRaw, { rank: null })
}

/**
 * Puts one order through the sequencer, a GTC buy of YES by default. Gives null or the
 * refusal. Once in a while the filter, whose seed no test knows, takes a new order for a known one.
 * The sequencer then queries the tables, which do not have the order.
 */
export function buy(
  { pipeline }: RunningExchange,
  hash: number,
  order: Partial<PlaceOrder>,
  { signedFeeBps = 0, tokenId = tokenIdOf(order.accountId ?? 1) } = {},
): ReturnType<RunningExchange['pipeline']['sequencer']['place']> {
  const terms = { marketId: 1, accountId: 1, hashHigh: hash, hashLow: 1, ...order }
  const place = { ...blankPlace(), book: terms.marketId, ...terms }
  const token = pipeline.clearing.accounts.tokenById(tokenId)
  assert(token !== undefined, 'an account that places orders has a token')
  const request = { ...ownRequest(place, token.tokenNo), signedFeeBps }
  const first = pipeline.sequencer.place(request, encodePlace(place))
  const inTables = { seq: pipeline.clearing.lastSeq, hash: false, clientId: false }
  return first === ASK_TABLES
    ? pipeline.sequencer.place({ ...request, inTables }, encodePlace(place))
    : first
}

/** Main sleeps until the threads have taken all commands, and a moment longer. */
export function sleepUntilTaken({ shards }: RunningExchange): void {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (const shard of shards.all) shard.send()
  while (shards.all.some((shard) => shard.queuedBytes() > 0)) Atomics.wait(cell, 0, 0, 1)
  Atomics.wait(cell, 0, 0, 20)
}
