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

/** A place with an address: a machine of the network, or this one. */
interface Place {
  readonly address: string
  readonly device: string
  /** The words of `ip` that let it act there. */
  readonly at: string
}

export class Machine implements Place {
  readonly address: string
  readonly device = 'eth0'
  readonly at: string
  /** Words before a program that runs on this machine. */
  readonly wrapper: readonly string[]
  readonly #cable: string

  constructor(name: string, cable: string, address: string) {
    this.address = address
    this.at = `-n ${name} `
    this.wrapper = ['ip', 'netns', 'exec', name]
    this.#cable = cable
  }

  /** Nothing reaches it, and nothing leaves it. */
  unplug(): void {
    mustRun(`link set ${this.#cable} down`)
  }

  plugIn(): void {
    mustRun(`link set ${this.#cable} up`)
  }
}

/** The ways between one place and others. */
class Ways implements Link {
  readonly #one: Place
  readonly #others: readonly Place[]

  constructor(one: Place, others: readonly Place[]) {
    this.#one = one
    this.#others = others
  }

  cut(): void {
    this.blackhole('both')
  }

  blackhole(direction: Direction): void {
    for (const other of this.#others) {
      if (direction !== 'down') lose(this.#one, other)
      if (direction !== 'up') lose(other, this.#one)
    }
  }

  async restore(): Promise<void> {
    for (const other of this.#others) {
      find(this.#one, other)
      find(other, this.#one)
    }
  }

  close(): void {}
}

/** What `from` sends to `to` is lost from now on. */
function lose({ at, device }: Place, { address }: Place): void {
  mustRun(`${at}neigh replace ${address} lladdr ${NOBODY} dev ${device} nud permanent`.trim())
}

/** Lets `from` ask for the interface of `to` again. */
function find({ at, device }: Place, { address }: Place): void {
  run(...`${at}neigh del ${address} dev ${device}`.trim().split(' '))
}

export class Network {
  /** This machine, where the clients are. */
  readonly here: Place
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
    const [name, cable] = [this.#nameOf(number), this.#nameOf(number)]
    const address = `${this.#subnet}.${number}`
    const machine = new Machine(name, cable, address)
    mustRun(`netns add ${name}`)
    mustRun(`link add ${cable} type veth peer name ${machine.device} netns ${name}`)
    mustRun(`link set ${cable} master ${this.#name} up`)
    mustRun(`-n ${name} addr add ${address}/24 dev ${machine.device}`)
    mustRun(`-n ${name} link set ${machine.device} up`)
    mustRun(`-n ${name} link set lo up`)
    return machine
  }

  link(one: Place, others: readonly Place[]): Link {
    return new Ways(one, others)
  }

  #nameOf(number: number): string {
    return `${this.#name}-${number}`
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
