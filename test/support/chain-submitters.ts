import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { compiledContracts } from '../../server/build/contracts.ts'
import { ChainClient, callOf, type Payload } from '../../server/settlement/evm/chain-client.ts'
import type { ChainKey } from '../../server/settlement/evm/key/chain-key.ts'
import { openKey } from '../../server/settlement/evm/key/open-key.ts'
import type { Attempt, SubmitterParts } from '../../server/settlement/evm/submitter.ts'
import { type EvmStage, freshKeyFile } from './evm-stage.ts'
import { CHAIN_ID } from './live-orders.ts'

// Submitters on a local chain. Each payload makes one unit of a token for an account of its own, so
// what was executed twice or never is seen in balances.

const GWEI = 10n ** 9n
const COIN = 10n ** 18n
export const REPEAT_MS = 10_000

export const freshAccount = (): Address => getAddress(`0x${randomBytes(20).toString('hex')}`)

/** An account of its own, with coins. */
export async function freshKey({ anvil }: EvmStage, value = COIN): Promise<ChainKey> {
  const { file } = freshKeyFile()
  const key = await openKey({ kind: 'file', file, passwordFile: undefined })
  await anvil.client.setBalance({ address: key.address, value })
  return key
}

export function payloadFor({ at }: EvmStage, account: Address): Payload {
  const data = callOf(compiledContracts().TestDollar.abi, 'mint', [account, 1n])
  return { to: at.collateral, data }
}

export async function submitterParts(
  url: string,
  key: ChainKey,
  more: Partial<SubmitterParts> = {},
): Promise<SubmitterParts & { readonly kept: Attempt[] }> {
  const chain = await ChainClient.open({ urls: [url], chainId: CHAIN_ID })
  const kept: Attempt[] = []
  const keep = async (attempt: Attempt) => void kept.push(attempt)
  const bounds = { maxFeeWei: 100n * GWEI, confirmations: 1, pendingMax: 8, repeatMs: REPEAT_MS }
  return { chain, key, keep, ...bounds, ...more, kept }
}
