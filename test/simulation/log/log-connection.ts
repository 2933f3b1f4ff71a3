// A connection of a node to a simulated log, and the network between them. A request may be lost,
// its reply may be lost, and a request may be executed late, even after the node has closed the
// connection and opened another. Each breaks the connection.

import type { Seq } from '../../../engine/domain/ids.ts'
import { EMPTY_TAIL } from '../../../persistence/journal/journal-chain.ts'
import type { Batch, JournalTail } from '../../../persistence/journal/journal-port.ts'
import { LogUnreachable } from '../../../persistence/log/log-address.ts'
import { CREATE_LOG } from '../../../persistence/log/log-schema.ts'
import type {
  AppendOutcome,
  Leadership,
  ListedNode,
  LogConnection,
  NodeIdentity,
  StateAt,
  SyncState,
} from '../../../persistence/log/postgres-log.ts'
import type { Environment } from './environment.ts'
import { type Change, type LogImage, rowOf } from './log-image.ts'
import type { LogServer, Statement } from './log-server.ts'
import type { ServerEnd, SimulatedLog } from './simulated-log.ts'

/** The node's side of its connections. */
export interface Client {
  readonly name: string
  /** Runs what reaches the process, once it runs; never if it has ended. */
  receive(run: () => void): void
  /** By the clock of the node. */
  readonly nowMs: number
  /** The node has the lease of a request that was sent at this time. */
  leased(sentMs: number): void
  /** The node gives up its lease. */
  released(): void
  /** A reply to a call is about to arrive. */
  replied(call: CallName): void
  /** A call is executed late. */
  delayed(call: CallName): void
  /** Another record in the place of one that was sent. For planted faults. */
  substitute(batch: Batch): Batch
  /** Copies a batch before the log has it. For planted faults. */
  copyEarly(batch: Batch): void
}

type CallName = keyof LogConnection

interface Call {
  readonly name: CallName
  readonly reject: (error: Error) => void
  isOver: boolean
}

/** As the SQL has it: two appends of one epoch wait for each other, or do not. */
const APPEND_LOCK = /FOR UPDATE;\s+IF NOT FOUND THEN RETURN 'replaced'/.test(CREATE_LOG)
  ? 'exclusive'
  : 'shared'
/** A request that is executed late was under way for at most so long. */
const LATE_MS = 4000
/** The part of appends that are executed late: they are what the protocol must stop. */
const LATE_APPENDS = 0.02
/** A node notices that a request or its reply was lost. */
const NOTICED_MS = 400

/** The network between a node and the servers. */
export class Link {
  readonly #environment: Environment
  readonly #held: { readonly connection: object; readonly run: () => void }[] = []
  state: 'up' | 'refused' | 'silent' = 'up'

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Runs what arrives at the other side; while the link is silent, after that or never. */
  pass(connection: object, run: () => void): void {
    if (this.state === 'silent') this.#held.push({ connection, run })
    else run()
  }

  /** TCP sends again what did not arrive, except over connections in `reset`. */
  heal(reset: ReadonlySet<object>): void {
    this.state = 'up'
    const { queue } = this.#environment
    for (const { connection, run } of this.#held.splice(0)) {
      if (!reset.has(connection)) queue.after(this.#environment.latencyMs(), run)
    }
  }
}

export interface ConnectionParts {
  readonly environment: Environment
  readonly log: SimulatedLog
  readonly link: Link
  readonly client: Client
  readonly server: LogServer
}

export class SimulatedConnection implements LogConnection, ServerEnd {
  readonly server: LogServer
  readonly incarnation: number
  readonly #parts: ConnectionParts
  readonly #calls = new Set<Call>()
  #onConfirmed: ((tail: JournalTail) => void) | null = null
  #isBroken = false
  /** The server has closed it. */
  #isLost = false
  /** The last call found a row. For planted faults. */
  #hasFound = false
  /** It has acquired the leadership. For planted faults. */
  #hasAcquired = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.server = parts.server
    this.incarnation = this.server.incarnation
    parts.log.opened(this)
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  close(): void {
    this.#break('it was closed')
  }

  /** The connection breaks on the way: the server goes on with what it has. */
  reset(): void {
    const { environment, client } = this.#parts
    environment.count('broken connections')
    client.receive(() => this.#break('it was reset'))
  }

  lost(): void {
    if (this.#isLost) return
    this.#isLost = true
    const { environment, link, client, log } = this.#parts
    log.closed(this)
    environment.queue.after(environment.latencyMs(), () => {
      link.pass(this, () => client.receive(() => this.#break('the server closed it')))
    })
  }

  /** Its process has ended. */
  abandon(): void {
    this.#isBroken = true
    this.#calls.clear()
    this.#parts.log.closed(this)
  }

  #break(reason: string): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#parts.log.closed(this)
    for (const call of this.#calls) {
      call.isOver = true
      call.reject(new LogUnreachable(`${call.name}: ${reason}`))
    }
    this.#calls.clear()
  }

  /** Makes one call. `execute` runs at the server, and passes its result on. */
  #call<T>(
    name: CallName,
    execute: (reply: (value: T) => void, fail: (error: Error) => void) => void,
  ): Promise<T> {
    const { environment, client } = this.#parts
    if (this.#isBroken) return Promise.reject(new LogUnreachable('the connection is closed'))
    this.#hasFound &&= name === 'syncState'
    return new Promise((resolve, reject) => {
      const call: Call = { name, reject, isOver: false }
      this.#calls.add(call)
      this.#send(name, () => {
        environment.trace(() => `the log executes ${name} of ${client.name}`)
        execute(
          (value) => this.#reply(call, () => resolve(value)),
          (error) => this.#reply(call, () => reject(error)),
        )
      })
    })
  }

  /** Sends a request, which may get lost or be late. */
  #send(name: CallName, execute: () => void): void {
    const { environment, link, log, client } = this.#parts
    const { queue } = environment
    const arrive = () => {
      if (!this.#isLost && log.accepts(this)) execute()
    }
    const breakSoon = () => {
      const afterMs = environment.between(0, NOTICED_MS)
      queue.after(afterMs, () => client.receive(() => this.#break('no reply came')))
    }
    if (environment.chance(environment.lossOdds / 2)) {
      environment.count('lost requests')
      breakSoon()
    } else if (environment.chance(name === 'append' ? LATE_APPENDS : environment.lossOdds)) {
      environment.count('late requests')
      client.delayed(name)
      breakSoon()
      const afterMs = environment.between(
        0,
        environment.random.pick([20, LATE_MS, LATE_MS, LATE_MS]),
      )
      log.arriveLate(afterMs, () => {
        environment.trace(() => `${name} of ${client.name} arrives late`)
        arrive()
      })
    } else {
      queue.after(environment.latencyMs(), () => link.pass(this, arrive))
    }
  }

  #reply(call: Call, run: () => void): void {
    const { environment, link, client } = this.#parts
    if (environment.chance(environment.lossOdds)) {
      environment.count('lost replies')
      this.reset()
      return
    }
    environment.queue.after(environment.latencyMs(), () => {
      link.pass(this, () => {
        if (!call.isOver) client.replied(call.name)
        client.receive(() => {
          if (call.isOver) return
          call.isOver = true
          this.#calls.delete(call)
          run()
        })
      })
    })
  }

  /** A statement that reads. */
  #read<T>(name: CallName, query: (image: LogImage) => T): Promise<T> {
    return this.#call<T>(name, (reply) => reply(query(this.server.image)))
  }

  /** A transaction. `decide` returns its change and its result. */
  #commit<T>(
    name: CallName,
    lock: Statement['lock'],
    decide: (image: LogImage) => { change: Change | null; value: T },
  ): Promise<T> {
    return this.#call<T>(name, (reply, fail) => {
      this.server.execute({
        owner: this,
        lock,
        fail,
        plan: (image) => {
          const { change, value } = decide(image)
          return { change, answer: () => reply(value) }
        },
      })
    })
  }

  // The statements.

  base(): Promise<JournalTail | null> {
    return this.#read('base', (image) => image.base)
  }

  async tail(): Promise<JournalTail> {
    const { planted } = this.#parts.environment
    const isEarly = planted.has('a leader decides before the end of the log')
    if (isEarly && this.#hasAcquired) return EMPTY_TAIL
    return await this.#read('tail', (image) => image.tail)
  }

  async checksumAt(seq: Seq): Promise<Uint8Array | null> {
    const checksum = await this.#read('checksumAt', (image) => image.checksumAt(seq))
    this.#hasFound = checksum !== null
    return checksum
  }

  batches(fromSeq: Seq, throughSeq: Seq, limit: number): Promise<Batch[]> {
    return this.#read('batches', (image) => image.batches(fromSeq, throughSeq, limit))
  }

  leadership(): Promise<Leadership> {
    return this.#read('leadership', (image) => image.leadershipAt(this.server.nowMs))
  }

  nodes(): Promise<ListedNode[]> {
    return this.#read('nodes', (image) => image.nodesAt(this.server.nowMs))
  }

  differsFrom(node: string, other: string): Promise<Seq | null> {
    return this.#read('differsFrom', (image) => image.differsFrom(node, other))
  }

  syncState(): Promise<SyncState> {
    return this.#read('syncState', () => {
      const { isSynchronous } = this.server
      return { isSynchronous, synchronousNames: isSynchronous ? 'replica' : '' }
    })
  }

  clockAheadMs(): Promise<number> {
    return this.#read('clockAheadMs', () => this.server.clockAheadMs)
  }

  append(epoch: number, batch: Batch, needsStandby: boolean): Promise<AppendOutcome> {
    const { client, environment } = this.#parts
    const { planted } = environment
    if (planted.has('the copy is ahead of the log')) client.copyEarly(batch)
    const isSame = !planted.has('a seq is used again')
    const row = rowOf(epoch, isSame ? batch : client.substitute(batch))
    const sent = this.#commit('append', APPEND_LOCK, (image) => {
      const isAlone = needsStandby && !this.server.isSynchronous
      const { outcome, change } = image.append(row, isAlone, planted)
      const isNext = image.tail.seq === row.firstSeq - 1
      if (outcome === 'elsewhere') environment.count('appends refused at the end of the log')
      if (outcome === 'replaced' && isNext) environment.count('appends refused by the epoch')
      return { change, value: outcome }
    })
    if (!planted.has('an append counts before it returns')) return sent
    sent.catch(() => {})
    return Promise.resolve('appended')
  }

  trim(epoch: number, throughSeq: Seq, rowsMax: number): Promise<boolean> {
    return this.#commit('trim', 'shared', (image) => {
      const base = image.trim(epoch, throughSeq, rowsMax)
      if (base === null) return { change: null, value: false }
      return { change: { kind: 'trim', base }, value: true }
    })
  }

  async acquire(
    { name: node, run, url }: NodeIdentity,
    leaseMs: number,
    epoch: number,
  ): Promise<number | null> {
    const { client, environment, log } = this.#parts
    const sentMs = client.nowMs
    const acquired = await this.#commit('acquire', 'exclusive', (image) => {
      const { nowMs } = this.server
      const by = { node, run, url, epoch, untilMs: nowMs + leaseMs }
      const leadership = image.acquire(by, nowMs, environment.planted)
      if (leadership === null) return { change: null, value: null }
      log.hasten()
      return { change: { kind: 'leadership', leadership }, value: leadership.epoch }
    })
    if (acquired === null) return null
    this.#hasAcquired = true
    client.leased(sentMs)
    return acquired
  }

  async renew(epoch: number, leaseMs: number): Promise<boolean> {
    const { client, environment } = this.#parts
    const sentMs = client.nowMs
    const isFound = this.#hasFound
    this.#hasFound = false
    if (isFound && environment.planted.has('a found row counts')) return true
    const isRenewed = await this.#commit('renew', 'exclusive', (image) => {
      const leadership = image.renew(epoch, this.server.nowMs + leaseMs)
      if (leadership === null) return { change: null, value: false }
      return { change: { kind: 'leadership', leadership }, value: true }
    })
    if (isRenewed) client.leased(sentMs)
    return isRenewed
  }

  release(epoch: number): Promise<void> {
    this.#parts.client.released()
    return this.#commit('release', 'exclusive', (image) => {
      const leadership = image.renew(epoch, this.server.nowMs)
      const change: Change | null = leadership && { kind: 'leadership', leadership }
      return { change, value: undefined }
    })
  }

  report(identity: NodeIdentity, seq: Seq): Promise<void> {
    if (this.#parts.environment.planted.has('a visible row counts')) {
      return this.#read('report', () => {})
    }
    return this.#commit('report', 'none', () => {
      const node = { ...identity, seq, seenMs: this.server.nowMs }
      return { change: { kind: 'node', node }, value: undefined }
    })
  }

  putHash(node: string, state: StateAt): Promise<void> {
    return this.#commit('putHash', 'none', () => {
      return { change: { kind: 'hash', node, state }, value: undefined }
    })
  }

  listen(onConfirmed: (tail: JournalTail) => void): Promise<void> {
    this.#onConfirmed = onConfirmed
    return this.#read('listen', () => {})
  }

  /** Reaches the connections that listen, unless it gets lost. */
  confirm(tail: JournalTail): Promise<void> {
    return this.#call('confirm', (reply) => {
      for (const end of this.#parts.log.connections) {
        if (end instanceof SimulatedConnection && end.server === this.server) end.#notice(tail)
      }
      reply(undefined)
    })
  }

  #notice(tail: JournalTail): void {
    const { environment, link, client } = this.#parts
    const onConfirmed = this.#onConfirmed
    // Also in quiet periods: a standby must not depend on notifications.
    if (onConfirmed === null || environment.random.chance(0.1)) return
    const lateMs = environment.chance(0.05) ? environment.between(0, 2000) : 0
    environment.queue.after(environment.latencyMs() + lateMs, () => {
      link.pass(this, () => {
        client.receive(() => {
          if (!this.#isBroken) onConfirmed(tail)
        })
      })
    })
  }
}
