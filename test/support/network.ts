import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Direction, TcpProxy } from './tcp-proxy.ts'

// A real network of machines: each is a network namespace of Linux with an address of its own, and
// a bridge joins them with this machine. Only some systems let tests make them. A link breaks as a
// cable does: packets vanish, and nobody is notified.

/** What a test can break between two places. */
export type Link = Pick<TcpProxy, 'cut' | 'blackhole' | 'restore' | 'close'>

/** The range that RFC 2544 keeps for benchmarks of networks, so no network of the machine. */
const RANGE = '198.18'
/** No machine has this address of an interface, so what is sent to it is lost. */
const NOBODY = '02:00:00:00:00:00'
const LAST_BYTE = 254
const PREFIX = 'ocx'
const NAME = /ocx(\d+)-\d+/g

function run(...words: readonly string[]): boolean {
  return spawnSync('ip', words).status === 0
}

function mustRun(text: string): void {
  const { status, stderr } = spawnSync('ip', text.split(' '), { encoding: 'utf8' })
  assert.equal(status, 0, `ip ${text}: ${stderr}`)
}

/** A machine of the network, or this one. */
interface Endpoint {
  readonly address: string
  readonly device: string
  /** The words of `ip` that let it act there. */
  readonly at: string
}

export class Machine implements Endpoint {
  readonly address: string
  readonly device = 'eth0'
  readonly at: string
  /** Words before a program that runs on this machine. */
  readonly wrapper: readonly string[]
  /** The end of its cable at the bridge has its name too. */
  readonly #name: string

  constructor(name: string, address: string) {
    this.address = address
    this.at = `-n ${name} `
    this.wrapper = ['ip', 'netns', 'exec', name]
    this.#name = name
  }

  /** Nothing reaches it, and nothing leaves it. */
  unplug(): void {
    mustRun(`link set ${this.#name} down`)
  }

  plugIn(): void {
    mustRun(`link set ${this.#name} up`)
  }
}

/** Between one endpoint and others. */
class NetworkLink implements Link {
  readonly #one: Endpoint
  readonly #others: readonly Endpoint[]

  constructor(one: Endpoint, others: readonly Endpoint[]) {
    this.#one = one
    this.#others = others
  }

  cut(): void {
    this.blackhole('both')
  }

  blackhole(direction: Direction): void {
    for (const other of this.#others) {
      if (direction !== 'down') drop(this.#one, other)
      if (direction !== 'up') drop(other, this.#one)
    }
  }

  async restore(): Promise<void> {
    for (const other of this.#others) {
      pass(this.#one, other)
      pass(other, this.#one)
    }
  }

  close(): void {}
}

/** Drops what the first sends to the second from now on. */
function drop({ at, device }: Endpoint, { address }: Endpoint): void {
  mustRun(`${at}neigh replace ${address} lladdr ${NOBODY} dev ${device} nud permanent`.trim())
}

/** Lets the first ask for the interface of the second again. */
function pass({ at, device }: Endpoint, { address }: Endpoint): void {
  run(...`${at}neigh del ${address} dev ${device}`.trim().split(' '))
}

export class Network {
  /** This machine, where the clients are. */
  readonly here: Endpoint
  readonly #name = `${PREFIX}${process.pid}`
  readonly #subnet = `${RANGE}.${process.pid % LAST_BYTE}`
  #machines = 0

  private constructor() {
    const address = `${this.#subnet}.${LAST_BYTE}`
    this.here = { address, device: this.#name, at: '' }
    process.once('exit', () => removeOf(process.pid))
    mustRun(`link add ${this.#name} type bridge`)
    mustRun(`addr add ${address}/24 dev ${this.#name}`)
    mustRun(`link set ${this.#name} up`)
  }

  static open(): Network {
    removeAbandoned()
    return new Network()
  }

  /** Adds a machine. It is removed when this process ends. */
  add(): Machine {
    const number = ++this.#machines
    const name = `${this.#name}-${number}`
    const address = `${this.#subnet}.${number}`
    const machine = new Machine(name, address)
    mustRun(`netns add ${name}`)
    mustRun(`link add ${name} type veth peer name ${machine.device} netns ${name}`)
    mustRun(`link set ${name} master ${this.#name} up`)
    mustRun(`-n ${name} addr add ${address}/24 dev ${machine.device}`)
    mustRun(`-n ${name} link set ${machine.device} up`)
    mustRun(`-n ${name} link set lo up`)
    return machine
  }

  link(one: Endpoint, others: readonly Endpoint[]): Link {
    return new NetworkLink(one, others)
  }
}

/** The names of machines, each with the pid of the process that made it. */
function machinesThere(): readonly [name: string, pid: number][] {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' })
  return [...stdout.matchAll(NAME)].map(([name, pid]) => [name, Number(pid)])
}

function removeOf(owner: number): void {
  for (const [name, pid] of machinesThere()) if (pid === owner) run('netns', 'del', name)
  run('link', 'del', `${PREFIX}${owner}`)
}

/** Removes the networks of processes that were killed. */
function removeAbandoned(): void {
  for (const pid of new Set(machinesThere().map(([, owner]) => owner))) {
    if (!existsSync(`/proc/${pid}`)) removeOf(pid)
  }
}

/** The reason why this machine has no such network; false when it has. */
export function networkSkip(): string | false {
  const name = `${PREFIX}${process.pid}-0`
  const isMade = run('link', 'add', name, 'type', 'bridge') && run('netns', 'add', name)
  run('netns', 'del', name)
  run('link', 'del', name)
  return isMade ? false : 'this machine does not let the tests make networks'
}
