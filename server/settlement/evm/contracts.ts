import type { Abi, Hex } from 'viem'

/** A compiled contract. The bytecode of an interface is `0x`. */
export interface Contract {
  readonly abi: Abi
  readonly bytecode: Hex
}

/** By the name of the contract. */
export type Contracts = Readonly<Record<string, Contract>>
