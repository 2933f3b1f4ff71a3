// Deploys the contracts with which trades settle on an EVM chain.

import type { Address } from 'viem'
import type { Contract, Contracts } from './contracts.ts'

/** The transactions of the account that deploys. Each resolves once it is in a block. */
export interface Deployer {
  create(contract: Contract, args: readonly unknown[]): Promise<Address>
  call(contract: Contract, address: Address, name: string, args: readonly unknown[]): Promise<void>
}

export interface DeploymentRequest {
  /** Of the EIP-712 domain that orders are signed for. */
  readonly domainName: string
  /** ERC-20 with 6 decimals. */
  readonly collateral: Address
  /** Gnosis conditional tokens. */
  readonly conditionalTokens: Address
  /** Receives the fees of takers, and those of conversions; takes ERC-1155 tokens. */
  readonly feeReceiver: Address
  /** Settle trades and prepare markets. */
  readonly operators: readonly Address[]
  /** Post payouts. */
  readonly resolvers: readonly Address[]
}

export interface Deployment {
  readonly wallets: Address
  readonly adapter: Address
  readonly exchange: Address
}

/** Deploys the contracts of an exchange; the deployer owns them. */
export async function deployExchange(
  deployer: Deployer,
  contracts: Contracts,
  request: DeploymentRequest,
): Promise<Deployment> {
  const { domainName, collateral, conditionalTokens, feeReceiver } = request
  const create = (name: string, ...args: readonly unknown[]) =>
    deployer.create(contracts[name], args)
  const wallets = await create('WalletFactory')
  const adapter = await create('GroupAdapter', collateral, conditionalTokens, feeReceiver)
  const parts = [domainName, collateral, conditionalTokens, adapter, wallets, feeReceiver]
  const exchange = await create('Exchange', ...parts)
  for (const [name, address] of [
    ['Exchange', exchange],
    ['GroupAdapter', adapter],
  ] as const) {
    const allow = (role: string, account: Address) =>
      deployer.call(contracts[name], address, role, [account, true])
    for (const operator of request.operators) await allow('setOperator', operator)
    for (const resolver of request.resolvers) await allow('setResolver', resolver)
  }
  return { wallets, adapter, exchange }
}
