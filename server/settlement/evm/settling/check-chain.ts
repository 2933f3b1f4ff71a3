// What must be right before trades settle with a contract.

import type { Address } from 'viem'
import { domainSeparator } from '../../../crypto/eip712.ts'
import { FactoryWallets } from '../../../edge/intake/order/factory-wallets.ts'
import type { WalletCode } from '../../../messages/wallet-signature.ts'
import { type ChainClient, hexOf } from '../chain-client.ts'
import { WrongChain } from '../chain-trouble.ts'
import type { Contracts } from '../contracts.ts'
import { evmAddress } from '../evm-address.ts'
import type { ChainSettings, GroupContracts } from './chain-messages.ts'

/** The contracts of groups. Throws `WrongChain` when a contract is not that of these settings. */
export async function checkExchange(
  chain: ChainClient,
  { Exchange: { abi }, GroupAdapter }: Contracts,
  accounts: readonly Address[],
  { exchange, collateral, domainName }: ChainSettings,
): Promise<GroupContracts> {
  if (!(await chain.isContract(exchange))) {
    throw new WrongChain(
      `${exchange} of --exchange-address is no contract on chain ${chain.chainId}; create one ` +
        'with outcomex chain deploy',
    )
  }
  const read = (name: string, args: readonly unknown[] = []) =>
    chain.read(exchange, abi, name, args)
  const bytes = Buffer.from(exchange.slice(2), 'hex')
  const separator = Buffer.from(domainSeparator(domainName, chain.chainId, bytes)).toString('hex')
  if ((await read('domainSeparator')) !== `0x${separator}`) {
    throw new WrongChain(
      `${exchange} of --exchange-address is no exchange, or takes orders that are signed for ` +
        `another name than ${domainName}; set --domain-name to the one it was deployed with`,
    )
  }
  const found = await read('collateral')
  if (found !== collateral) {
    throw new WrongChain(
      `${exchange} trades for ${found}, and --collateral-address is ${collateral}`,
    )
  }
  for (const account of accounts) {
    if ((await read('isOperator', [account])) === true) continue
    throw new WrongChain(
      `${account} of --chain-key is no operator of ${exchange}; its owner can make it one with ` +
        'setOperator',
    )
  }
  const adapter = await chain.readAddress(exchange, abi, 'adapter')
  const wrapped =
    adapter === null ? null : await chain.readAddress(adapter, GroupAdapter.abi, 'wrapped')
  if (adapter !== null && wrapped !== null) return { adapter, wrapped }
  throw new WrongChain(
    `${exchange} of --exchange-address has no adapter of groups; create one with outcomex chain ` +
      'deploy',
  )
}

/** What makes the wallets of an exchange; null for a factory whose addresses are others. */
export async function walletCodeOf(
  chain: ChainClient,
  { Exchange, WalletFactory }: Contracts,
  exchange: Address,
): Promise<WalletCode | null> {
  const factory = hexOf(String(await chain.read(exchange, Exchange.abi, 'wallets')))
  if (factory === undefined) return null
  const { abi } = WalletFactory
  const implementation = hexOf(String(await chain.read(factory, abi, 'implementation')))
  if (implementation === undefined) return null
  const code = { factory, implementation }
  const owner = Buffer.from(exchange.slice(2), 'hex')
  const computed = evmAddress(new FactoryWallets(code).of(owner))
  return (await chain.read(factory, abi, 'walletOf', [exchange])) === computed ? code : null
}
