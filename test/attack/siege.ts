import assert from 'node:assert/strict'
import { setTimeout as afterMs, setInterval as everyMs } from 'node:timers/promises'
import { number } from '../../server/edge/http/schema/scalars.ts'
import { compile, openObject, schemaOf } from '../../server/edge/http/schema/schema.ts'
import { shaped } from '../support/exchange-client.ts'
import { figuresOf, stolenMs } from '../support/process-figures.ts'
import { metricsOf, ServerProcess } from '../support/server-process.ts'
import type { Attack } from './attack.ts'
import { Child } from './child.ts'
import type { LoadFigures } from './load.ts'
import type { Scene } from './scene.ts'

// One attack on a fresh process with default flags. It measures the load alone, then under the
// attack, then two seconds after the attack ended.

export interface SiegePlan {
  readonly dataDir: string
  readonly scene: Scene
  readonly attack: Attack
  readonly seconds: number
  /** When what the folder holds ends; absent if the attack prepares it. */
  readonly instantMs?: number
}

export interface SiegeReport {
  readonly before: LoadFigures
  readonly during: LoadFigures
  readonly after: LoadFigures
  readonly beforeBytes: number
  readonly peakBytes: number
  readonly bytesMax: number
  /** The longest delay of the main thread's timer, as exactly as the buckets show. */
  readonly mainLateMs: number
  readonly reported: Readonly<Record<string, number>>
  /** Time that other machines of the host took: before, during and after the attack. */
  readonly stolenMs: readonly number[]
  /** The share of one core that the attacker used. */
  readonly attackerCpu: number
  /** Faults that the process counted or logged. */
  readonly faults: readonly string[]
}

/**
 * Memory beyond the bounds of an attack: V8's uncollected garbage, and what threads and the
 * allocator keep after their first busy seconds.
 */
const GARBAGE_BYTES_MAX = 160 * 2 ** 20
const WARM_MS = 4000
const CALM_MS = 2000
/** What an attack prepares takes no longer. */
const PREPARE_MS = 90_000
const SAMPLE_MS = 50
const ERROR_LEVEL = 50
const counted = () =>
  schemaOf<Readonly<Record<string, number>>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
  })
const figuresShape = compile(
  openObject({
    calls: number(),
    p50Ms: number(),
    p99Ms: number(),
    worstMs: number(),
    healthWorstMs: number(),
    failures: counted(),
  }),
)
const attackedShape = compile(openObject({ counts: counted(), cpu: number() }))
const BUCKET = /^outcomex_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm

function lateBuckets(text: string): Map<number, number> {
  const found = [...text.matchAll(BUCKET)]
  return new Map(
    found.map(([, le, count]) => [Number(le.replace('+Inf', 'Infinity')), Number(count)]),
  )
}

/** The lowest bucket bound above every delay between the two readings. */
function latestMs(before: string, after: string): number {
  const old = lateBuckets(before)
  const now = [...lateBuckets(after)]
  const all = Math.max(...now.map(([le, count]) => count - (old.get(le) ?? 0)))
  const found = now.find(([le, count]) => count - (old.get(le) ?? 0) === all)
  return (found?.[0] ?? Number.NaN) * 1000
}

class Stolen {
  readonly parts: number[] = []
  #last = stolenMs()

  /** Ends one part and starts the next. */
  mark(): void {
    const now = stolenMs()
    this.parts.push(now - this.#last)
    this.#last = now
  }
}

export class Siege {
  readonly #plan: SiegePlan
  readonly #server: ServerProcess
  readonly #load: Child
  readonly #attacker: Child
  readonly #quietMs: number
  readonly #instantMs: number
  #peakBytes = 0

  private constructor(plan: SiegePlan, server: ServerProcess, load: Child, attacker: Child) {
    this.#plan = plan
    this.#server = server
    this.#load = load
    this.#attacker = attacker
    const { seconds } = plan
    this.#quietMs = 1000 * Math.max(5, seconds / 4)
    const untilMs = PREPARE_MS + WARM_MS + this.#quietMs + (1000 * seconds) / 2
    this.#instantMs = plan.instantMs ?? Date.now() + untilMs
  }

  static async run(plan: SiegePlan): Promise<SiegeReport> {
    const { dataDir } = plan
    const server = await ServerProcess.start({ dataDir })
    const load = await Child.start('./load-process.ts')
    const attacker = await Child.start('./attacker-process.ts')
    try {
      return await new Siege(plan, server, load, attacker).#run()
    } finally {
      load.end()
      attacker.end()
      server.signal('SIGKILL')
    }
  }

  async #run(): Promise<SiegeReport> {
    const { traders, markets } = this.#plan.scene
    const { baseUrl, pid } = this.#server
    const port = Number(new URL(baseUrl).port)
    if (this.#plan.attack.prepare !== undefined) await this.#attacked(port, true)
    await this.#load.request({ kind: 'start', setting: { port, traders, markets } })
    await afterMs(WARM_MS)
    const stolen = new Stolen()
    const before = await this.#quiet(this.#quietMs)
    stolen.mark()
    const beforeBytes = figuresOf(pid).residentBytes
    const metricsBefore = await metricsOf(baseUrl)
    const attacked = await this.#attack(port)
    const during = await this.#figures()
    stolen.mark()
    const metricsAfter = await metricsOf(baseUrl)
    await afterMs(CALM_MS)
    const after = await this.#quiet(this.#quietMs)
    stolen.mark()
    await this.#load.request({ kind: 'end' })
    const faults = await this.#faults(metricsAfter)
    return {
      before,
      during,
      after,
      beforeBytes,
      faults,
      peakBytes: this.#peakBytes,
      bytesMax: beforeBytes + GARBAGE_BYTES_MAX + this.#plan.attack.bytes,
      mainLateMs: latestMs(metricsBefore, metricsAfter),
      reported: attacked.counts,
      attackerCpu: attacked.cpu,
      stolenMs: stolen.parts,
    }
  }

  /** Measures the load alone. */
  async #quiet(forMs: number): Promise<LoadFigures> {
    await this.#figures()
    await afterMs(forMs)
    return this.#figures()
  }

  async #figures(): Promise<LoadFigures> {
    return shaped(figuresShape, await this.#load.request({ kind: 'figures' }))
  }

  async #attack(port: number) {
    if (this.#plan.attack.stallsLog === true) this.#server.stallLog()
    const attacking = this.#attacked(port, false)
    const stop = new AbortController()
    const stopped = attacking.finally(() => stop.abort())
    try {
      for await (const _ of everyMs(SAMPLE_MS, undefined, { signal: stop.signal })) {
        const { residentBytes } = figuresOf(this.#server.pid)
        this.#peakBytes = Math.max(this.#peakBytes, residentBytes)
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
    this.#server.readLog()
    return stopped
  }

  async #attacked(port: number, isPreparing: boolean) {
    const { attack, scene, seconds } = this.#plan
    const plan = { port, scene, seconds, rounds: 0, network: 1, instantMs: this.#instantMs }
    const stated = await this.#attacker.request({ name: attack.name, isPreparing, ...plan })
    return shaped(attackedShape, stated)
  }

  async #faults(metrics: string): Promise<string[]> {
    const counted = metrics
      .split('\n')
      .filter((line) => /^outcomex_faults_total.* [1-9]/.test(line))
    await this.#server.stop()
    const { stderr } = await this.#server.ended
    const isFault = (line: string) =>
      Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? '0') >= ERROR_LEVEL
    return [...counted, ...stderr.split('\n').filter(isFault)]
  }
}

/** The promises that a report breaks, as sentences. */
export function broken(report: SiegeReport, attack: Attack, floorMs: number): string[] {
  const { before, during, after, peakBytes, bytesMax, reported } = report
  const calmMs = Math.max(before.p99Ms, floorMs)
  const odd = Object.keys(reported).filter((name) => !attack.answers.includes(name))
  const checks: readonly [isBroken: boolean, sentence: string][] = [
    [during.p99Ms > 3 * calmMs, 'the p99 of the load is over three times its p99 before'],
    [after.p99Ms > 1.5 * calmMs, 'two seconds after the attack the load has not recovered'],
    [peakBytes > bytesMax, 'the memory is over its bound'],
    [odd.length > 0, `the attacker received ${odd.join(', ')}`],
    [report.faults.length > 0, report.faults.join('\n').slice(0, 2000)],
    ...[before, during, after].map((each, index): [boolean, string] => [
      Object.keys(each.failures).length > 0,
      `the load failed ${['before', 'during', 'after'][index]}: ${JSON.stringify(each.failures)}`,
    ]),
  ]
  assert.ok(before.calls > 0 && during.calls > 0 && after.calls > 0, 'the load goes on')
  return checks.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence)
}
