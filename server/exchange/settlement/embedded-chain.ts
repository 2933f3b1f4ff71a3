import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'
import type {
  FaultHook,
  FaultTarget,
  Setback,
  SettlementPort,
  SettlingExchange,
} from './settlement-port.ts'

const NOTHING: ReadonlyMap<number, Setback> = new Map()

function countOf(target: FaultTarget): number {
  if ('tradeSeq' in target) return 1
  return 'next' in target ? target.next : target.nextApprovals
}

/**
 * The exchange's embedded chain. It mines everything except the trades and approvals with an armed
 * fault. Faults are not state, so a restart forgets them.
 */
export class EmbeddedChain implements SettlementPort, FaultHook {
  readonly chainId: number
  readonly faults: FaultHook = this
  readonly answersAtOnce = true
  readonly freeCount = Number.POSITIVE_INFINITY
  readonly retryMs = 0
  readonly groupAddresses = null
  readonly conditionalTokens = null
  readonly trouble = null
  readonly followed = null
  readonly coin = null
  readonly followedBlock = null
  readonly walletCode = null
  #onAnswer: SettlingExchange['onAnswer'] = () => {}
  readonly #byTrade = new Map<number, Setback>()
  /** Faults for the next trades, in order. */
  #next: Setback[] = []
  /** Faults for the next approvals, in order. */
  #nextApprovals: Setback[] = []

  constructor(chainId: number) {
    this.chainId = chainId
  }

  arm(target: FaultTarget, outcome: Setback): RejectName | null {
    const armed = this.#byTrade.size + this.#next.length + this.#nextApprovals.length
    if (armed + countOf(target) > LIMITS.settlementFaultsMax) return 'FAULT_LIMIT'
    if ('tradeSeq' in target) this.#byTrade.set(target.tradeSeq, outcome)
    else if ('next' in target) this.#next.push(...Array<Setback>(target.next).fill(outcome))
    else this.#nextApprovals.push(...Array<Setback>(target.nextApprovals).fill(outcome))
    return null
  }

  paidOut(): void {
    // Payouts are in the ledger alone.
  }

  sentHash(): Promise<null> {
    return Promise.resolve(null)
  }

  applied(): void {
    // The ledger holds the funds, so it follows nothing.
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  approve(): Setback | null {
    return this.#nextApprovals.shift() ?? null
  }

  resume({ onAnswer }: SettlingExchange): readonly Seq[] {
    this.#onAnswer = onAnswer
    return []
  }

  submit(tradeSeqs: readonly Seq[]): void {
    const setbacks = this.#setbacksOf(tradeSeqs)
    this.#onAnswer({ tradeSeqs, setbacks, txHash: null, end: null })
  }

  #setbacksOf(tradeSeqs: readonly Seq[]): ReadonlyMap<number, Setback> {
    if (this.#byTrade.size + this.#next.length === 0) return NOTHING
    const setbacks = new Map<number, Setback>()
    for (const tradeSeq of tradeSeqs) {
      const setback = this.#byTrade.get(tradeSeq) ?? this.#next.shift()
      if (setback === undefined) continue
      this.#byTrade.delete(tradeSeq)
      setbacks.set(tradeSeq, setback)
    }
    return setbacks
  }
}
