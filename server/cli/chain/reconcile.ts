// Compares what accounts have in the ledger with what their wallets have on the chain.

import type { Address } from 'viem'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { type AccountId, FEE_ACCOUNT } from '../../../engine/domain/ids.ts'
import { OUTCOME } from '../../../engine/domain/order.ts'
import { parseAddress } from '../../crypto/address.ts'
import { abiOf, type ChainClient } from '../../settlement/evm/chain-client.ts'
import { ChainTrouble } from '../../settlement/evm/chain-trouble.ts'
import { evmAddress } from '../../settlement/evm/evm-address.ts'
import type { ExchangeParts } from '../../settlement/evm/exchange-parts.ts'

const ABI = abiOf(
  'function balanceOf(address) view returns (uint256)',
  'function balanceOfBatch(address[], uint256[]) view returns (uint256[])',
)
/** Calls at a time, and balances in one call. */
const [CALLS, BATCH] = [20, 200]

/** An amount of one token that an account has in the ledger, free and in orders. */
interface Holding {
  readonly wallets: readonly Address[]
  /** Like `collateral` or `YES of rain`. */
  readonly what: string
  /** Absent for collateral. */
  readonly tokenId?: bigint
  readonly ledgerRaw: bigint
}

export interface Compared extends Holding {
  readonly chainRaw: bigint
}

/** Compares each balance that is not zero in the ledger, and the collateral of every profile. */
export async function* compared(
  chain: ChainClient,
  parts: ExchangeParts,
  clearing: Clearing,
): AsyncGenerator<Compared> {
  const collaterals = [...collateralsIn(clearing, parts)]
  for (let from = 0; from < collaterals.length; from += CALLS) {
    const some = collaterals.slice(from, from + CALLS)
    yield* await Promise.all(some.map((each) => withCollateral(chain, parts, each)))
  }
  const shares = [...sharesIn(clearing, parts)]
  for (let from = 0; from < shares.length; from += BATCH) {
    yield* await withShares(chain, parts, shares.slice(from, from + BATCH))
  }
}

function walletsOf({ accounts }: Clearing, parts: ExchangeParts, id: AccountId): Address[] {
  if (id === FEE_ACCOUNT) return [parts.feeReceiver]
  const { account, smartWallet } = accounts.byId(id) ?? {}
  return [account, smartWallet].flatMap((text) => {
    const bytes = parseAddress(text ?? '')
    return bytes === undefined ? [] : [evmAddress(bytes)]
  })
}

function* collateralsIn(clearing: Clearing, parts: ExchangeParts): Iterable<Holding> {
  const { ledger, accounts } = clearing
  const ids = Array.from({ length: accounts.count }, (_, index) => index + 1)
  for (const id of [FEE_ACCOUNT, ...ids]) {
    const ledgerRaw = BigInt(ledger.freeRaw(id) + ledger.reservedRaw(id))
    yield { wallets: walletsOf(clearing, parts, id), what: 'collateral', ledgerRaw }
  }
}

function* sharesIn(clearing: Clearing, parts: ExchangeParts): Iterable<Holding> {
  const { ledger, catalogue } = clearing
  const { rows } = ledger
  for (let row = 1; row < rows.end; row++) {
    if (!rows.isLive(row)) continue
    const market = catalogue.existing(rows.marketOf(row))
    for (const [name, outcome] of Object.entries(OUTCOME)) {
      const place = row * 2 + outcome
      const heldRaw = ledger.sharesFreeRaw[place] + ledger.sharesReservedRaw[place]
      if (heldRaw === 0) continue
      yield {
        wallets: walletsOf(clearing, parts, rows.accountOf(row)),
        what: `${name} of ${market.slug}`,
        tokenId: BigInt(outcome === OUTCOME.YES ? market.yesTokenId : market.noTokenId),
        ledgerRaw: BigInt(heldRaw),
      }
    }
  }
}

async function withCollateral(
  chain: ChainClient,
  { collateral }: ExchangeParts,
  holding: Holding,
): Promise<Compared> {
  const balances = await Promise.all(
    holding.wallets.map((wallet) => chain.read(collateral, ABI, 'balanceOf', [wallet])),
  )
  return { ...holding, chainRaw: sumOf(balances) }
}

async function withShares(
  chain: ChainClient,
  { conditionalTokens }: ExchangeParts,
  holdings: readonly Holding[],
): Promise<Compared[]> {
  const pairs = holdings.flatMap(({ wallets, tokenId }) => {
    return wallets.map((wallet) => [wallet, tokenId] as const)
  })
  const given = [pairs.map(([wallet]) => wallet), pairs.map(([, tokenId]) => tokenId)]
  const found = await chain.read(conditionalTokens, ABI, 'balanceOfBatch', given)
  if (!Array.isArray(found)) throw new ChainTrouble('the chain gave no balances of shares')
  let at = 0
  return holdings.map((holding) => {
    const own = found.slice(at, at + holding.wallets.length)
    at += holding.wallets.length
    return { ...holding, chainRaw: sumOf(own) }
  })
}

function sumOf(balances: readonly unknown[]): bigint {
  return balances.reduce<bigint>((sum, raw) => {
    if (typeof raw === 'bigint') return sum + raw
    throw new ChainTrouble('the chain gave no balance')
  }, 0n)
}
