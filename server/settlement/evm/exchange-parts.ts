import type { Abi, Address } from 'viem'
import type { ChainClient } from './chain-client.ts'
import { ChainTrouble } from './chain-trouble.ts'

/** The token contracts of an exchange, and who receives its fees. */
export interface ExchangeParts {
  readonly collateral: Address
  readonly conditionalTokens: Address
  readonly feeReceiver: Address
  /** The factory of wallets. */
  readonly wallets: Address
}

export async function exchangeParts(
  chain: ChainClient,
  exchange: Address,
  abi: Abi,
): Promise<ExchangeParts> {
  const part = async (name: string): Promise<Address> => {
    const found = await chain.readAddress(exchange, abi, name)
    if (found !== null) return found
    throw new ChainTrouble(`${exchange} of --exchange-address is no exchange: it has no ${name}`)
  }
  return {
    collateral: await part('collateral'),
    conditionalTokens: await part('conditionalTokens'),
    feeReceiver: await part('feeReceiver'),
    wallets: await part('wallets'),
  }
}
