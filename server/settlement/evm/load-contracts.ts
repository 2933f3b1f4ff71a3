import { existsSync, readFileSync } from 'node:fs'
import type { Contracts } from './contracts.ts'

/** What the build made, in the folder of the program. */
export const CONTRACTS_FILE = 'contracts.json'
const BUILT = new URL(`./${CONTRACTS_FILE}`, import.meta.url)

/** Compiles them when the program runs from the sources. */
export async function loadContracts(): Promise<Contracts> {
  if (existsSync(BUILT)) return JSON.parse(readFileSync(BUILT, 'utf8'))
  return (await import('../../build/contracts.ts')).compiledContracts()
}
