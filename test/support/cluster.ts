import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestSeq, readStates } from '../../persistence/snapshot/past-states.ts'
import { boolean, integer, nullable, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, type Infer, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from './data-folder.ts'
import { ExchangeClient, shaped } from './exchange-client.ts'
import { flagsOf } from './flags.ts'
import { freePort } from './free-port.ts'
import type { Link, Machine, Network } from './network.ts'
import {
  databaseUrl,
  type PostgresOptions,
  type PostgresServers,
  startPostgres,
} from './postgres-servers.ts'
import { noteProgress } from './progress.ts'
import { ServerProcess } from './server-process.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'

// A cluster: PostgreSQL with two standbys, and nodes. On loopback each node reaches every server,
// the other nodes and the clients through proxies; on a network they are on machines of their own.

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

/** How a node is run and reached, and the links that a test can break. */
interface Place {
  readonly host: string
  readonly port: number
  /** The machine of a network on which it runs, if it is not this one. */
  readonly machine?: Machine
  /** Where clients, and where other nodes, reach it. */
  readonly clientUrl: string
  readonly nodeUrl: string
  /** The URL of the log, as this node knows it. */
  readonly logUrl: string
  /** Between this node and each server of the log. */
  readonly toLog: readonly Link[]
  /** Between the other nodes and this one. */
  readonly toNode: Link
  /** Between the clients and this node. */
  readonly toClients: Link
}

/** Links are proxies. */
async function placeOnLoopback(servers: PostgresServers): Promise<Place> {
  const port = await freePort()
  const own = { host: HOST, port }
  const toLog: TcpProxy[] = []
  for (const server of servers.all) toLog.push(await TcpProxy.open(server))
  const [toNode, toClients] = [await TcpProxy.open(own), await TcpProxy.open(own)]
  return {
    ...own,
    clientUrl: `http://${HOST}:${toClients.port}`,
    nodeUrl: `http://${HOST}:${toNode.port}`,
    logUrl: databaseUrl(...toLog),
    toLog,
    toNode,
    toClients,
  }
}

/** With these flags of nodes, snapshots and segments come and go while clients trade. */
export const SEALS = flagsOf({ 'journal-days': 0, 'segment-bytes': 8192, 'snapshot-every': 100 })

export class TestNode {
  readonly name: string
  dataDir = newFolder()
  readonly place: Place
  /** A user's client. */
  readonly client: ExchangeClient
  readonly #operator: ExchangeClient
  readonly #args: readonly string[]
  #process: ServerProcess | null = null
  /** From its next start on, the clock of its machine minus that of the others. */
  clockAheadMs = 0
  /** What it runs from its next start on; the compiled program if undefined. */
  program: string | undefined
  /** The end of its newest process. */
  ended: ServerProcess['ended'] | undefined
  /** It runs, but no client uses it: it does nothing, or cannot be reached. */
  isAway = false

  constructor(name: string, place: Place, keyFile: string, more: readonly string[] = []) {
    this.name = name
    this.place = place
    const { host, port, clientUrl, nodeUrl, logUrl } = place
    this.client = new ExchangeClient(clientUrl)
    this.#operator = new ExchangeClient(`http://${host}:${port}`)
    const flags = flagsOf({
      host,
      port,
      'key-file': keyFile,
      journal: logUrl,
      node: name,
      advertise: nodeUrl,
      'lease-ms': LEASE_MS,
    })
    this.#args = [...flags, ...more, '--no-rate-limit']
  }

  get isUp(): boolean {
    return this.#process !== null && !this.isAway
  }

  get process(): ServerProcess {
    assert.ok(this.#process !== null, `${this.name} runs`)
    return this.#process
  }

  async start(...args: readonly string[]): Promise<void> {
    const running = await ServerProcess.start({
      dataDir: this.dataDir,
      wrapper: this.place.machine?.wrapper ?? [],
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

  /** Starts as a supervisor does: a start fails while the log cannot be reached. */
  async startAgain(): Promise<void> {
    await until(async () => {
      try {
        await this.start()
        return true
      } catch {
        return false
      }
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
      const { status, body } = await this.#operator.adminReply('/admin/cluster', undefined, 'GET')
      return status === 200 ? shaped(viewShape, body) : null
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return null
    }
  }

  close(): void {
    const { toLog, toNode, toClients } = this.place
    for (const link of [...toLog, toNode, toClients]) link.close()
  }
}

export function onMachine({ machine }: { readonly machine?: Machine | undefined }): Machine {
  assert.ok(machine !== undefined, 'it runs on a machine of a network')
  return machine
}

/** Each node runs on a machine of its own. */
async function placesOn(
  network: Network,
  count: number,
  servers: PostgresServers,
): Promise<readonly Place[]> {
  const machines = Array.from({ length: count }, () => network.add())
  const port = await freePort()
  return machines.map((machine) => {
    const url = `http://${machine.address}:${port}`
    const others = machines.filter((other) => other !== machine)
    return {
      host: machine.address,
      port,
      machine,
      clientUrl: url,
      nodeUrl: url,
      logUrl: servers.url,
      toLog: servers.all.map((server) => network.link(machine, [onMachine(server)])),
      toNode: network.link(machine, others),
      toClients: network.link(machine, [network.here]),
    }
  })
}

export interface ClusterOptions extends Pick<PostgresOptions, 'makeFolder' | 'network'> {
  /** More flags of every node. */
  readonly flags?: readonly string[]
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
  static async start(count = 3, options: ClusterOptions = {}): Promise<TestCluster> {
    const servers = await startPostgres({ standbys: 2, ...options })
    const keyFile = join(newFolder(), 'server.key')
    writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    const { network, flags } = options
    const places =
      network === undefined
        ? await Promise.all(Array.from({ length: count }, () => placeOnLoopback(servers)))
        : await placesOn(network, count, servers)
    const nodes = places.map((place, index) => new TestNode(`n${index}`, place, keyFile, flags))
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

  /** The node that leads, once those that clients reach agree on it. `not` led before. */
  async leader(not: TestNode | null = null): Promise<TestNode> {
    let found: TestNode | undefined
    await until(async () => {
      const views = await this.#views()
      const leaders = new Set(views.map((view) => view?.leader))
      const [name] = leaders
      found = this.nodes.find((node) => node.name === name)
      const own = views.find((view) => view?.node === name)
      const leads = found?.isAway === true || own?.role === 'leader'
      return leads && found !== not && leaders.size === 1
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
    await until(() => this.nodes.every(({ dataDir }) => newestSeq(dataDir) >= seq), VIEW_PAUSE_MS)
    for (const node of this.up) await node.kill()
    const hashes = new Set<string>()
    for (const { dataDir } of this.nodes) {
      const options = { keyFile: this.keyFile }
      await readStates(dataDir, [0, seq], options, async (exchange) => {
        if (exchange.clearing.lastSeq === seq) hashes.add(exchange.stateHash())
      })
    }
    assert.equal(hashes.size, 1, `the folders differ at seq ${seq}: ${[...hashes]}`)
  }

  /** Ends everything, in whatever state. */
  async end(): Promise<void> {
    for (const node of this.nodes) {
      if (!node.isUp && !node.isAway) continue
      node.process.signal('SIGCONT')
      node.process.signal('SIGKILL')
      await node.process.ended
    }
    for (const node of this.nodes) node.close()
    await this.servers.stopAll()
  }
}
