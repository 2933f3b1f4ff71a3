import type { Abi, Address } from 'viem'
import { parseAddress } from '../../crypto/address.ts'
import type { ChainClient } from './chain-client.ts'
import { ChainTrouble } from './chain-trouble.ts'
import { evmAddress } from './evm-address.ts'

/** The token contracts of an exchange, and who receives its fees. */
export interface ExchangeParts {
  readonly collateral: Address
  readonly conditionalTokens: Address
  readonly feeReceiver: Address
}

export async function exchangeParts(
  chain: ChainClient,
  exchange: Address,
  abi: Abi,
): Promise<ExchangeParts> {
  const part = async (name: string): Promise<Address> => {
    const bytes = parseAddress(String(await chain.read(exchange, abi, name)))
    if (bytes !== undefined) return evmAddress(bytes)
    throw new ChainTrouble(`${exchange} of --exchange-address is no exchange: it has no ${name}`)
  }
  return {
    collateral: await part('collateral'),
    conditionalTokens: await part('conditionalTokens'),
    feeReceiver: await part('feeReceiver'),
  }
}
