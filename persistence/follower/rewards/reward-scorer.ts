import type { Clearing } from '../../../engine/core/clearing.ts'
import type { OpenSample } from '../../../engine/core/rewards/rewards.ts'
import { type Samples, samplesOf } from '../../../engine/core/rewards/samples.ts'
import { earnedOf } from '../../../engine/core/rewards/scores.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import type { Connection } from '../../database.ts'
import { creditedMinute } from '../tables/accounts/rewards.ts'
import { MinedRebates, type RebateSums } from './mined-rebates.ts'

// Scores the books of a sample (rules §11.3). The books are copied at the sample's command; the
// earnings are computed later, in slices, while the follower continues. The same journal gives the
// same rows in the same order, so that main can continue after the parts it has credited.

/** Account, market, reward and rebate of each row, flattened; by market, then by account. */
export interface ScoredMinute {
  readonly minute: number
  readonly rows: Float64Array
  /** Referrer, referred profile and the referrer's earnings from its fees, flattened. */
  readonly referrals: Float64Array
  /** Parts of fees in shares: account, market, outcome, shares and referred profile, flattened. */
  readonly shares: Float64Array
}

type Scores = Pick<ScoredMinute, 'rows' | 'referrals' | 'shares'>

interface Job {
  readonly minute: number
  /** The seq that the tables must have reached. */
  readonly seq: Seq
  readonly work: Generator<undefined, Scores>
}

export class RewardScorer {
  readonly #rebates: MinedRebates
  /** Samples up to this minute are credited, so a start that replays them need not copy books. */
  readonly #creditedMinute: number
  #job: Job | null = null

  /**
   * `clearing` is the state at the start. A sample that was open then has no book copy any more, so
   * it only yields rebates.
   */
  constructor(connection: Connection, clearing: Clearing) {
    this.#rebates = new MinedRebates(connection)
    this.#creditedMinute = creditedMinute(connection)
    const { rewards, lastSeq, catalogue, orders } = clearing
    const { open } = rewards
    if (open === null) return
    const { rebates } = samplesOf({ rewarded: catalogue.rewarded, orders }, open.minute)
    this.#begin(open, { markets: [], rebates }, lastSeq)
  }

  /** Whether a sample waits for its scores and tables at `readSeq` are complete for it. */
  isReady(readSeq: Seq): boolean {
    return this.#job !== null && readSeq >= this.#job.seq
  }

  /** Called after the command was applied, even while the tables are ahead. */
  applied(
    command: ControlCommand,
    { rewards, catalogue, orders }: Clearing,
    look: () => void,
  ): void {
    if (command.kind === 'rewardMinute') {
      if (command.minute <= this.#creditedMinute) return
      const { rewarded } = catalogue
      const samples = samplesOf({ rewarded, orders }, command.minute, look)
      if (rewards.open !== null) this.#begin({ ...rewards.open }, samples, command.seq)
    } else if (command.kind === 'creditRewards' && rewards.open === null) this.#job = null
  }

  #begin(open: OpenSample, samples: Samples, seq: Seq): void {
    this.#job = { minute: open.minute, seq, work: this.#score(open, samples) }
  }

  /** Works until `isOver`, and returns the scores once they are complete. */
  work(readSeq: Seq, isOver: () => boolean): ScoredMinute | null {
    const job = this.#job
    if (job === null || !this.isReady(readSeq)) return null
    while (!isOver()) {
      const step = job.work.next()
      if (step.done !== true) continue
      this.#job = null
      return { minute: job.minute, ...step.value }
    }
    return null
  }

  *#score(open: OpenSample, samples: Samples): Generator<undefined, Scores> {
    const { rebates, referrals, shares } = yield* this.#rebates.sums(open, samples.rebates)
    const rewards: RebateSums = new Map()
    for (const sample of samples.markets) rewards.set(sample.marketId, yield* earnedOf(sample))
    const rows: number[] = []
    const markets = new Set<MarketId>([...rebates.keys(), ...rewards.keys()])
    for (const marketId of [...markets].sort((a, b) => a - b)) {
      const [ofOrders, ofFees] = [rewards.get(marketId), rebates.get(marketId)]
      const accounts = new Set([...(ofOrders?.keys() ?? []), ...(ofFees?.keys() ?? [])])
      for (const account of [...accounts].sort((a, b) => a - b)) {
        rows.push(account, marketId, ofOrders?.get(account) ?? 0, ofFees?.get(account) ?? 0)
      }
      yield
    }
    const referred = [...referrals].sort(([a], [b]) => a - b)
    const parts = referred.flatMap(([id, { referrer, earnedRaw }]) => [referrer, id, earnedRaw])
    const inCollateral = { rows: Float64Array.from(rows), referrals: Float64Array.from(parts) }
    return { ...inCollateral, shares: shares.rows() }
  }
}
