// Compiles the contracts of the settlement on an EVM chain. The result is kept in the folder
// `.cache`, by the digest of all sources: the compiler takes six seconds. Run as a program, it only
// does that.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Contract, Contracts } from '../settlement/evm/contracts.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = join(ROOT, 'server', 'settlement', 'evm', 'contracts')
const CACHE = join(ROOT, '.cache')
const ENDING = '.sol'
const SETTINGS = {
  viaIR: true,
  optimizer: { enabled: true, runs: 10_000 },
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none' },
}
const WANTED = { '*': ['abi', 'evm.bytecode.object'] }

interface Solc {
  version(): string
  compile(input: string): string
}

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>
}

interface Compiled {
  readonly abi: Contract['abi']
  readonly evm: { readonly bytecode: { readonly object: string } }
}

/** The same, compiled in a process of its own: the caller goes on meanwhile. */
export async function contractsElsewhere(): Promise<Contracts> {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url)])
  return compiledContracts()
}

/** All contracts by name, or those of further files; a warning of the compiler is an error. */
export function compiledContracts(...files: readonly string[]): Contracts {
  const names = readdirSync(SOURCES).filter((name) => name.endsWith(ENDING))
  const paths = [...names.map((name) => join(SOURCES, name)), ...files]
  const sources = Object.fromEntries(
    paths.map((path) => [basename(path), { content: readFileSync(path, 'utf8') }]),
  )
  // Code is made only for what is wanted, and may import all sources.
  const wanted = files.length === 0 ? ['*'] : files.map((path) => basename(path))
  const outputSelection = Object.fromEntries(wanted.map((name) => [name, WANTED]))
  const settings = { ...SETTINGS, outputSelection }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const digest = createHash('sha256').update(input).digest('hex').slice(0, 16)
  const path = join(CACHE, `contracts-${digest}.json`)
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'))
  const contracts = compile(input)
  mkdirSync(CACHE, { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify(contracts))
  renameSync(unfinished, path)
  return contracts
}

function compile(input: string): Contracts {
  const solc: Solc = createRequire(import.meta.url)('solc')
  const { errors = [], contracts = {} }: Output = JSON.parse(solc.compile(input))
  if (errors.length > 0) {
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  }
  const all = Object.values(contracts).flatMap((ofFile) => Object.entries(ofFile))
  return Object.fromEntries(
    all.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  )
}

const [, started] = process.argv
if (started === fileURLToPath(import.meta.url)) compiledContracts()
