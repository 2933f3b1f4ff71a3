// An EVM chain over JSON-RPC, and the only importer of viem in the server. With several URLs, the
// next one is called when one fails. No message contains a URL: its path may be a secret.

import { setTimeout as pause } from 'node:timers/promises'
import {
  type Abi,
  type Address,
  BaseError,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  fallback,
  formatEther,
  formatGwei,
  getAddress,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem'
import { ChainTrouble } from './chain-trouble.ts'
import type { ChainKey } from './key/chain-key.ts'

const TIMEOUT_MS = 10_000
/** Of a call that every URL failed. */
const RETRIES = 2
/** Between two looks for a block: the first, and the longest. */
const [POLL_MS, POLL_MS_MAX] = [50, 2000]
/** A new block may hold a transaction that needs a little more than the estimate. */
const GAS_MARGIN_PERCENT = 120n
const KNOWN = /already known|already imported|nonce too low/i

export interface ChainOptions {
  readonly urls: readonly string[]
  /** The chain that each URL must be of. */
  readonly chainId: number
  /** Longest wait for one answer. */
  readonly timeoutMs?: number
}

export interface Block {
  readonly number: bigint
  readonly timestampSec: number
  readonly baseFeeWei: bigint
}

/** What a transaction sends: a call, or the creation of a contract. */
export interface Payload {
  readonly to?: Address
  readonly data: Hex
}

export interface SendOptions {
  readonly key: ChainKey
  /** The most for a unit of gas, tip included. */
  readonly maxFeeWei: bigint
  /** How long to wait for the block. */
  readonly patienceMs: number
  readonly onSent?: (hash: Hex) => void
}

export class ChainClient {
  readonly chainId: number
  readonly #client: PublicClient

  private constructor(chainId: number, client: PublicClient) {
    this.chainId = chainId
    this.#client = client
  }

  /** Asks each URL for its chain: one must answer, and none may be of another chain. */
  static async open({ urls, chainId, timeoutMs = TIMEOUT_MS }: ChainOptions): Promise<ChainClient> {
    const transports = urls.map((url) => http(url, { timeout: timeoutMs, retryCount: 0 }))
    const found = await Promise.allSettled(
      transports.map((transport) => createPublicClient({ transport }).getChainId()),
    )
    for (const [index, each] of found.entries()) {
      if (each.status === 'rejected' || each.value === chainId) continue
      throw new ChainTrouble(
        `${placeOf(urls[index])} serves chain ${each.value}, and --chain-id is ${chainId}`,
      )
    }
    const [first] = found
    if (first.status === 'rejected' && found.every(({ status }) => status === 'rejected')) {
      throw troubleOf(
        `no URL of --chain-rpc answers (${urls.map(placeOf).join(', ')})`,
        first.reason,
      )
    }
    return new ChainClient(
      chainId,
      createPublicClient({ transport: fallback(transports, { retryCount: RETRIES }) }),
    )
  }

  async block(): Promise<Block> {
    const { number, timestamp, baseFeePerGas } = await this.#answered(() => this.#client.getBlock())
    return { number, timestampSec: Number(timestamp), baseFeeWei: baseFeePerGas ?? 0n }
  }

  async isContract(address: Address): Promise<boolean> {
    const code = await this.#answered(() => this.#client.getCode({ address }))
    return code !== undefined && code !== '0x'
  }

  balanceWei(address: Address): Promise<bigint> {
    return this.#answered(() => this.#client.getBalance({ address }))
  }

  /** The number of transactions in blocks, or with those that wait too. */
  nonceOf(address: Address, blockTag: 'latest' | 'pending'): Promise<number> {
    return this.#answered(() => this.#client.getTransactionCount({ address, blockTag }))
  }

  /** The result of a function that changes nothing; null when the contract has no such function. */
  async read(address: Address, abi: Abi, functionName: string, args: readonly unknown[] = []) {
    try {
      return await this.#client.readContract({ address, abi, functionName, args })
    } catch (error) {
      if (isOfContract(error)) return null
      throw troubleOf(`the chain did not answer ${functionName}`, error)
    }
  }

  /**
   * Sends a transaction; resolves when it is in a block and did not revert, with the address of
   * the contract that it created.
   */
  async send(payload: Payload, options: SendOptions): Promise<Address | null> {
    const raw = await this.#signed(payload, options)
    const hash = keccak256(raw)
    try {
      await this.#client.sendRawTransaction({ serializedTransaction: raw })
    } catch (error) {
      // The answer of one URL was lost, and the next one has the transaction already.
      if (!(error instanceof BaseError && KNOWN.test(error.details ?? ''))) {
        throw troubleOf(`the chain refused transaction ${hash}`, error)
      }
    }
    options.onSent?.(hash)
    return this.#mined(hash, options.patienceMs)
  }

  async #signed({ to, data }: Payload, { key, maxFeeWei }: SendOptions): Promise<Hex> {
    const { address: account } = key
    const estimate = await this.#answered(() => this.#client.estimateGas({ account, to, data }))
    const gas = (estimate * GAS_MARGIN_PERCENT) / 100n
    const fees = await this.#answered(() => this.#client.estimateFeesPerGas())
    const { baseFeeWei } = await this.block()
    if (baseFeeWei > maxFeeWei) {
      throw new ChainTrouble(
        `a unit of gas costs ${formatGwei(baseFeeWei)} gwei, and --gas-price-max is ` +
          `${formatGwei(maxFeeWei)}; wait, or allow more`,
      )
    }
    const maxFeePerGas = least(fees.maxFeePerGas, maxFeeWei)
    const transaction: TransactionSerializableEIP1559 = {
      type: 'eip1559',
      chainId: this.chainId,
      nonce: await this.nonceOf(account, 'pending'),
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas: least(fees.maxPriorityFeePerGas, maxFeePerGas),
      to,
      data,
    }
    const costsWei = gas * maxFeePerGas
    const balanceWei = await this.balanceWei(account)
    if (balanceWei < costsWei) {
      throw new ChainTrouble(
        `${account} has ${formatEther(balanceWei)} of the chain's coin, and the next transaction ` +
          `may cost ${formatEther(costsWei)}; send it some`,
      )
    }
    const unsigned = Buffer.from(serializeTransaction(transaction).slice(2), 'hex')
    const signature = await key.sign(Buffer.from(keccak256(unsigned).slice(2), 'hex'))
    const part = (from: number, to: number): Hex =>
      `0x${Buffer.from(signature.subarray(from, to)).toString('hex')}`
    return serializeTransaction(transaction, {
      r: part(0, 32),
      s: part(32, 64),
      yParity: signature[64] - 27,
    })
  }

  async #mined(hash: Hex, patienceMs: number): Promise<Address | null> {
    const untilMs = performance.now() + patienceMs
    for (let pollMs = POLL_MS; performance.now() < untilMs; pollMs *= 2) {
      const receipt = await this.#receiptOf(hash)
      if (receipt !== null) {
        if (receipt.status === 'reverted') throw new ChainTrouble(`transaction ${hash} reverted`)
        const { contractAddress } = receipt
        return contractAddress == null ? null : getAddress(contractAddress)
      }
      await pause(Math.min(pollMs, POLL_MS_MAX))
    }
    throw new ChainTrouble(
      `transaction ${hash} is in no block after ${Math.round(patienceMs / 1000)} s; it may still ` +
        'come: look it up before you repeat anything',
    )
  }

  async #receiptOf(hash: Hex) {
    try {
      return await this.#client.getTransactionReceipt({ hash })
    } catch (error) {
      if (nameIn(error, 'TransactionReceiptNotFoundError')) return null
      throw troubleOf(`the chain did not answer for transaction ${hash}`, error)
    }
  }

  async #answered<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request()
    } catch (error) {
      throw troubleOf('the chain did not answer', error)
    }
  }
}

export function callOf(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args })
}

export function creationOf(abi: Abi, bytecode: Hex, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi, bytecode, args })
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** A URL without what may be secret in it. */
function placeOf(url: string): string {
  return new URL(url).host
}

function nameIn(error: unknown, name: string): boolean {
  if (!(error instanceof BaseError)) return false
  return error.walk((each) => each instanceof Error && each.name === name) !== null
}

/** Whether the address or the contract is the reason, and not the connection. */
function isOfContract(error: unknown): boolean {
  return ['ContractFunctionZeroDataError', 'ContractFunctionRevertedError'].some((name) =>
    nameIn(error, name),
  )
}

function troubleOf(sentence: string, error: unknown): ChainTrouble {
  const why = error instanceof BaseError ? error.details || error.shortMessage : String(error)
  return new ChainTrouble(
    `${sentence}: ${why.split('\n', 1)[0].replaceAll(/https?:\S+/g, 'its URL')}`,
  )
}
