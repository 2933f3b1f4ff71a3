// One life of the simulated exchange, from a recovery to a crash: the real sequencer, pipeline,
// publisher, shards and books, on a simulated disk, simulated threads and a clock that is a number.

import { Exchange } from '../../engine/core/exchange.ts'
import { resetMarkets } from '../../engine/core/market.ts'
import { OrderTable } from '../../engine/core/order-table.ts'
import { handOver } from '../../engine/shard/hand-over.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { IntakePool } from '../../server/auth/intake-pool.ts'
import { Cancels } from '../../server/pipeline/cancels.ts'
import { HeartbeatChanges } from '../../server/pipeline/heartbeats.ts'
import { MarketChanges } from '../../server/pipeline/market-changes.ts'
import type { SettlementParts } from '../../server/pipeline/mining.ts'
import { OrderIds } from '../../server/pipeline/order-ids.ts'
import { Pipeline } from '../../server/pipeline/pipeline.ts'
import { PublishedMarkets } from '../../server/pipeline/published.ts'
import { Publisher } from '../../server/pipeline/publisher.ts'
import { Shards } from '../../server/pipeline/shards.ts'
import { TradingModeChanges } from '../../server/pipeline/trading-modes.ts'
import { EmbeddedChain } from '../../server/settlement/embedded-chain.ts'
import { type Model, replayInto } from './model.ts'
import type { Conserves } from './money-watch.ts'
import type { Setting } from './script.ts'
import { type SimDisk, SimJournal } from './sim-disk.ts'
import { SimThread } from './sim-thread.ts'
import { Watch } from './watch.ts'

const RING_BYTES = 1 << 20
const BLOCK_MS = 500

/** A moment when everything was settled and durable. */
export interface Checkpoint {
  readonly seq: number
  readonly stateHash: string
  readonly model: Model
}

export interface LifeParts {
  readonly setting: Setting
  readonly disk: SimDisk
  readonly clock: { nowMs: number }
  readonly conserves: Conserves
  readonly checkpoint: Checkpoint
  /** Told what a recovered state hashes to when it comes by the checkpoint. */
  readonly onCheckpoint: (stateHash: string) => void
}

export class Life {
  readonly model: Model
  readonly published = new PublishedMarkets()
  readonly pipeline: Pipeline
  readonly shards: Shards
  readonly threads: SimThread[] = []
  readonly journal: SimJournal
  readonly watch: Watch
  readonly changes: MarketChanges
  readonly cancels: Cancels
  readonly modes: TradingModeChanges
  readonly heartbeats: HeartbeatChanges
  readonly recoveredHash: string
  readonly chain = new EmbeddedChain(8453)
  /** What a thread died of; the process must stop. */
  fault: string | null = null
  hasDoorbell = false
  /** What a promise of main's was rejected with. */
  failure: unknown = null
  /** The read tables do not answer in time. */
  readsAreLate = false

  constructor(parts: LifeParts) {
    const { setting, disk, clock } = parts
    this.model = parts.checkpoint.model.copy()
    const exchange = this.#recover(parts)
    const { clearing } = exchange
    this.recoveredHash = exchange.stateHash()
    const publisher = new Publisher(clearing, this.published)
    publisher.durableSeq = disk.lastSeq
    const { model } = this
    this.watch = new Watch(clearing, publisher, { model, disk, conserves: parts.conserves })
    for (const { market, depth } of this.published.all()) {
      const levels = [...depth.bids(), ...depth.asks()]
      const sizeRaw = levels.reduce((sum, level) => sum + level.sizeRaw, 0)
      this.watch.publicRaw[market.marketId] = sizeRaw
    }
    this.shards = this.#shardsOf(setting.threads)
    for (const { marketId } of clearing.catalogue.all()) {
      handOver(marketId, clearing.orders, this.shards.of(marketId))
    }
    resetMarkets()
    this.journal = new SimJournal(disk, (seq, record) => this.watch.journaled(seq, record))
    this.pipeline = new Pipeline({
      clearing,
      published: this.published,
      publisher,
      shards: this.shards.all,
      shardOf: (marketId) => this.shards.of(marketId),
      journal: this.journal,
      ids: new OrderIds(new Uint8Array(32)),
      clock: () => clock.nowMs,
      onDurable: () => {},
      profileWaitSec: () => 0,
      onTokenUsed: () => {},
      settlement: this.#settlementOn(parts),
    })
    const domain = { name: 'Simulated', chainId: 1 }
    const nothing = () => {}
    const intake = new IntakePool({ threads: 0, domain, onResult: nothing, onFault: nothing })
    this.changes = new MarketChanges(this.pipeline, intake, this.shards)
    this.modes = new TradingModeChanges(this.pipeline)
    this.heartbeats = new HeartbeatChanges(this.pipeline)
    this.cancels = new Cancels(this.pipeline, {
      order: ({ slot, generation }) => {
        const accountId = model.ownerOf(slot, generation)
        const row = accountId === 0 ? null : { accountId }
        return Promise.resolve(this.readsAreLate ? undefined : row)
      },
      // Main holds every order here, so it never asks.
      orderByClientId: () => Promise.resolve(undefined),
    })
  }

  #settlementOn({ setting, disk }: LifeParts): SettlementParts {
    const { trades } = this.model.chain
    return {
      port: this.chain,
      // Some worlds mine each trade as soon as it is settled and durable.
      blockMs: setting.accounts > 6 ? 0 : BLOCK_MS,
      waiting: [...trades.keys()],
      tradeOf: (tradeSeq) => {
        const isShown = !this.readsAreLate && tradeSeq <= disk.reportedSeq
        return Promise.resolve(isShown ? trades.get(tradeSeq)?.settled : undefined)
      },
    }
  }

  #shardsOf(threads: number): Shards {
    return new Shards({
      threads,
      visitor: this.watch,
      ringBytes: RING_BYTES,
      onReady: () => {
        this.hasDoorbell = true
      },
      onFault: (sentence) => {
        this.fault = sentence
      },
      start: (_name, rings) => {
        const thread = new SimThread(rings)
        this.threads.push(thread)
        return thread
      },
    })
  }

  /** As server/pipeline/open.ts replays a journal, and the model from the checkpoint on. */
  #recover({ setting, disk, checkpoint, onCheckpoint }: LifeParts): Exchange {
    const exchange = new Exchange(new OrderTable(setting.capacity))
    const { published, model } = this
    exchange.onEvents = (words, f64s, count) => published.release(words, f64s, 0, count)
    disk.recover((record) => {
      const command = decodeCommand(record)
      exchange.apply(command)
      if (command.seq > checkpoint.seq) replayInto(model, command)
      if (command.seq === checkpoint.seq) onCheckpoint(exchange.stateHash())
      const isAboutMarket = command.kind === 'createMarket' || command.kind === 'lockMarket'
      if (!isAboutMarket && command.kind !== 'resolveMarket') return
      const market = exchange.clearing.catalogue.existing(command.marketId)
      published.refresh(market, market.status, market.updatedMs)
    })
    return exchange
  }

  /** A check at the end of a promise fails the world. */
  follow(promise: Promise<unknown>): void {
    promise.catch((reason: unknown) => {
      this.failure ??= reason
    })
  }

  get capacity(): number {
    return this.pipeline.clearing.orders.capacity
  }

  /** Every market has answered everything, and all of it is durable. */
  get isAtRest(): boolean {
    const isStill = this.shards.areIdle && this.journal.waitingCount === 0
    return isStill && this.model.pendingCount === 0 && this.pipeline.mining?.isAsking === false
  }

  /** Main hears that frames have come. */
  hear(): void {
    if (!this.hasDoorbell) return
    this.hasDoorbell = false
    this.pipeline.drain()
  }
}
