import { Socket } from 'node:net'
import pg from 'pg'
import { type LogAddress, LogUnreachable } from './log-address.ts'

// Connections to the PostgreSQL servers of a log. The only importer of the library. A log has one
// primary and any number of standbys; which server is the primary changes, so every connection
// looks for it again.

const CONNECT_MS = 2000
/** Once a primary is found, the other servers have this long to show a later one. */
const GRACE_MS = 500
/** Nothing waits forever; who knows how long a call may take closes the connection before. */
const ANSWER_MS = 60_000

/** A statement and its name, under which a connection prepares it once. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

type Value = string | number | boolean | Uint8Array | null

/** SQLSTATE classes after which the same connection is useless, or another server may answer. */
const BROKEN = /^(08|57P|25006|XX|53)/

export class PostgresClient {
  readonly #client: pg.Client
  readonly #socket: Socket
  #onNotice: (payload: string) => void = () => {}
  isBroken = false
  #warnings = 0

  private constructor(client: pg.Client, socket: Socket) {
    this.#client = client
    this.#socket = socket
    client.on('error', () => {
      this.isBroken = true
    })
    client.on('end', () => {
      this.isBroken = true
    })
    // A wait for the second disk that somebody canceled ends with success and a warning.
    client.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.#warnings++
    })
    client.on('notification', ({ payload = '' }) => this.#onNotice(payload))
  }

  /** Connects to one server. Throws LogUnreachable. */
  static async connect(
    { user, password, database, tls }: LogAddress,
    { host, port }: LogAddress['hosts'][number],
    name: string,
  ): Promise<PostgresClient> {
    const socket = new Socket()
    const client = new pg.Client({
      stream: () => socket,
      host,
      port,
      user,
      password,
      database,
      application_name: `outcomex ${name}`,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      ssl: tls === 'disable' ? false : { rejectUnauthorized: tls === 'verify-full' },
    })
    const found = new PostgresClient(client, socket)
    try {
      await client.connect()
      return found
    } catch (error) {
      found.destroy()
      throw new LogUnreachable(`${host}:${port}: ${reasonOf(error)}`)
    }
  }

  /**
   * The rows of a statement. Throws LogUnreachable if the connection broke: then the statement may
   * have had its effect.
   */
  async query<Row extends pg.QueryResultRow>(
    statement: NamedStatement,
    values: readonly Value[] = [],
  ): Promise<Row[]> {
    const { name, text } = statement
    const bound = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value))
    return await this.#run(async () => {
      const { rows } = await this.#client.query<Row>({ name, text, values: bound })
      return rows
    })
  }

  /** Runs statements without values, in one round trip. */
  async script(text: string): Promise<void> {
    await this.#run(() => this.#client.query(text))
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    if (this.isBroken) throw new LogUnreachable('the connection is closed')
    const before = this.#warnings
    try {
      const result = await call()
      if (this.#warnings === before) return result
      this.destroy()
      throw new LogUnreachable('the wait for a synchronous standby was canceled')
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? error.code : undefined
      if (code !== undefined && !BROKEN.test(code)) throw error
      this.destroy()
      throw new LogUnreachable(reasonOf(error))
    }
  }

  /** Receives the notifications of a channel from now on. */
  async listen(channel: string, onNotice: (payload: string) => void): Promise<void> {
    this.#onNotice = onNotice
    await this.script(`LISTEN ${channel}`)
  }

  /** Closes the connection without a word to the server; calls under way fail. */
  destroy(): void {
    this.isBroken = true
    this.#client.end().catch(() => {})
    this.#socket.destroy()
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}

/** The timeline rises with each promotion; a standby has none to write to. */
const TIMELINE = {
  name: 'timeline',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`,
}

interface Found {
  readonly client: PostgresClient
  readonly timeline: number
}

/** Connects to a server; throws LogUnreachable if it is a standby. */
async function findPrimary(
  address: LogAddress,
  place: LogAddress['hosts'][number],
  name: string,
): Promise<Found> {
  const client = await PostgresClient.connect(address, place, name)
  const timer = setTimeout(() => client.destroy(), CONNECT_MS)
  const [row] = await client
    .query<{ timeline: string | null }>(TIMELINE)
    .finally(() => clearTimeout(timer))
  if (row.timeline !== null) return { client, timeline: Number.parseInt(row.timeline, 16) }
  client.destroy()
  throw new LogUnreachable(`${place.host}:${place.port} is a standby`)
}

/**
 * Connects to the server that is the primary now: of several that believe so, to the one that was
 * promoted last. A server that does not answer delays it by GRACE_MS. Throws LogUnreachable, with
 * each reason.
 */
export async function connectPrimary(address: LogAddress, name: string): Promise<PostgresClient> {
  const found: Found[] = []
  const reasons: string[] = []
  let isOver = false
  let grace: NodeJS.Timeout | undefined
  await new Promise<void>((resolve, reject) => {
    const tries = address.hosts.map(async (place) => {
      try {
        const one = await findPrimary(address, place, name)
        if (isOver) one.client.destroy()
        else found.push(one)
        grace ??= setTimeout(resolve, GRACE_MS)
      } catch (error) {
        if (!(error instanceof LogUnreachable)) throw error
        reasons.push(error.message)
      }
    })
    Promise.all(tries).then(() => resolve(), reject)
  })
  isOver = true
  clearTimeout(grace)
  found.sort((a, b) => b.timeline - a.timeline)
  for (const { client } of found.slice(1)) client.destroy()
  if (found.length === 0) throw new LogUnreachable(reasons.join('; '))
  return found[0].client
}
