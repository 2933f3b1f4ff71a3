import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem'
import { codeOf } from '../../engine/domain/error-code.ts'

// A local EVM chain as a process of its own.

const ARCH = process.arch === 'x64' ? 'amd64' : process.arch
const PACKAGE = `@foundry-rs/anvil-${process.platform}-${ARCH}`

function programOf(): string | null {
  try {
    return createRequire(import.meta.url).resolve(`${PACKAGE}/bin/anvil`)
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

const program = programOf()
/** Why tests on a chain are skipped on this machine, or false. */
export const anvilSkip = program === null ? `needs ${PACKAGE}` : false

/** Any address sends transactions, and none pays for gas. */
const FREE = ['--base-fee', '0', '--gas-price', '0', '--auto-impersonate']
const POLL_MS = 10

const clientOf = (url: string) =>
  createTestClient({ mode: 'anvil', transport: http(url), pollingInterval: POLL_MS })
    .extend(publicActions)
    .extend(walletActions)

export class Anvil {
  readonly url: string
  readonly client: ReturnType<typeof clientOf>
  readonly #process: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.client = clientOf(url)
    this.#process = child
  }

  static async start(flags: readonly string[] = []): Promise<Anvil> {
    assert.ok(program !== null, 'this platform has anvil')
    const child = spawn(program, ['--port', '0', ...FREE, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const url = await new Promise<string>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`anvil ended with code ${code}`)))
      lines.on('line', (line) => {
        const [, address] = /^Listening on (\S+)/.exec(line) ?? []
        if (address !== undefined) resolve(`http://${address}`)
      })
    })
    return new Anvil(url, child)
  }

  /** A call that viem does not know. */
  async request(method: string, ...params: readonly unknown[]): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(this.url, { method: 'POST', headers, body })
    assert.match(await reply.text(), /"result"/)
  }

  /** The receipt of a transaction that was sent; it is in a block at once, or a moment later. */
  async receiptOf(hash: Hex): Promise<TransactionReceipt> {
    for (;;) {
      try {
        return await this.client.getTransactionReceipt({ hash })
      } catch (error) {
        if (!(error instanceof TransactionReceiptNotFoundError)) throw error
      }
    }
  }

  async end(): Promise<void> {
    this.#process.kill('SIGKILL')
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      await once(this.#process, 'exit')
    }
  }
}
