import assert from 'node:assert/strict'
import { after, afterEach } from 'node:test'
import { brokenInvariant } from '../../engine/core/state/invariants.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import type { AnvilFunds } from './anvil-funds.ts'
import { copyFolder } from './data-folder.ts'
import { isOnAnvil } from './funds.ts'
import { type LiveExchange, type LiveOptions, startLive, type Trader } from './live-exchange.ts'
import type { LiveMarket } from './live-orders.ts'

// The fixture of tests over HTTP: an exchange with its traders and markets, in a line.

const FUNDS_RAW = 1_000_000_000

/** Some names, or what is special under each name. */
type Named<N extends string, Terms> = readonly N[] | Readonly<Record<N, Terms>>

/** Collateral, or fields of the profile beside it. */
type TraderTerms = number | { readonly collateralRaw?: number; readonly [field: string]: unknown }

export interface Scene<T extends string, M extends string> extends LiveOptions {
  /**
   * The collateral of a trader with no sum of its own: 1000 units unless the options set another,
   * nothing where wallets on a chain hold the funds.
   */
  readonly fundsRaw?: number
  readonly traders?: Named<T, TraderTerms>
  /** Slugs; each market without fees unless the options set them. */
  readonly markets?: Named<M, object>
}

type Staged<T extends string, M extends string> = { readonly live: LiveExchange } & Readonly<
  Record<T, Trader> & Record<M, LiveMarket>
>

function termsOf<V>(named: Named<string, V> | undefined, usual: V): [string, V][] {
  if (named === undefined) return []
  return Array.isArray(named) ? named.map((name) => [name, usual]) : Object.entries(named)
}

/**
 * Starts an exchange. It is stopped, and has met no fault, when the tests of the file are over; or
 * the test that calls this, however that test ends. A hook must not call it: what a hook registers
 * ends with the hook.
 */
export async function exchange<const T extends string = never, const M extends string = never>({
  traders,
  markets,
  fundsRaw,
  ...options
}: Scene<T, M> = {}): Promise<Staged<T, M>> {
  const isOnChain = options.flags?.includes('--chain-rpc') === true
  const usualRaw = fundsRaw ?? (isOnChain ? 0 : FUNDS_RAW)
  const wallets = isOnAnvil && !isOnChain ? await openAnvilFunds() : null
  const live = await startLive(wallets === null ? options : onChain(options, wallets))
  const assertNoFault = () => assert.deepEqual(live.faults, [])
  afterEach(assertNoFault)
  after(async () => {
    try {
      await wallets?.settled(live)
    } finally {
      await live.stop()
      await wallets?.end()
    }
    assertNoFault()
  })
  const staged = new Map<string, Trader | LiveMarket>()
  for (const [slug, fields] of termsOf(markets, {})) {
    staged.set(slug, await live.openMarket(slug, fields))
  }
  for (const [name, terms] of termsOf<TraderTerms>(traders, usualRaw)) {
    const { collateralRaw = usualRaw, ...fields } =
      typeof terms === 'number' ? { collateralRaw: terms } : terms
    staged.set(name, await live.trader(collateralRaw, fields))
  }
  return Object({ live, ...Object.fromEntries(staged) })
}

async function openAnvilFunds(): Promise<AnvilFunds> {
  // It loads the contracts, which no other exchange needs.
  const { openAnvilFunds: open } = await import('./anvil-funds.ts')
  return open()
}

function onChain(options: LiveOptions, { flags, deposit }: AnvilFunds): LiveOptions {
  return { ...options, flags: [...(options.flags ?? []), ...flags], deposit }
}

/** A copy of an exchange's folder as a power cut leaves it, started at the time of the exchange. */
export async function startCopy(live: LiveExchange, options: LiveOptions): Promise<LiveExchange> {
  const { live: copy } = await exchange({ ...options, dataDir: copyFolder(live.dataDir) })
  copy.shiftClock(live.nowMs() - copy.nowMs())
  return copy
}

/** Stops it: it met no fault, its invariants hold, and its folder passes `outcomex verify`. */
export async function stopAndVerify(live: LiveExchange): Promise<void> {
  assert.deepEqual(live.faults, [])
  assert.equal(brokenInvariant(live.exchange.pipeline.clearing), null)
  await live.stop()
  verifyFolder(live.dataDir)
}
