// An EVM chain over JSON-RPC, and the only importer of viem in the server. With several URLs, the
// next one is called when one fails. No message contains a URL: its path may be a secret.

import {
  type Abi,
  type Address,
  BaseError,
  createPublicClient,
  custom,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  formatEther,
  formatGwei,
  getAddress,
  type Hex,
  hashTypedData,
  http,
  isAddress,
  isHex,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  parseTransaction,
  RpcRequestError,
  serializeTransaction,
  shouldThrow,
  type Transport,
} from 'viem'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { keccak256, keccakReady } from '../../crypto/keccak.ts'
import type { WalletQuery } from '../../messages/wallet-signature.ts'
import { ChainTrouble, WrongChain } from './chain-trouble.ts'
import { evmAddress } from './evm-address.ts'
import type { ChainKey } from './key/chain-key.ts'
import { type Call, otherChain, RpcNodes, type Send, type Verdict } from './rpc-nodes.ts'

const TIMEOUT_MS = 10_000
/** An order that settles may use 400,000 gas, of which its transfers need a part. */
const WALLET_GAS = 250_000n
/** The words of nodes for a call that failed by itself, in place of a revert. */
const CALL_FAILED = /out ?of ?gas|gas required|opcode|stack ?(under|over|limit)|jump|vm execution/i
/** Errors of nodes that have had too many calls. */
const LIMITED: ReadonlySet<number> = new Set([429, -32005, -32007])
/** The state may change before the transaction is in a block, and then it needs a little more. */
const GAS_MARGIN_PERCENT = 120n
/** The value of EIP-1271, as a word. */
const ACCEPTED = `0x1626ba7e${'0'.repeat(56)}`
const WALLET_ABI = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)'])
const KNOWN = /already known|already imported/i
/** A block has the nonce, or the node has another transaction of it. */
const NONCE_TAKEN = /nonce too low|replacement transaction underpriced/i

export interface ChainOptions {
  readonly urls: readonly string[]
  /** The chain that each URL must be of. */
  readonly chainId: number
  /** Longest wait for one answer. */
  readonly timeoutMs?: number
  /** Receives a sentence for the log. */
  readonly onWarning?: (sentence: string) => void
}

export interface Block {
  readonly number: bigint
  readonly timestampSec: number
  readonly baseFeeWei: bigint
  /** Of all its transactions. */
  readonly gasMax: bigint
}

export interface Header {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
}

export interface ChainEvent {
  readonly contract: Address
  readonly eventName: string
  readonly args: unknown
  readonly txHash: Hex
}

/** A call, or the creation of a contract. */
export interface Payload {
  readonly to?: Address
  readonly data: Hex
  /** What to allow when the sender knows it; estimated when absent. */
  readonly gas?: bigint
}

/** For a unit of gas; the tip is a part of the fee. */
export interface Fees {
  readonly maxFeeWei: bigint
  readonly tipWei: bigint
}

/** All that is signed. */
export interface Terms extends Payload, Fees {
  readonly nonce: number
  readonly gas: bigint
}

export interface Signed {
  readonly hash: Hex
  readonly raw: Hex
}

/** What a node answers to a transaction. */
export type Offered =
  | { readonly kind: 'accepted' | 'known' }
  | { readonly kind: 'refused'; readonly why: string }

export interface Receipt {
  readonly hash: Hex
  readonly block: bigint
  readonly blockHash: Hex
  readonly isReverted: boolean
  readonly created: Address | null
  readonly logs: readonly Log[]
}

export class ChainClient {
  readonly chainId: number
  readonly #client: PublicClient
  /** Answers within a deadline, or not at all. */
  readonly #prompt: PublicClient
  readonly #nodes: RpcNodes

  private constructor(
    chainId: number,
    nodes: RpcNodes,
    { client, prompt }: { readonly client: PublicClient; readonly prompt: PublicClient },
  ) {
    this.chainId = chainId
    this.#nodes = nodes
    this.#client = client
    this.#prompt = prompt
  }

  /** Each URL must be of this chain; one at least must answer. */
  static async open(options: ChainOptions): Promise<ChainClient> {
    const { urls, chainId, timeoutMs = TIMEOUT_MS, onWarning = () => {} } = options
    await keccakReady
    const found = await Promise.allSettled(
      urls.map((url) => {
        const transport = http(url, { timeout: timeoutMs, retryCount: 0 })
        return createPublicClient({ transport }).getChainId()
      }),
    )
    for (const [index, each] of found.entries()) {
      if (each.status === 'rejected' || each.value === chainId) continue
      throw new WrongChain(otherChain(placeOf(urls[index]), each.value, chainId))
    }
    const [first] = found
    const places = urls.map(placeOf)
    if (first.status === 'rejected' && found.every(({ status }) => status === 'rejected')) {
      throw troubleOf(`no URL of --chain-rpc answers (${places.join(', ')})`, first.reason)
    }
    const nodes = new RpcNodes({ places, chainId, verdictOf, onWarning })
    const clientOf = (timeout: number, retries?: number) =>
      createPublicClient({ transport: transportOf(nodes, { urls, timeout, retries }) })
    return new ChainClient(chainId, nodes, {
      client: clientOf(timeoutMs),
      prompt: clientOf(LIMITS.walletDeadlineMs / urls.length, 0),
    })
  }

  /** Checks the chain of each URL before its next answer. */
  verifyAgain(): void {
    this.#nodes.verifyAgain()
  }

  async block(): Promise<Block> {
    const found = await this.#answered(() => this.#client.getBlock())
    const { number, timestamp, baseFeePerGas, gasLimit: gasMax } = found
    return { number, timestampSec: Number(timestamp), baseFeeWei: baseFeePerGas ?? 0n, gasMax }
  }

  /** Null when the node has no block of this number. */
  async header(blockNumber: bigint): Promise<Header | null> {
    try {
      const { hash, parentHash } = await this.#client.getBlock({ blockNumber })
      return { number: blockNumber, hash, parentHash }
    } catch (error) {
      if (nameIn(error, 'BlockNotFoundError')) return null
      throw troubleOf(`the chain did not answer for block ${blockNumber}`, error)
    }
  }

  /**
   * Events of these contracts in a block, in its order, as far as the ABI has them. The block is
   * named by its hash: a node that lacks it refuses, and of numbers it may leave out its events.
   */
  async events(
    contracts: readonly Address[],
    abi: Abi,
    { number, hash: blockHash }: Header,
  ): Promise<ChainEvent[]> {
    const events = abi.filter((each) => each.type === 'event')
    const found = await this.#answered(() => {
      return this.#client.getLogs({ address: [...contracts], events, strict: true, blockHash })
    })
    if (found.some((each) => each.blockHash !== blockHash)) {
      throw new ChainTrouble(`the chain gave events of another block than ${number}`)
    }
    return found.map(({ address, eventName, args, transactionHash: txHash }) => {
      return { contract: getAddress(address), eventName, args, txHash }
    })
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

  /**
   * The result of a function that changes nothing, after a block or the newest one; null when the
   * contract has no such function.
   */
  async read(
    address: Address,
    abi: Abi,
    functionName: string,
    args: readonly unknown[] = [],
    blockNumber?: bigint,
  ) {
    try {
      return await this.#client.readContract({ address, abi, functionName, args, blockNumber })
    } catch (error) {
      if (isOfContract(error)) return null
      throw troubleOf(`the chain did not answer ${functionName}`, error)
    }
  }

  /** Whether a wallet accepts a signature when this contract calls it (EIP-1271). */
  async accepts({ wallet, hash, signature }: WalletQuery, from: Address): Promise<boolean> {
    const args = [hexOfBytes(hash), hexOfBytes(signature)]
    const data = callOf(WALLET_ABI, 'isValidSignature', args)
    const call = { account: from, to: evmAddress(wallet), data, gas: WALLET_GAS }
    try {
      return (await this.#prompt.call(call)).data === ACCEPTED
    } catch (error) {
      if (isOfWallet(error)) return false
      throw troubleOf('the chain did not answer isValidSignature', error)
    }
  }

  /** The address that a function returns; null when the contract has no such function. */
  async readAddress(address: Address, abi: Abi, functionName: string): Promise<Address | null> {
    const found = await this.read(address, abi, functionName)
    return typeof found === 'string' && isAddress(found) ? getAddress(found) : null
  }

  /** Throws `ChainTrouble` when the payload would revert now. */
  async gasFor({ to, data }: Payload, account: Address): Promise<bigint> {
    const estimate = await this.#answered(() => this.#client.estimateGas({ account, to, data }))
    return (estimate * GAS_MARGIN_PERCENT) / 100n
  }

  /** What the next blocks take, within the bound; throws when the base fee alone is above it. */
  async feesWithin(maxFeeWei: bigint): Promise<Fees> {
    const { baseFeeWei } = await this.block()
    if (baseFeeWei > maxFeeWei) {
      throw new ChainTrouble(
        `a unit of gas costs ${formatGwei(baseFeeWei)} gwei, and --gas-price-max is ` +
          `${formatGwei(maxFeeWei)}; wait, or allow more`,
      )
    }
    const fees = await this.#answered(() => this.#client.estimateFeesPerGas())
    const feeWei = least(fees.maxFeePerGas, maxFeeWei)
    return { maxFeeWei: feeWei, tipWei: least(fees.maxPriorityFeePerGas, feeWei) }
  }

  async sign(terms: Terms, key: ChainKey): Promise<Signed> {
    const { nonce, gas, maxFeeWei, tipWei, to, data } = terms
    const transaction = {
      type: 'eip1559',
      chainId: this.chainId,
      nonce,
      gas,
      to,
      data,
      maxFeePerGas: maxFeeWei,
      maxPriorityFeePerGas: tipWei,
    } as const
    // The library's own hash takes ten times as long, and a transaction is large.
    const signature = await key.sign(keccak256(bytesOf(serializeTransaction(transaction))))
    const part = (from: number, end: number) => hexOfBytes(signature.subarray(from, end))
    const raw = serializeTransaction(transaction, {
      r: part(0, 32),
      s: part(32, 64),
      yParity: signature[64] - 27,
    })
    return { hash: hexOfBytes(keccak256(bytesOf(raw))), raw }
  }

  /** Repeating it is harmless: the chain answers that it knows the transaction. */
  async broadcast(signed: Signed): Promise<void> {
    const offered = await this.offer(signed)
    if (offered.kind !== 'refused' || NONCE_TAKEN.test(offered.why)) return
    throw new ChainTrouble(`the chain refused transaction ${signed.hash}: ${offered.why}`)
  }

  /** Sends a transaction, and gives the answer. */
  async offer({ hash, raw }: Signed): Promise<Offered> {
    try {
      await this.#client.sendRawTransaction({ serializedTransaction: raw })
      return { kind: 'accepted' }
    } catch (error) {
      const why = reasonIn(error)
      if (KNOWN.test(why)) return { kind: 'known' }
      // Some nodes refuse with a status of HTTP.
      const isAnswer = NONCE_TAKEN.test(why) || nameIn(error, 'RpcRequestError')
      if (isAnswer) return { kind: 'refused', why }
      throw troubleOf(`the chain did not answer to transaction ${hash}`, error)
    }
  }

  /** Of attempts of one transaction; null while no block that the chain has holds any. */
  async receiptAmong(attempts: readonly Signed[]): Promise<Receipt | null> {
    for (const { hash } of attempts) {
      const receipt = await this.receiptOf(hash)
      if (receipt !== null && (await this.holds(receipt))) return receipt
    }
    return null
  }

  /** Null while the transaction is in no block. */
  async receiptOf(hash: Hex): Promise<Receipt | null> {
    try {
      const found = await this.#client.getTransactionReceipt({ hash })
      const { contractAddress, blockNumber: block, blockHash, status, logs } = found
      const created = contractAddress == null ? null : getAddress(contractAddress)
      return { hash, block, blockHash, isReverted: status === 'reverted', created, logs }
    } catch (error) {
      if (nameIn(error, 'TransactionReceiptNotFoundError')) return null
      throw troubleOf(`the chain did not answer for transaction ${hash}`, error)
    }
  }

  /** Whether the chain still has the block of the receipt: a node that lags gives old receipts. */
  async holds({ block, blockHash }: Receipt): Promise<boolean> {
    try {
      const { hash } = await this.#client.getBlock({ blockNumber: block })
      return hash === blockHash
    } catch (error) {
      if (nameIn(error, 'BlockNotFoundError')) return false
      throw troubleOf(`the chain did not answer for block ${block}`, error)
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

/** Calls the URLs in the order of the nodes. */
function transportOf(
  nodes: RpcNodes,
  {
    urls,
    timeout,
    retries,
  }: { readonly urls: readonly string[]; readonly timeout: number; readonly retries?: number },
): Transport {
  const transports = urls.map((url) => http(url, { timeout, retryCount: 0 })({}))
  const send: Send = (index, call) => transports[index].request(call)
  return custom({ request: (call: Call) => nodes.call(call, send, retries) }, { retryCount: 0 })
}

function verdictOf(error: unknown): Verdict {
  const answer = error instanceof BaseError ? error.walk(isRpcError) : null
  if (!(answer instanceof RpcRequestError) || LIMITED.has(answer.code)) return 'failed'
  const isSame = error instanceof Error && (shouldThrow(error) || isOfWallet(error))
  return isSame ? 'final' : 'answered'
}

function isRpcError(error: unknown): boolean {
  return error instanceof RpcRequestError
}

/** Functions as Solidity declares them. */
export function abiOf(...declarations: readonly string[]): Abi {
  return parseAbi(declarations)
}

export function callOf(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args })
}

export function creationOf(abi: Abi, bytecode: Hex, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi, bytecode, args })
}

/** A call that a wallet makes. */
export interface WalletCall {
  readonly target: Address
  readonly value: bigint
  readonly data: Hex
}

const CALLS_TYPES = {
  Calls: [
    { name: 'calls', type: 'Call[]' },
    { name: 'id', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  Call: [
    { name: 'target', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const

/** What the owner of a wallet signs (contracts/Wallets.sol). */
export function callsHash(
  chainId: number,
  wallet: Address,
  message: {
    readonly calls: readonly WalletCall[]
    readonly id: bigint
    readonly deadline: bigint
  },
): Uint8Array {
  const domain = { chainId, verifyingContract: wallet }
  const typed = { domain, types: CALLS_TYPES, primaryType: 'Calls', message } as const
  return bytesOf(hashTypedData(typed))
}

/** An amount of the chain's coin, in units of 10^18 wei. */
export function coinText(wei: bigint): string {
  return formatEther(wei)
}

/** Undefined for text that is not hex with 0x. */
export function hexOf(text: string): Hex | undefined {
  return isHex(text) ? text : undefined
}

/** The question of a market, of whose slug it is the hash. */
export function questionOf(slug: string): Hex {
  return hexOfBytes(keccak256(Buffer.from(slug, 'utf8')))
}

/** The UTF-8 bytes of a text. */
export function textBytes(text: string): Hex {
  return hexOfBytes(Buffer.from(text, 'utf8'))
}

/** An attempt from its raw bytes. */
export function attemptOf(txHash: string, rawTx: Uint8Array): Signed & { readonly terms: Terms } {
  const hash = hexOf(txHash)
  assert(hash !== undefined, 'a hash is hex')
  const raw = hexOfBytes(rawTx)
  const { nonce = 0, gas, to, data = '0x', ...fees } = parseTransaction(raw)
  const { maxFeePerGas: maxFeeWei, maxPriorityFeePerGas: tipWei = 0n } = fees
  assert(gas !== undefined && maxFeeWei !== undefined, 'the exchange signs EIP-1559 transactions')
  return { hash, raw, terms: { nonce, gas, to: to ?? undefined, data, maxFeeWei, tipWei } }
}

/** The events of one contract in a receipt. */
export function eventsOf(abi: Abi, contract: Address, { logs }: Receipt) {
  const own = logs.filter(({ address }) => getAddress(address) === contract)
  return parseEventLogs({ abi, logs: own })
}

/** The name of the error with which a contract reverted; null when it is not in the ABI. */
export function errorNameOf(abi: Abi, data: Hex): string | null {
  try {
    return decodeErrorResult({ abi, data }).errorName
  } catch {
    return null
  }
}

function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

function hexOfBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
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

/** Whether a call failed by what it did, and not by its node. */
function isOfWallet(error: unknown): boolean {
  if (nameIn(error, 'ExecutionRevertedError')) return true
  return error instanceof BaseError && CALL_FAILED.test(error.details ?? '')
}

function troubleOf(sentence: string, error: unknown): ChainTrouble {
  return new ChainTrouble(`${sentence}: ${reasonIn(error)}`)
}

function reasonIn(error: unknown): string {
  const why = error instanceof BaseError ? error.details || error.shortMessage : String(error)
  return why.split('\n', 1)[0].replaceAll(/https?:\S+/g, 'its URL')
}
