import type { Seq } from '../../engine/domain/ids.ts'
import { EMPTY_TAIL } from '../journal/journal-chain.ts'
import type { Batch, JournalTail } from '../journal/journal-port.ts'
import type { LogAddress } from './log-address.ts'
import { CONFIRMED_CHANNEL, CREATE_LOG, LOG_FORMAT } from './log-schema.ts'
import { connectPrimary, type NamedStatement, type PostgresClient } from './postgres-client.ts'

// The statements of a log, over one connection. What a call that changes something says is true
// once it returns: with a synchronous standby, it is then on two disks. A call that throws
// LogUnreachable may have had its effect.

/** A node of a cluster, as it reports itself. `run` is new with each start of its process. */
export interface NodeIdentity {
  readonly name: string
  readonly run: string
  /** Where other nodes reach it. */
  readonly url: string
  readonly version: string
  /** The newest rules that it knows. */
  readonly rules: number
}

/** Who leads, or led last. The epoch rises by one with each leader. */
export interface Leadership {
  readonly epoch: number
  readonly node: string
  readonly run: string
  readonly url: string
  /** What is left of the lease by the clock of the database; negative once it has ended. */
  readonly leftMs: number
}

/** A node as the log lists it. */
export interface ListedNode extends NodeIdentity {
  readonly seq: Seq
  /** Time since its last report, by the clock of the database. */
  readonly seenMs: number
}

/** The hash of a state, and its seq. */
export interface StateAt {
  readonly seq: Seq
  readonly hash: string
}

/** How sure an acknowledged commit is. */
export interface SyncState {
  readonly isSynchronous: boolean
  readonly synchronousNames: string
}

const statement = (name: string, text: string): NamedStatement => ({ name, text })

const LEFT_MS = 'extract(epoch FROM until - clock_timestamp())::float8 * 1000'

const TAIL = statement(
  'tail',
  `SELECT last_seq::float8 AS seq, checksum FROM outcomex.batches ORDER BY first_seq DESC LIMIT 1`,
)
const BASE = statement(
  'base',
  'SELECT seq::float8 AS seq, checksum FROM outcomex.base WHERE id = 1',
)
const PUT_BASE = statement(
  'put_base',
  'INSERT INTO outcomex.base VALUES (1, $1, $2) ON CONFLICT DO NOTHING',
)
const BATCHES = statement(
  'batches',
  `SELECT first_seq::float8 AS "firstSeq", last_seq::float8 AS "lastSeq", records, checksum
   FROM outcomex.batches WHERE first_seq >= $1 AND last_seq <= $2 ORDER BY first_seq LIMIT $3`,
)
const CHECKSUM_AT = statement(
  'checksum_at',
  `SELECT last_seq::float8 AS "lastSeq", checksum FROM outcomex.batches
   WHERE first_seq <= $1 ORDER BY first_seq DESC LIMIT 1`,
)
const ENDS = statement(
  'ends',
  `SELECT last_seq::float8 AS seq, checksum FROM outcomex.batches
   WHERE first_seq > $1 ORDER BY first_seq LIMIT $2`,
)
const MARK = statement('mark', 'SELECT value FROM outcomex.marks WHERE name = $1')
const PUT_MARK = statement(
  'put_mark',
  'INSERT INTO outcomex.marks VALUES ($1, $2) ON CONFLICT DO NOTHING',
)
const APPEND = statement(
  'append',
  'SELECT outcomex.append_batch($1, $2, $3, $4, $5, $6) AS outcome',
)
const TRIM = statement('trim', 'SELECT outcomex.trim_log($1, $2, $3) AS trimmed')
const LEADERSHIP = statement(
  'leadership',
  `SELECT epoch::float8 AS epoch, node, run, url,
     CASE WHEN until = '-infinity' THEN -1 ELSE ${LEFT_MS} END AS "leftMs"
   FROM outcomex.leadership WHERE id = 1`,
)
const ACQUIRE = statement(
  'acquire',
  `UPDATE outcomex.leadership SET epoch = epoch + 1, node = $1, run = $2, url = $3,
     until = clock_timestamp() + $4 * interval '1 ms'
   WHERE id = 1 AND epoch = $5 AND (until <= clock_timestamp() OR run = $2)
   RETURNING epoch::float8 AS epoch`,
)
const RENEW = statement(
  'renew',
  `UPDATE outcomex.leadership SET until = clock_timestamp() + $2 * interval '1 ms'
   WHERE id = 1 AND epoch = $1 RETURNING epoch::float8 AS epoch`,
)
const RELEASE = statement(
  'release',
  'UPDATE outcomex.leadership SET until = clock_timestamp() WHERE id = 1 AND epoch = $1',
)
const REPORT = statement(
  'report',
  `INSERT INTO outcomex.nodes VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
   ON CONFLICT (name) DO UPDATE SET run = excluded.run, url = excluded.url, seq = excluded.seq,
     version = excluded.version, rules = excluded.rules, seen = excluded.seen`,
)
const NODES = statement(
  'nodes',
  `SELECT name, run, url, seq::float8 AS seq, version, rules,
     round(extract(epoch FROM clock_timestamp() - seen) * 1000)::float8 AS "seenMs"
   FROM outcomex.nodes ORDER BY name`,
)
const REMOVE_NODE = statement('remove_node', 'DELETE FROM outcomex.nodes WHERE name = $1')
const PUT_HASH = statement(
  'put_hash',
  `WITH old AS (DELETE FROM outcomex.hashes WHERE taken < clock_timestamp() - interval '1 hour')
   INSERT INTO outcomex.hashes VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING`,
)
const DIFFERENT_HASH = statement(
  'different_hash',
  `SELECT own.seq::float8 AS seq FROM outcomex.hashes own JOIN outcomex.hashes other USING (seq)
   WHERE own.node = $1 AND other.node = $2 AND own.hash <> other.hash ORDER BY seq LIMIT 1`,
)
const SYNC = statement(
  'sync',
  `SELECT current_setting('synchronous_commit') AS commit,
     current_setting('synchronous_standby_names') AS names, current_setting('fsync') AS fsync`,
)
const NOW = statement(
  'now',
  'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"',
)

/** The values of synchronous_commit that wait until a standby has written to its disk. */
const WAITING_COMMITS: ReadonlySet<string> = new Set(['on', 'remote_apply'])

/** `unsynchronous`: no standby would have it, and one is required. */
export type AppendOutcome = 'appended' | 'replaced' | 'elsewhere' | 'unsynchronous'

/** What a node of a cluster needs of a connection to its log. */
export interface LogConnection
  extends Pick<
    PostgresLog,
    | 'acquire'
    | 'append'
    | 'base'
    | 'batches'
    | 'checksumAt'
    | 'clockAheadMs'
    | 'close'
    | 'confirm'
    | 'differsFrom'
    | 'isBroken'
    | 'leadership'
    | 'listen'
    | 'nodes'
    | 'putHash'
    | 'release'
    | 'renew'
    | 'report'
    | 'syncState'
    | 'tail'
    | 'trim'
  > {}

export class PostgresLog {
  private readonly client: PostgresClient

  private constructor(client: PostgresClient) {
    this.client = client
  }

  /** Connects to the primary of a log. Throws LogUnreachable. */
  static async connect(address: LogAddress, name: string): Promise<PostgresLog> {
    const client = await connectPrimary(address, name)
    await client.script('SET synchronous_commit = on')
    return new PostgresLog(client)
  }

  /** Whether calls can only fail from now on. */
  get isBroken(): boolean {
    return this.client.isBroken
  }

  /** Calls under way fail. */
  close(): void {
    this.client.destroy()
  }

  /** Receives the end of each batch of which a leader says that it was acknowledged. */
  async listen(onConfirmed: (tail: JournalTail) => void): Promise<void> {
    await this.client.listen(CONFIRMED_CHANNEL, (payload) => {
      const [seq, checksum = ''] = payload.split(' ')
      onConfirmed({ seq: Number(seq), checksum: Buffer.from(checksum, 'hex') })
    })
  }

  /** Creates the tables of a new log. Throws for one of another version. */
  async prepare(): Promise<void> {
    await this.client.script(CREATE_LOG)
    const format = Buffer.from((await this.mark('format')) ?? '').toString()
    if (format === String(LOG_FORMAT)) return
    throw new Error(
      `the log has format ${format}, and this version knows ${LOG_FORMAT}; start a newer version`,
    )
  }

  async mark(name: string): Promise<Uint8Array | null> {
    const [row] = await this.client.query<{ value: Uint8Array }>(MARK, [name])
    return row?.value ?? null
  }

  /** Writes a mark that is not there yet, and returns the one that is there. */
  async markOnce(name: string, value: Uint8Array): Promise<Uint8Array> {
    await this.client.query(PUT_MARK, [name, value])
    return (await this.mark(name)) ?? value
  }

  /** Where the log begins: nothing before it is kept. Null for a log that nobody has begun. */
  async base(): Promise<JournalTail | null> {
    const [row] = await this.client.query<JournalTail & Record<string, unknown>>(BASE)
    return row ?? null
  }

  /** Begins the log after this seq, unless it has begun. */
  async beginAt({ seq, checksum }: JournalTail): Promise<void> {
    await this.client.query(PUT_BASE, [seq, checksum])
  }

  /** The last batch that is visible. It may not be on a second disk yet. */
  async tail(): Promise<JournalTail> {
    const [row] = await this.client.query<JournalTail & Record<string, unknown>>(TAIL)
    return row ?? (await this.base()) ?? EMPTY_TAIL
  }

  /** The checksum of the batch that ends at `seq`; null if none ends there. */
  async checksumAt(seq: Seq): Promise<Uint8Array | null> {
    const [row] = await this.client.query<{ lastSeq: Seq; checksum: Uint8Array }>(CHECKSUM_AT, [
      seq,
    ])
    if (row !== undefined) return row.lastSeq === seq ? row.checksum : null
    const base = await this.base()
    return base !== null && base.seq === seq ? base.checksum : null
  }

  /** The batches from `fromSeq` to `throughSeq`, the first `limit` of them. */
  async batches(fromSeq: Seq, throughSeq: Seq, limit: number): Promise<Batch[]> {
    const values = [fromSeq, throughSeq, limit]
    return await this.client.query<Batch & Record<string, unknown>>(BATCHES, values)
  }

  /** The ends of the batches after `seq`, the first `limit` of them. */
  async ends(seq: Seq, limit: number): Promise<JournalTail[]> {
    return await this.client.query<JournalTail & Record<string, unknown>>(ENDS, [seq, limit])
  }

  async append(
    epoch: number,
    { firstSeq, lastSeq, records, checksum }: Batch,
    needsStandby: boolean,
  ): Promise<AppendOutcome> {
    const values = [epoch, firstSeq, lastSeq, records, checksum, needsStandby]
    const [row] = await this.client.query<{ outcome: AppendOutcome }>(APPEND, values)
    return row.outcome
  }

  /**
   * Removes the oldest batches up to a seq, at most `rowsMax` of them. True if there may be more;
   * false also when another node leads.
   */
  async trim(epoch: number, throughSeq: Seq, rowsMax: number): Promise<boolean> {
    const [row] = await this.client.query<{ trimmed: boolean }>(TRIM, [epoch, throughSeq, rowsMax])
    return row.trimmed
  }

  async leadership(): Promise<Leadership> {
    const [row] = await this.client.query<Leadership & Record<string, unknown>>(LEADERSHIP)
    return row
  }

  /**
   * Becomes the leader after `epoch`, if no lease runs but that of the same process, whose reply
   * was lost. Returns the new epoch, or null.
   */
  async acquire(
    { name, run, url }: NodeIdentity,
    leaseMs: number,
    epoch: number,
  ): Promise<number | null> {
    const values = [name, run, url, leaseMs, epoch]
    const [row] = await this.client.query<{ epoch: number }>(ACQUIRE, values)
    return row?.epoch ?? null
  }

  /** Extends the lease of an epoch from now on. False if another node leads. */
  async renew(epoch: number, leaseMs: number): Promise<boolean> {
    return (await this.client.query(RENEW, [epoch, leaseMs])).length > 0
  }

  /** Ends the lease of an epoch, so that another node may lead at once. */
  async release(epoch: number): Promise<void> {
    await this.client.query(RELEASE, [epoch])
  }

  /**
   * Reports the position of a node. It is a synchronous commit: once it returns, everything that
   * was visible before is on a second disk.
   */
  async report({ name, run, url, version, rules }: NodeIdentity, seq: Seq): Promise<void> {
    await this.client.query(REPORT, [name, run, url, seq, version, rules])
  }

  async nodes(): Promise<ListedNode[]> {
    return await this.client.query<ListedNode & Record<string, unknown>>(NODES)
  }

  /** Leaves the hash of a node's state for the other nodes. */
  async putHash(node: string, { seq, hash }: StateAt): Promise<void> {
    await this.client.query(PUT_HASH, [seq, node, hash])
  }

  /** The first seq at which two nodes had different states lately; null for none. */
  async differsFrom(node: string, other: string): Promise<Seq | null> {
    const [row] = await this.client.query<{ seq: Seq }>(DIFFERENT_HASH, [node, other])
    return row?.seq ?? null
  }

  async removeNode(name: string): Promise<void> {
    await this.client.query(REMOVE_NODE, [name])
  }

  async syncState(): Promise<SyncState> {
    const [row] = await this.client.query<{ commit: string; names: string; fsync: string }>(SYNC)
    const isSynchronous =
      WAITING_COMMITS.has(row.commit) && row.names.trim() !== '' && row.fsync === 'on'
    return { isSynchronous, synchronousNames: row.names }
  }

  /** The clock of the database minus the clock of this machine, in milliseconds. */
  async clockAheadMs(): Promise<number> {
    const sentMs = Date.now()
    const [{ nowMs }] = await this.client.query<{ nowMs: number }>(NOW)
    return nowMs - (sentMs + Date.now()) / 2
  }

  /**
   * Notifies standbys that the batches up to this end were acknowledged. The checksum names the
   * history, because a former primary may hold another one. Nothing waits for a disk.
   */
  async confirm({ seq, checksum }: JournalTail): Promise<void> {
    const notice = `NOTIFY ${CONFIRMED_CHANNEL}, '${seq} ${Buffer.from(checksum).toString('hex')}'`
    await this.client.script(`BEGIN; SET LOCAL synchronous_commit = off; ${notice}; COMMIT`)
  }
}
