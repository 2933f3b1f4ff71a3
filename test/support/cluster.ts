import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStates } from '../../persistence/snapshot/past-states.ts'
import { boolean, integer, nullable, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, type Infer, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from './data-folder.ts'
import { ExchangeClient, shaped } from './exchange-client.ts'
import { flagsOf } from './flags.ts'
import { freePort } from './free-port.ts'
import { type PostgresOptions, type PostgresServers, startPostgres } from './postgres-servers.ts'
import { noteProgress } from './progress.ts'
import { ServerProcess } from './server-process.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'

// A cluster on loopback: PostgreSQL with two standbys, and nodes that each reach every server, and
// each other, through proxies of their own.

const HOST = '127.0.0.1'
/** Long enough for a leader on a busy machine. */
export const LEASE_MS = 3000

/** Between two looks at all nodes, each of which costs them a call. */
const VIEW_PAUSE_MS = 50

const viewFields = openObject({
  node: text(),
  role: text(),
  epoch: integer(0),
  leader: nullable(text()),
  seq: integer(0),
  confirmedSeq: integer(0),
  rules: integer(0),
  synchronous: boolean(),
})
const viewShape = compile(viewFields)
export type NodeView = Infer<typeof viewFields>

export class TestNode {
  readonly name: string
  dataDir = newFolder()
  readonly port: number
  /** Between this node and each server of the log. */
  readonly toLog: readonly TcpProxy[]
  /** Between the other nodes and this one. */
  readonly toNode: TcpProxy
  readonly client: ExchangeClient
  readonly #args: readonly string[]
  #process: ServerProcess | null = null
  /** From its next start on, the clock of its machine minus that of the others. */
  clockAheadMs = 0
  /** What it runs from its next start on; the compiled program if undefined. */
  program: string | undefined
  /** The end of its newest process. */
  ended: ServerProcess['ended'] | undefined
  /** It runs, but does nothing. */
  isSuspended = false

  private constructor(
    name: string,
    port: number,
    proxies: { readonly toLog: readonly TcpProxy[]; readonly toNode: TcpProxy },
    keyFile: string,
  ) {
    this.name = name
    this.port = port
    this.toLog = proxies.toLog
    this.toNode = proxies.toNode
    this.client = new ExchangeClient(`http://${HOST}:${port}`)
    const hosts = this.toLog.map((proxy) => `${HOST}:${proxy.port}`).join(',')
    const flags = flagsOf({
      port,
      'key-file': keyFile,
      journal: `postgres://outcomex@${hosts}/outcomex`,
      node: name,
      advertise: `http://${HOST}:${this.toNode.port}`,
      'lease-ms': LEASE_MS,
    })
    this.#args = [...flags, '--no-rate-limit']
  }

  static async make(name: string, servers: PostgresServers, keyFile: string): Promise<TestNode> {
    const toLog: TcpProxy[] = []
    for (const { port } of servers.all) toLog.push(await TcpProxy.open({ host: HOST, port }))
    const port = await freePort()
    const toNode = await TcpProxy.open({ host: HOST, port })
    return new TestNode(name, port, { toLog, toNode }, keyFile)
  }

  get isUp(): boolean {
    return this.#process !== null && !this.isSuspended
  }

  get process(): ServerProcess {
    assert.ok(this.#process !== null, `${this.name} runs`)
    return this.#process
  }

  async start(...args: readonly string[]): Promise<void> {
    const running = await ServerProcess.start({
      dataDir: this.dataDir,
      args: [...this.#args, ...args],
      script: this.clockAheadMs === 0 ? undefined : this.#clockScript(),
      program: this.program === undefined ? undefined : [process.execPath, this.program],
    })
    this.#process = running
    this.ended = running.ended
    void running.ended.then(() => {
      if (this.#process === running) this.#process = null
    })
  }

  async kill(): Promise<void> {
    await this.process.kill()
  }

  #clockScript(): string {
    const script = join(newFolder(), 'clock.cjs')
    const ahead = `const now = Date.now\nDate.now = () => now() + ${this.clockAheadMs}\n`
    writeFileSync(script, ahead)
    return script
  }

  /** What the node knows of the cluster; null when it does not answer. */
  async view(): Promise<NodeView | null> {
    if (!this.isUp) return null
    try {
      const { status, body } = await this.client.adminReply('/admin/cluster', undefined, 'GET')
      return status === 200 ? shaped(viewShape, body) : null
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return null
    }
  }

  close(): void {
    for (const proxy of [...this.toLog, this.toNode]) proxy.close()
  }
}

export class TestCluster {
  readonly servers: PostgresServers
  readonly nodes: readonly TestNode[]
  readonly keyFile: string
  #seen = ''

  private constructor(servers: PostgresServers, nodes: readonly TestNode[], keyFile: string) {
    this.servers = servers
    this.keyFile = keyFile
    this.nodes = nodes
  }

  /** Starts servers and nodes; resolves when a node leads and the others follow it. */
  static async start(count = 3, makeFolder?: PostgresOptions['makeFolder']): Promise<TestCluster> {
    const servers = await startPostgres({ standbys: 2, makeFolder })
    const keyFile = join(newFolder(), 'server.key')
    writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    const nodes: TestNode[] = []
    for (let index = 0; index < count; index++) {
      nodes.push(await TestNode.make(`n${index}`, servers, keyFile))
    }
    const cluster = new TestCluster(servers, nodes, keyFile)
    // The first node makes the key of the folder.
    await nodes[0].start()
    await Promise.all(nodes.slice(1).map((node) => node.start()))
    await cluster.leader()
    return cluster
  }

  get up(): readonly TestNode[] {
    return this.nodes.filter(({ isUp }) => isUp)
  }

  /** The node that leads, once those that run agree on it. `not` led before. */
  async leader(not: TestNode | null = null): Promise<TestNode> {
    let found: TestNode | undefined
    await until(async () => {
      const views = await this.#views()
      const leading = views.find((view) => view?.role === 'leader')
      found = this.nodes.find(({ name }) => name === leading?.node)
      return (
        found !== undefined && found !== not && views.every((view) => view?.leader === found?.name)
      )
    }, VIEW_PAUSE_MS)
    assert.ok(found !== undefined)
    return found
  }

  /** The seq at which all nodes that run are, once it is the same. */
  async level(): Promise<number> {
    let seq = 0
    await until(async () => {
      const views = await this.#views()
      seq = views[0]?.seq ?? 0
      return views.every((view) => view?.seq === seq)
    }, VIEW_PAUSE_MS)
    return seq
  }

  /** What each node that runs knows. A change is progress. */
  async #views(): Promise<readonly (NodeView | null)[]> {
    const views = await Promise.all(this.up.map((node) => node.view()))
    const seen = views.map((view) => `${view?.role} ${view?.epoch} ${view?.seq}`).join()
    if (seen !== this.#seen) noteProgress()
    this.#seen = seen
    return views
  }

  /** Replays every folder to one seq and compares the states. Ends all nodes. */
  async compareFolders(): Promise<void> {
    const seq = await this.level()
    for (const node of this.up) await node.kill()
    const hashes = new Set<string>()
    for (const { dataDir } of this.nodes) {
      const options = { keyFile: this.keyFile }
      await readStates(dataDir, [0, 'newest'], options, async (exchange) => {
        // The copy of a killed node may lack its newest batches.
        if (exchange.clearing.lastSeq === seq) hashes.add(exchange.stateHash())
      })
    }
    assert.ok(hashes.size <= 1, `the folders differ at seq ${seq}: ${[...hashes]}`)
  }

  /** Ends everything, in whatever state. */
  async end(): Promise<void> {
    for (const node of this.nodes) {
      if (!node.isUp && !node.isSuspended) continue
      node.process.signal('SIGCONT')
      node.process.signal('SIGKILL')
      await node.process.ended
    }
    for (const node of this.nodes) node.close()
    await this.servers.stopAll()
  }
}
