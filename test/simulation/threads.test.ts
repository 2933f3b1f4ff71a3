import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clearing } from '../../engine/core/clearing.ts'
import { mayArchive } from '../../engine/core/decide/endings.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable, STATE } from '../../engine/core/orders/order-table.ts'
import { SEEN } from '../../engine/core/orders/seen-orders.ts'
import { stateHash } from '../../engine/core/state/state-hash.ts'
import type { Command, PlaceOrder } from '../../engine/domain/command.ts'
import { type CommandOf, concernsBook, isOf } from '../../engine/domain/command-kinds.ts'
import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'
import type { ChainMove } from '../../engine/domain/moves/move-command.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { decodeCommand, eachRecord } from '../../engine/wire/codec.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { keccakReady } from '../../server/crypto/keccak.ts'
import { Shards } from '../../server/exchange/sequencer/shard-map.ts'
import { newFolder } from '../support/data-folder.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { freshSeed } from '../support/random.ts'
import { scriptOf } from './script.ts'
import { World } from './world.ts'

type PayRewards = Extract<Command, { kind: 'payRewards' }>

const BOTH = [OUTCOME.YES, OUTCOME.NO]
const STEPS = 4000
const PUBLISH_EVERY = 64
const seed = freshSeed()
const script = scriptOf(seed, STEPS)

/** The journal of a simulated world, and the state at its end. */
async function recorded(): Promise<{ records: Uint8Array[]; hash: string }> {
  await keccakReady
  const world = new World(script)
  for (const [index, step] of script.steps.entries()) await world.play(step, index)
  const hash = await world.end()
  const records: Uint8Array[] = []
  for (const batch of world.disk.batches) eachRecord(batch.records, (each) => records.push(each))
  return { records, hash }
}

/** Real market threads and main's half of the exchange; a journal takes the place of clients. */
class ThreadedReplay {
  readonly clearing = new Clearing(new OrderTable(script.setting.capacity))
  readonly shards: Shards
  #sent = 0
  #settled = 0
  /** The most commands that were under way at once. */
  lateMax = 0
  #wake: () => void = () => {}

  constructor() {
    this.shards = new Shards({
      threads: 'auto',
      visitor: {
        settle: (words, f64s, at, count) => {
          this.clearing.settle(words, f64s, at, count)
          this.#settled++
        },
        publish: () => {},
        published: () => {},
      },
      onReady: () => {
        this.#receive()
        this.#wake()
      },
      onFault: (sentence) => assert.fail(sentence),
    })
  }

  #receive(): void {
    for (const shard of this.shards.all) {
      shard.drain(Number.POSITIVE_INFINITY)
      shard.publishThrough(Number.POSITIVE_INFINITY)
    }
  }

  #send(): void {
    for (const shard of this.shards.all) shard.send()
  }

  /** Resolves when a thread has answered something more. */
  #answers(): Promise<void> {
    assert(this.#settled < this.#sent, 'a decision is covered once main has received every answer')
    this.#send()
    const before = this.#settled
    // A thread wakes main only after main has requested a wake-up, which it does as it drains.
    this.#receive()
    if (this.#settled > before) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** The book of each market there was. */
  readonly #books = new Map<number, number>()

  async apply(record: Uint8Array): Promise<void> {
    const command = decodeCommand(record)
    // The journal holds a decision, not what main had received by then. Main receives as late as it
    // can.
    while (!isCovered(this.clearing, command)) await this.#answers()
    this.clearing.admit(command)
    for (const { marketId, book } of booksOf(command)) {
      this.shards.of(book)
      this.#books.set(marketId, book)
    }
    if (!concernsBook(command)) return
    // Main may have received more than when it stamped a cancel, and have closed the book.
    const shard = this.shards.of(this.#books.get(command.marketId) ?? 0)
    while (shard.freeBytes() < record.length) await this.#answers()
    if (command.kind === 'placeOrder') shard.place(command.seq, record)
    else if (command.kind === 'releaseOrder') shard.releaseOrder(command.seq, record)
    else if (command.kind === 'decreaseOrder') shard.decrease(command.seq, record)
    else shard.cancel(command.seq, record)
    this.lateMax = Math.max(this.lateMax, ++this.#sent - this.#settled)
    if (this.#sent % PUBLISH_EVERY === 0) this.#send()
  }

  async hash(): Promise<string> {
    while (!this.shards.areIdle) await this.#answers()
    return stateHash(this.clearing, await this.shards.digests(this.clearing.catalogue.openBooks()))
  }
}

/** The markets that get a book by this command. */
function booksOf(command: Command): readonly { marketId: number; book: number }[] {
  const { kind } = command
  const made = kind === 'createGroup' ? command.markets : []
  const one = kind === 'createMarket' || kind === 'openSlot' ? [command] : []
  return [...made, ...one].filter(({ book }) => book !== 0)
}

/** Whether main has received enough for this decision; if not, a market still owes an answer. */
function isCovered(clearing: Clearing, command: Command): boolean {
  if (command.kind === 'adjustBalance') {
    return clearing.ledger.collateralFreeRaw[command.profileId] >= -command.collateralRaw
  }
  const { catalogue } = clearing
  if (booksOf(command).some(({ book }) => catalogue.byBook(book) !== undefined)) return false
  if (command.kind === 'archiveMarket') {
    return mayArchive(clearing, catalogue.existing(command.marketId))
  }
  if (command.kind === 'placeOrder') return isOrderCovered(clearing, command)
  if (concernsBook(command)) return true
  if (isOf('packs', command)) return isPackCovered(clearing, command)
  if (command.kind === 'payRewards') return isPayCovered(clearing, command)
  return !isOf('moves', command) || isMoveCovered(clearing, command)
}

function isChainMoveCovered({ ledger }: Clearing, move: ChainMove): boolean {
  const { owner, marketId, collateralRaw, yesRaw, noRaw, isOwed = false } = move
  const isShareCovered = [yesRaw, noRaw].every((raw, outcome) => {
    return ledger.freeSharesRaw(owner, marketId, outcome) >= -raw
  })
  return isOwed || (ledger.freeRaw(owner) >= -collateralRaw && isShareCovered)
}

function isMoveCovered(clearing: Clearing, command: CommandOf<'moves'>): boolean {
  const { ledger, catalogue } = clearing
  const holds = (account: number, marketId: number, outcome: number, sizeRaw: number) =>
    ledger.freeSharesRaw(account, marketId, outcome) >= sizeRaw
  switch (command.kind) {
    case 'splitPosition':
      return ledger.freeRaw(command.profileId) >= command.amountRaw
    case 'withdraw':
    case 'fundPool':
    case 'buyFromPool':
      return ledger.freeRaw(command.profileId) >= command.collateralRaw
    case 'sellToPool':
      return holds(command.profileId, command.marketId, command.outcome, command.sharesRaw)
    case 'followChain':
      return (command.moves ?? []).every((move) => isChainMoveCovered(clearing, move))
    case 'approvePool':
    case 'drainPool':
      return true
    case 'mergePositions':
      return BOTH.every((outcome) =>
        holds(command.profileId, command.marketId, outcome, command.amountRaw),
      )
    case 'convertPositions':
      return command.noMarketIds.every((marketId) =>
        holds(command.profileId, marketId, OUTCOME.NO, command.amountRaw),
      )
    case 'redeemPositions':
      // A position is final once its market has answered everything.
      return catalogue.existing(command.marketId).book === 0
  }
}

function isPackCovered({ ledger }: Clearing, command: CommandOf<'packs'>): boolean {
  switch (command.kind) {
    case 'createPack':
    case 'acceptPackOffer':
      return ledger.freeRaw(command.profileId) >= command.stakeRaw
    case 'offerPack':
      return ledger.freeRaw(command.profileId) >= command.payoutRaw - command.stakeMaxRaw
    default:
      return true
  }
}

/** A pay spends fees: main must have received the trades that they come from. */
function isPayCovered({ ledger }: Clearing, { rows }: PayRewards): boolean {
  const rebatesRaw = rows.reduce((sum, [, , rebateRaw]) => sum + rebateRaw, 0)
  return ledger.freeRaw(FEE_ACCOUNT) >= rebatesRaw
}

function isOrderCovered({ ledger, orders, seen }: Clearing, order: PlaceOrder): boolean {
  const { accountId, marketId, outcome, slot, reserveRaw } = order
  if (slot <= orders.highSlot && orders.stateOf(slot) !== STATE.FREE) return false
  if (seen.hash(order.hashHigh, order.hashLow) !== SEEN.NO) return false
  const { clientOrderId } = order
  if (clientOrderId !== '' && seen.clientId(accountId, clientOrderId) !== SEEN.NO) return false
  const sells = order.side === SIDE.SELL
  const freeRaw = sells
    ? ledger.freeSharesRaw(accountId, marketId, outcome)
    : ledger.collateralFreeRaw[accountId]
  return freeRaw >= reserveRaw
}

test('market threads, one thread and the disk come to one state from one journal', async (t) => {
  const { records, hash } = await recorded()
  const dataDir = newFolder()
  fillJournal(dataDir, records)
  assert.equal(verifyFolder(dataDir).stateHash, hash, 'a replay of the disk gives the state')
  const exchange = new Exchange(new OrderTable(script.setting.capacity))
  for (const record of records) exchange.apply(decodeCommand(record))
  assert.equal(exchange.stateHash(), hash, 'on one thread')
  const threaded = new ThreadedReplay()
  t.after(() => threaded.shards.stop())
  for (const record of records) await threaded.apply(record)
  assert.equal(await threaded.hash(), hash, 'on market threads')
  assert(threaded.lateMax > 10, `${threaded.lateMax} commands were under way at once`)
})
