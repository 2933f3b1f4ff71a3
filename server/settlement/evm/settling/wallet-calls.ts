// What a server wallet does on the chain, as calls that its key signs and that the factory makes
// (contracts/Wallets.sol).

import type { Address, Hex } from 'viem'
import type { DueMove } from '../../../../engine/domain/moves/move-command.ts'
import { signHash } from '../../../crypto/ecdsa.ts'
import { abiOf, callOf, callsHash, type WalletCall } from '../chain-client.ts'
import type { WalletJob, WalletWork } from './chain-messages.ts'

const ABI = abiOf(
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function setApprovalForAll(address, bool)',
)
const TOKENS_ABI = abiOf(
  'function splitPosition(address, bytes32, bytes32, uint256[], uint256)',
  'function mergePositions(address, bytes32, bytes32, uint256[], uint256)',
  'function redeemPositions(address, bytes32, bytes32, uint256[])',
)
const ADAPTER_ABI = abiOf(
  'function splitPosition(bytes32, uint256)',
  'function mergePositions(bytes32, uint256)',
  'function redeemPositions(bytes32, uint256, uint256)',
  'function convertPositions(bytes32, uint256, uint256)',
)
const NO_PARENT: Hex = `0x${'00'.repeat(32)}`
/** YES and NO as index sets. */
const BOTH = [1n, 2n]
const ENDLESS = 2n ** 256n - 1n
/** The contract makes the calls of an id once, so the signature may last. */
const DEADLINE_SEC = 2n ** 40n

export interface WalletContracts {
  readonly collateral: Address
  readonly conditionalTokens: Address
  readonly adapter: Address
}

export function callsOf(work: WalletWork, contracts: WalletContracts): WalletCall[] {
  if (work.kind === 'approve') {
    return work.spenders.flatMap((spender) => approvals(spender, contracts))
  }
  const { move } = work
  if (move.kind === 'WITHDRAW') {
    return [collateralCall(contracts, 'transfer', [move.destination, BigInt(move.amountRaw)])]
  }
  return move.negRiskId === '' ? pairCalls(move, contracts) : groupCalls(move, contracts)
}

function approvals(spender: Address, contracts: WalletContracts): WalletCall[] {
  const data = callOf(ABI, 'setApprovalForAll', [spender, true])
  return [
    collateralCall(contracts, 'approve', [spender, ENDLESS]),
    { target: contracts.conditionalTokens, value: 0n, data },
  ]
}

function collateralCall(
  { collateral: target }: WalletContracts,
  name: 'approve' | 'transfer',
  args: readonly unknown[],
): WalletCall {
  return { target, value: 0n, data: callOf(ABI, name, args) }
}

function pairCalls(
  { kind, conditionId, amountRaw }: DueMove,
  contracts: WalletContracts,
): WalletCall[] {
  const { collateral, conditionalTokens: target } = contracts
  const of = [collateral, NO_PARENT, conditionId, BOTH]
  const amount = BigInt(amountRaw)
  const call = (name: string, args: readonly unknown[]) => {
    return { target, value: 0n, data: callOf(TOKENS_ABI, name, args) }
  }
  if (kind === 'REDEEM') return [call('redeemPositions', of)]
  if (kind === 'MERGE') return [call('mergePositions', [...of, amount])]
  return [
    collateralCall(contracts, 'approve', [target, amount]),
    call('splitPosition', [...of, amount]),
  ]
}

/** The adapter takes what it needs, so the wallet allows it first. */
function groupCalls(move: DueMove, contracts: WalletContracts): WalletCall[] {
  const { adapter: target } = contracts
  const data = callOf(ADAPTER_ABI, ...adapterCall(move))
  return [...approvals(target, contracts), { target, value: 0n, data }]
}

function adapterCall(move: DueMove): [name: string, args: readonly unknown[]] {
  const { kind, conditionId, negRiskId, indices, yesRaw, noRaw } = move
  const amount = BigInt(move.amountRaw)
  switch (kind) {
    case 'SPLIT':
      return ['splitPosition', [conditionId, amount]]
    case 'MERGE':
      return ['mergePositions', [conditionId, amount]]
    case 'REDEEM':
      return ['redeemPositions', [conditionId, BigInt(yesRaw), BigInt(noRaw)]]
    default: {
      const set = indices.reduce((sum, index) => sum | (1n << BigInt(index)), 0n)
      return ['convertPositions', [negRiskId, set, amount]]
    }
  }
}

/** The arguments of the factory's `execute`. */
export function executeArgs(
  chainId: number,
  { wallet, owner, key }: Pick<WalletJob, 'wallet' | 'owner' | 'key'>,
  calls: readonly WalletCall[],
  id: bigint,
): readonly unknown[] {
  const hash = callsHash(chainId, wallet, { calls, id, deadline: DEADLINE_SEC })
  const signature = `0x${Buffer.from(signHash(hash, key)).toString('hex')}`
  return [owner, calls, id, DEADLINE_SEC, signature]
}
