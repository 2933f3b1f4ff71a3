import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import type { Machine, Network } from './network.ts'
import {
  admitNeighbors,
  copyServer,
  createData,
  EMPTY_IN_BACKUP,
  OWNER,
  runPostgres,
  unlock,
  Watcher,
  writeOwn,
} from './postgres-folder.ts'
import { signalEach, suspendTree } from './process-tree.ts'
import { noteProgress } from './progress.ts'
import { until } from './until.ts'

// Real PostgreSQL 18 servers on loopback: a primary and its streaming standbys. Each server keeps
// its folder, name and port for the whole test, whatever its role becomes.

const HOST = '127.0.0.1'
/** A wait fails when nothing that it watches has changed for so long. */
const STANDSTILL_MS = 60_000
const LOG_CHARS = 65_536

const SERVER_STATE = 'SELECT pg_is_in_recovery() AS "isStandby"'
const RECEIVED_BYTES = `
  SELECT pg_wal_lsn_diff(
    GREATEST(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0'
  )::text AS bytes`
// The name of a WAL file begins with the timeline, which a promotion changes.
const SENDER = `
  SELECT state, sent_lsn::text AS "sentLsn",
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline
  FROM pg_stat_replication WHERE application_name = $1`
const RECEIVER = 'SELECT received_tli AS timeline FROM pg_stat_wal_receiver'
const RELOAD = 'SELECT pg_reload_conf()'
const PROMOTE = 'SELECT pg_promote(true, 600) AS "isPromoted"'
const BACKUP_START = 'SELECT pg_backup_start($1, fast := true)'
const BACKUP_STOP = 'SELECT labelfile FROM pg_backup_stop(wait_for_archive := false)'

const READY = /database system is ready to accept (read-only )?connections/
const FORKED = /new timeline \d+ forked off current database system timeline/

type Row = Record<string, unknown>
/** Runs one statement. */
type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Settings of PostgreSQL by name. */
export type PostgresSettings = Readonly<Record<string, string>>

/** Every commit reaches two disks; everything else is as small as the tests allow. */
const SETTINGS: PostgresSettings = {
  unix_socket_directories: '',
  synchronous_commit: 'on',
  fsync: 'on',
  wal_level: 'replica',
  hot_standby: 'on',
  autovacuum: 'on',
  // A standby that was down or suspended finds what it missed, up to this size.
  wal_keep_size: '256MB',
  // The default of 5 s delays a standby that starts before its primary.
  wal_retrieve_retry_interval: '100ms',
  max_connections: '20',
  max_wal_senders: '5',
  shared_buffers: '16MB',
  // Fewer processes.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  max_parallel_workers: '0',
  jit: 'off',
  huge_pages: 'off',
  // Shared memory in the folder of the server, so that a killed server leaves less behind.
  dynamic_shared_memory_type: 'mmap',
  log_checkpoints: 'off',
}

/** What a wait sees at one moment. */
interface Sight {
  readonly isOver: boolean
  /** Progress is a change of this text. */
  readonly progress: string
}

/** Waits until it is over; rejects with `what` when there is no progress for STANDSTILL_MS. */
async function progressUntil(look: () => Sight | Promise<Sight>, what: () => string) {
  let last = ''
  let changedMs = performance.now()
  await until(async () => {
    const { isOver, progress } = await look()
    if (progress !== last) {
      last = progress
      changedMs = performance.now()
      noteProgress()
    }
    if (!isOver && performance.now() - changedMs > STANDSTILL_MS) assert.fail(what())
    return isOver
  })
}

/** One run of a server, from its start to the end of its last process. */
class Run {
  readonly pid: number
  readonly ended: Promise<unknown>
  isOver = false
  /** The last LOG_CHARS of what it has logged. */
  log = ''
  loggedChars = 0

  constructor(folder: string, wrapper: readonly string[]) {
    const child = runPostgres('postgres', ['-D', folder], folder, wrapper)
    assert.ok(child.pid !== undefined, 'the program of the server exists')
    this.pid = child.pid
    child.stdin?.end()
    child.stdout?.resume()
    child.stderr?.on('data', (bytes: Buffer) => {
      const text = bytes.toString()
      this.loggedChars += text.length
      this.log = `${this.log}${text}`.slice(-LOG_CHARS)
    })
    // All processes of the server have its standard error, so it closes after the last of them.
    this.ended = once(child, 'close').then(() => {
      this.isOver = true
    })
  }

  /** What was logged after the first `chars` characters. */
  logAfter(chars: number): string {
    return this.log.slice(Math.max(0, this.log.length - this.loggedChars + chars))
  }

  /** Waits until the server accepts connections; rejects with its log when it ends before. */
  async ready(): Promise<void> {
    await progressUntil(
      () => {
        assert.ok(!this.isOver, `the server ended before it was ready: ${this.log}`)
        return { isOver: READY.test(this.log), progress: this.log }
      },
      () => `the server does not become ready: ${this.log}`,
    )
  }
}

interface Address {
  /** Loopback, unless it is given. */
  readonly host?: string
  readonly port: number
}

/** The URL of the database by addresses: of one server or several, or of proxies. */
export function databaseUrl(...servers: readonly Address[]): string {
  const addresses = servers.map(({ host = HOST, port }) => `${host}:${port}`)
  return `postgres://${OWNER}@${addresses.join(',')}/${OWNER}`
}

/** What a server is started with. */
interface Identity {
  readonly name: string
  readonly port: number
  readonly machine: Machine | undefined
  readonly settings: PostgresSettings
  readonly watcher: Watcher
}

/** One server. Its methods reject with its log or the error of PostgreSQL. */
export class PostgresServer {
  /** Its `application_name` as a standby: s0, s1, … */
  readonly name: string
  readonly port: number
  /** Where it listens. */
  readonly host: string
  /** The machine of a network on which it runs, if it is not this one. */
  readonly machine: Machine | undefined
  readonly folder: string
  readonly #settings: PostgresSettings
  readonly #watcher: Watcher
  #run: Run | null = null
  #suspended: readonly number[] = []

  constructor({ name, port, machine, settings, watcher }: Identity) {
    this.name = name
    this.port = port
    this.host = machine?.address ?? HOST
    this.machine = machine
    this.folder = join(watcher.folder, name)
    const own = { listen_addresses: this.host, port: `${port}`, cluster_name: name }
    this.#settings = { ...own, ...settings }
    this.#watcher = watcher
  }

  get url(): string {
    return databaseUrl(this)
  }

  get isDown(): boolean {
    return this.#run === null || this.#run.isOver
  }

  /** Whether it accepts connections: neither down nor suspended. */
  get isUp(): boolean {
    return !this.isDown && this.#suspended.length === 0
  }

  /** The last 64 KB that this run has logged. */
  get log(): string {
    return this.#run?.log ?? ''
  }

  /** Runs one statement in a connection of its own; gives its rows. */
  query(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#connected((query) => query(text, values))
  }

  /** Starts on the same folder and port, and resolves when the server accepts connections. */
  async start(): Promise<void> {
    assert.ok(this.isDown, 'the server is down before it starts')
    this.#run = new Run(this.folder, this.machine?.wrapper ?? [])
    await this.#run.ready()
  }

  /** Kills all processes of the server at one moment, suspended or not. The port is then free. */
  async kill(): Promise<void> {
    const run = this.#running()
    const pids = await suspendTree(run.pid)
    signalEach(pids, 'SIGKILL')
    await this.#over(run)
    await unlock(this.folder)
  }

  /**
   * Shuts the server down. Sessions end, and commits that wait for a standby are answered with an
   * error. A primary first sends all WAL to its standbys, so a suspended standby delays it until
   * `wal_sender_timeout`, a minute.
   */
  async stop(): Promise<void> {
    const run = this.#running()
    if (this.#suspended.length > 0) this.resume()
    signalEach([run.pid], 'SIGINT')
    await this.#over(run)
  }

  /** Resolves when no process of the server runs. Connections stay open, without an answer. */
  async suspend(): Promise<void> {
    this.#suspended = await suspendTree(this.#running().pid)
    this.#watcher.noteSuspended(this.#suspended)
  }

  resume(): void {
    signalEach(this.#suspended, 'SIGCONT')
    this.#suspended = []
  }

  /** Bytes of WAL that this standby has on its disk, from the beginning of the history. */
  async receivedBytes(): Promise<bigint> {
    const [{ bytes }] = await this.query(RECEIVED_BYTES)
    return BigInt(String(bytes))
  }

  async isStandby(): Promise<boolean> {
    const [{ isStandby }] = await this.query(SERVER_STATE)
    return isStandby === true
  }

  /** Stops receiving: this standby confirms nothing to its primary, and its position is final. */
  async detach(): Promise<void> {
    await this.#set('primary_conninfo', '')
    await progressUntil(
      async () => {
        const receivers = await this.query(RECEIVER)
        return { isOver: receivers.length === 0, progress: '' }
      },
      () => `${this.name} does not stop receiving: ${this.log}`,
    )
  }

  /**
   * Makes this standby a primary; resolves when it accepts writes. Its commits wait for one of the
   * other servers, so one must follow it, or `setSynchronousNames` must lift the wait.
   */
  async promote(): Promise<void> {
    const [{ isPromoted }] = await this.query(PROMOTE)
    assert.equal(isPromoted, true, `${this.name} is still a standby: ${this.log}`)
  }

  /**
   * Lets this standby receive from `primary`, through `port` when there is a proxy between them;
   * resolves when it streams. Rejects when it has WAL that the primary does not have (`rejoin` then
   * replaces it). PostgreSQL lets such a standby confirm commits of the primary that it does not
   * have, as far as its own WAL goes, also after the rejection: it compares positions only.
   */
  async follow(primary: PostgresServer, port?: number): Promise<void> {
    assert.ok(await this.isStandby(), `${this.name} is a standby before it follows`)
    await this.#set('primary_conninfo', this.#connectionTo(primary, port))
    await this.streamsFrom(primary)
  }

  /** Waits until this standby receives the present WAL of `primary`; rejects as `follow` does. */
  async streamsFrom(primary: PostgresServer): Promise<void> {
    const run = this.#running()
    const from = run.loggedChars
    const failed = (why: string) => `${this.name} ${why} ${primary.name}: ${run.logAfter(from)}`
    await primary.#connected((primaryQuery) =>
      this.#connected((query) =>
        progressUntil(
          async () => {
            assert.ok(!FORKED.test(run.logAfter(from)), failed('has other WAL than'))
            const [sender] = await primaryQuery(SENDER, [this.name])
            const [receiver] = await query(RECEIVER)
            // A standby with other WAL streams too, until it comes to the end of the old timeline.
            const isLevel = sender?.timeline === receiver?.timeline
            const isOver = sender?.state === 'streaming' && isLevel
            return { isOver, progress: JSON.stringify([sender, receiver]) }
          },
          () => failed('does not stream from'),
        ),
      ),
    )
  }

  /** Replaces the data by a copy of the running `primary` and follows it; kills this server. */
  async rejoin(primary: PostgresServer): Promise<void> {
    if (!this.isDown) await this.kill()
    await rm(this.folder, { recursive: true })
    await primary.#connected(async (query) => {
      await query(BACKUP_START, [this.name])
      await copyServer(primary.folder, this.folder, EMPTY_IN_BACKUP)
      const [{ labelfile }] = await query(BACKUP_STOP)
      await writeOwn(join(this.folder, 'backup_label'), String(labelfile))
    })
    await this.configure(primary)
    await this.start()
    await this.streamsFrom(primary)
  }

  /**
   * Sets `synchronous_standby_names`, such as `ANY 1 (s0, s2)`, and resolves when it holds. With an
   * empty text no commit waits, also none that has begun to.
   */
  async setSynchronousNames(text: string): Promise<void> {
    await this.#set('synchronous_standby_names', text)
    // The checkpointer decides whether commits wait. It reads settings before a checkpoint.
    await this.query('CHECKPOINT')
  }

  /** Writes the configuration of a server that is down: of a primary, or a standby of `primary`. */
  async configure(primary: PostgresServer | null): Promise<void> {
    const source = primary === null ? {} : { primary_conninfo: this.#connectionTo(primary) }
    const rows = Object.entries({ ...this.#settings, ...source })
    const text = rows.map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    await writeOwn(join(this.folder, 'postgresql.conf'), text.join(''))
    if (primary !== null) await writeOwn(join(this.folder, 'standby.signal'), '')
  }

  #connectionTo({ host, port }: PostgresServer, through = port): string {
    return `host=${host} port=${through} user=${OWNER} application_name=${this.name}`
  }

  #running(): Run {
    assert.ok(this.#run !== null && !this.#run.isOver, `${this.name} runs`)
    return this.#run
  }

  async #over(run: Run): Promise<void> {
    await run.ended
    this.#suspended = []
  }

  async #connected<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.url)
    // The statement that runs rejects too.
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(async (text, values = []) => {
        const { rows } = await client.query<Row>(text, [...values])
        return rows
      })
    } finally {
      await client.end()
    }
  }

  /** Changes a setting; resolves when new connections see it. */
  async #set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`)
    await this.query(RELOAD)
    await until(async () => {
      const [{ setting }] = await this.query('SELECT current_setting($1) AS setting', [name])
      return setting === value
    })
  }
}

export interface PostgresOptions {
  readonly standbys: number
  /** Settings of every server. */
  readonly settings?: PostgresSettings
  /** Makes the folder of the primary, such as one on a disk of its own. */
  readonly makeFolder?: ((path: string) => void) | undefined
  /** Each server runs on a machine of its own of this network. */
  readonly network?: Network | undefined
}

/** A primary and its standbys. */
export class PostgresServers {
  /** s0, the primary of the start. */
  readonly primary: PostgresServer
  /** s1, s2, …: the standbys of the start. */
  readonly standbys: readonly PostgresServer[]
  readonly #watcher: Watcher

  constructor(all: readonly PostgresServer[], watcher: Watcher) {
    this.primary = all[0]
    this.standbys = all.slice(1)
    this.#watcher = watcher
  }

  get all(): readonly PostgresServer[] {
    return [this.primary, ...this.standbys]
  }

  /** The database on whichever server is the primary, for clients that try all of them. */
  get url(): string {
    return databaseUrl(...this.all)
  }

  /**
   * Promotes the standby that has most WAL, of those that run; the others follow it. All of them
   * are detached before, so nothing that the old primary commits later is confirmed. `lost` runs
   * but cannot be reached.
   */
  async failOver(lost?: PostgresServer): Promise<PostgresServer> {
    const found: { readonly server: PostgresServer; readonly bytes: bigint }[] = []
    for (const server of this.all) {
      if (server === lost || !server.isUp || !(await server.isStandby())) continue
      await server.detach()
      found.push({ server, bytes: await server.receivedBytes() })
    }
    assert.ok(found.length > 0, 'a standby runs')
    const best = found.reduce((one, other) => (other.bytes > one.bytes ? other : one)).server
    await best.promote()
    for (const { server } of found) if (server !== best) await server.follow(best)
    return best
  }

  /** Ends all servers, in whatever state; their folders are removed soon after. */
  async stopAll(): Promise<void> {
    await Promise.all(this.all.filter(({ isDown }) => !isDown).map((server) => server.kill()))
    this.#watcher.end()
  }
}

/**
 * Starts a primary and its standbys; resolves when all of them stream. Each server, as a primary,
 * waits at a commit for one of the others. Every test must call `stopAll`.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServers> {
  const watcher = new Watcher()
  try {
    return await startAll(watcher, options)
  } catch (error) {
    watcher.end()
    throw error
  }
}

async function startAll(
  watcher: Watcher,
  { standbys: standbyCount, settings = {}, makeFolder, network }: PostgresOptions,
): Promise<PostgresServers> {
  const names = Array.from({ length: standbyCount + 1 }, (_, index) => `s${index}`)
  const all: PostgresServer[] = []
  for (const name of names) {
    const others = names.filter((other) => other !== name).join(', ')
    const synchronous = { synchronous_standby_names: others === '' ? '' : `ANY 1 (${others})` }
    const own = { ...SETTINGS, ...synchronous, ...settings }
    const place = { port: await freePort(), machine: network?.add() }
    all.push(new PostgresServer({ name, ...place, settings: own, watcher }))
  }
  const [primary, ...standbys] = all
  makeFolder?.(primary.folder)
  await createData(primary.folder, () => primary.configure(null))
  if (network !== undefined) await admitNeighbors(primary.folder)
  // The primary has never run, so a copy is a standby that is level with it.
  await Promise.all(standbys.map(({ folder }) => copyServer(primary.folder, folder, [])))
  await Promise.all(standbys.map((standby) => standby.configure(primary)))
  await primary.start()
  await Promise.all(
    standbys.map(async (standby) => {
      await standby.start()
      await standby.streamsFrom(primary)
    }),
  )
  return new PostgresServers(all, watcher)
}
