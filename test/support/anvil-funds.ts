import assert from 'node:assert/strict'
import { getAddress, zeroHash } from 'viem'
import type { Clearing } from '../../engine/core/clearing.ts'
import { compared } from '../../server/cli/chain/reconcile.ts'
import { ChainClient } from '../../server/settlement/evm/chain-client.ts'
import { exchangeParts } from '../../server/settlement/evm/exchange-parts.ts'
import { loadContracts } from '../../server/settlement/evm/load-contracts.ts'
import { EvmStage, FEE_RECEIVER } from './evm-stage.ts'
import type { Deposit } from './funds.ts'
import type { LiveExchange } from './live-exchange.ts'
import { CHAIN_ID } from './live-orders.ts'
import { until } from './until.ts'

// A chain of its own for an exchange, whose traders get collateral there.

export interface AnvilFunds {
  /** Of the exchange. */
  readonly flags: readonly string[]
  readonly deposit: Deposit
  /** All trades come into blocks, and wallets then hold what the ledger says. */
  readonly settled: (live: LiveExchange) => Promise<void>
  readonly end: () => Promise<void>
}

export async function openAnvilFunds(): Promise<AnvilFunds> {
  const stage = await EvmStage.open()
  return {
    flags: await stage.servedBy(),
    deposit: async ({ exchange }, { profileId }, collateralRaw) => {
      const { clearing } = exchange.pipeline
      const profile = clearing.accounts.byId(profileId)
      assert.ok(profile !== undefined, `there is a profile ${profileId}`)
      await stage.fundAll(clearing, [{ profileId, account: profile.account }], collateralRaw)
      // The intake learns of approvals once they are durable.
      await exchange.pipeline.durable()
    },
    settled: async ({ exchange: { pipeline } }) => {
      const { chainFunds, transactions } = pipeline.clearing
      await until(() => {
        const isQuiet = chainFunds.due().length === 0 && transactions.count === 0
        return isQuiet && pipeline.mining?.waitingCount === 0
      })
      await redeemFees(stage, pipeline.clearing)
      await assertSame(stage, pipeline.clearing)
    },
    end: () => stage.end(),
  }
}

/** The ledger has redeemed fees in shares at the payout; their receiver does so on the chain. */
async function redeemFees(stage: EvmStage, { catalogue }: Clearing): Promise<void> {
  const { collateral, tokens } = stage.at
  for (const { isPaidOut, conditionId, groupId, slug } of catalogue.all()) {
    if (!isPaidOut) continue
    // A market without trades is not on the chain.
    if ((await stage.read(tokens, 'getOutcomeSlotCount', [conditionId])) === 0n) continue
    assert.equal(groupId, undefined, `${slug} is redeemed without an adapter`)
    await until(async () => (await stage.read(tokens, 'payoutDenominator', [conditionId])) !== 0n)
    const args = [collateral, zeroHash, conditionId, [1n, 2n]]
    await stage.send(tokens, 'redeemPositions', args, FEE_RECEIVER)
  }
}

/** Asserts that the wallets of all profiles hold what the ledger says. */
export async function assertSame({ anvil, at }: EvmStage, clearing: Clearing): Promise<string[]> {
  const chain = await ChainClient.open({ urls: [anvil.url], chainId: CHAIN_ID })
  const { abi } = (await loadContracts()).Exchange
  const parts = await exchangeParts(chain, getAddress(at.exchange), abi)
  const named: string[] = []
  for await (const { what, ledgerRaw, chainRaw } of compared(chain, parts, clearing)) {
    assert.equal(chainRaw, ledgerRaw, what)
    named.push(what)
  }
  return named
}
