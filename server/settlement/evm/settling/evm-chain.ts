// Main's side of the thread of the chain: the settlement port of an exchange whose trades settle on
// an EVM chain.

import type { Worker } from 'node:worker_threads'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import { reasonOf } from '../../../../engine/domain/error-code.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { kindOf } from '../../../../engine/domain/markets/market.ts'
import { spawn } from '../../../../engine/thread/spawn.ts'
import type {
  Setback,
  SettlementPort,
  SettlingExchange,
} from '../../../exchange/settlement/settlement-port.ts'
import type { ChainMessage, ChainRequest, ChainThreadData, PaidMarket } from './chain-messages.ts'

/** Trades without an answer at a time. */
const TRADES_MAX = 2000

export interface EvmChainParts {
  /** Receives a sentence; the process must stop. */
  readonly onFault: (sentence: string) => void
  /** Receives a sentence for the log. */
  readonly onWarning: (sentence: string) => void
}

/** Resolves when the read tables have these trades. */
type WhenWritten = (tradeSeqs: readonly Seq[]) => Promise<void>

export class EvmChain implements SettlementPort {
  readonly chainId: number
  readonly answersAtOnce = false
  readonly retryMs: number
  readonly faults = null
  /** Why nothing settles at present; null when nothing is wrong. */
  trouble: string | null = null
  readonly #parts: EvmChainParts
  readonly #worker: Worker
  #exchange: SettlingExchange | null = null
  #whenWritten: WhenWritten = () => Promise.resolve()
  #unanswered = 0
  /** Ends when all earlier trades were given to the thread. */
  #given: Promise<void> = Promise.resolve()
  #isOver = false

  private constructor(data: ChainThreadData, parts: EvmChainParts) {
    this.chainId = data.chainId
    this.retryMs = data.retryMs
    this.#parts = parts
    const entry = new URL('./chain.worker.ts', import.meta.url)
    this.#worker = spawn(entry, { name: 'chain', workerData: data })
  }

  /**
   * Resolves when the chain was looked at. Rejects with a sentence when these settings can never
   * work; a chain that does not answer is waited for.
   */
  static async start(data: ChainThreadData, parts: EvmChainParts): Promise<EvmChain> {
    const port = new EvmChain(data, parts)
    const refusal = await port.#firstLook()
    if (refusal === null) return port
    await port.stop()
    throw new Error(refusal)
  }

  #firstLook(): Promise<string | null> {
    return new Promise((resolve) => {
      let isFirst = true
      this.#worker.on('message', (message: ChainMessage) => {
        if (message.kind === 'refused' && isFirst) return resolve(message.sentence)
        isFirst = false
        this.#receive(message)
        resolve(null)
      })
      let reason = ''
      this.#worker.on('error', (error) => {
        reason = reasonOf(error)
      })
      this.#worker.on('exit', () => {
        if (!this.#isOver) this.#parts.onFault(`The thread of the chain ended: ${reason}`)
        resolve(null)
      })
    })
  }

  connect(whenWritten: WhenWritten): void {
    this.#whenWritten = whenWritten
  }

  get freeCount(): number {
    return Math.max(0, TRADES_MAX - this.#unanswered)
  }

  resume(exchange: SettlingExchange): readonly Seq[] {
    this.#exchange = exchange
    const senders = exchange.transactions.capture()
    this.#say({ kind: 'resume', senders })
    const sent = senders.flatMap((each) => each.sent.flatMap(({ trades }) => trades))
    this.#unanswered += sent.length
    return sent
  }

  submit(tradeSeqs: readonly Seq[]): void {
    this.#unanswered += tradeSeqs.length
    this.#given = this.#given.then(async () => {
      await this.#whenWritten(tradeSeqs)
      if (!this.#isOver) this.#say({ kind: 'settle', tradeSeqs })
    })
  }

  /** Groups and pools are on no chain. */
  paidOut(all: readonly Market[]): void {
    const markets = all.flatMap((market): PaidMarket[] => {
      const { marketId, slug, conditionId, yesTokenId, payoutNumerators: payouts } = market
      const isOwn = kindOf(market) === 'clob' && market.groupId === undefined
      return isOwn && payouts !== null ? [{ marketId, slug, conditionId, yesTokenId, payouts }] : []
    })
    if (markets.length > 0) this.#say({ kind: 'pay', markets })
  }

  /** Wallets approve on the chain themselves. */
  approve(): Setback | null {
    return null
  }

  #receive(message: ChainMessage): void {
    if (this.#isOver) return
    switch (message.kind) {
      case 'checked':
        return
      case 'refused':
        this.#parts.onFault(`Trades cannot settle: ${message.sentence}`)
        return
      case 'trouble':
        this.trouble = message.sentence
        this.#parts.onWarning(
          message.sentence === null
            ? 'Trades settle again.'
            : `No trade settles at present: ${message.sentence}`,
        )
        return
      case 'warning':
        this.#parts.onWarning(message.sentence)
        return
      case 'keep':
        void this.#keep(message)
        return
      case 'answer':
        this.#unanswered -= message.answer.tradeSeqs.length
        this.#exchange?.onAnswer(message.answer)
        return
      default:
        message satisfies never
    }
  }

  async #keep({ number, body }: Extract<ChainMessage, { kind: 'keep' }>): Promise<void> {
    await this.#exchange?.keep(body)
    if (!this.#isOver) this.#say({ kind: 'kept', number })
  }

  #say(request: ChainRequest): void {
    this.#worker.postMessage(request)
  }

  /** What was sent is in the journal, so the thread has nothing to save. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#worker.terminate()
  }
}
