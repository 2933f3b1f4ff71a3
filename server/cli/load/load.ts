import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { reasonOf } from '../../../engine/domain/error-code.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import { Figures, type Look } from '../../ops/figures.ts'
import { EXIT, Failure, type Shell } from '../../shell.ts'
import { lookAt, type MetricsSource } from '../server-metrics.ts'
import { STEP_METRIC, STEPS } from '../top/view.ts'
import { requestsText } from './emit.ts'
import { LOAD_USAGE, type LoadLine, loadLineOf } from './load-line.ts'
import type { FromSender, SenderPlan } from './load-plan.ts'
import { Readers, type ReaderTotals } from './readers.ts'
import { bottleneckOf, reportText, secondLine } from './report.ts'
import { type LoadResult, LoadTotals } from './result.ts'
import { LoadAdmin, type LoadVenue } from './venue.ts'

/** The server makes the text of its metrics at most once a second. */
const METRICS_MS = 1100
const SOCKET_MARKETS_MAX = 100

/** Parts of `count`, as equal as possible. */
function shares(count: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, part) => {
    return Math.floor(((part + 1) * count) / parts) - Math.floor((part * count) / parts)
  })
}

function plansOf(line: LoadLine, venue: LoadVenue): SenderPlan[] {
  const { hostname, host: authority, port, protocol } = new URL(line.url)
  const isSecure = protocol === 'https:'
  const ownPort = isSecure ? 443 : 80
  const host = hostname.replace(/^\[|\]$/g, '')
  const connections = shares(line.connections, line.threads)
  const rates = line.perSecond === null ? null : shares(line.perSecond, line.threads)
  return connections.map((ofThread, thread) => ({
    target: { host, port: Number(port) || ownPort, authority, isSecure, connections: ofThread },
    perSecond: rates === null ? null : rates[thread],
    seconds: line.seconds,
    mix: line.mix,
    domain: venue.domain,
    // An order is canceled by the thread of its trader alone.
    traders: venue.traders.filter((_, index) => index % line.threads === thread),
    markets: venue.markets,
  }))
}

function source({ opsUrl, adminToken }: LoadLine): MetricsSource {
  return { url: opsUrl, token: adminToken, advice: 'name that one with --ops-url.' }
}

/** What the server measured since `before`; null when it does not answer any more. */
async function figuresSince(before: Look, line: LoadLine): Promise<Figures | null> {
  for (;;) {
    await setTimeout(METRICS_MS)
    const now = await lookAt(source(line)).catch(() => null)
    if (now?.atMs !== before.atMs) return now === null ? null : new Figures(before, now)
  }
}

/** Opens a file to write; undefined names none. */
function openFile(file: string | undefined): number | null {
  try {
    return file === undefined ? null : openSync(file, 'w')
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`)
  }
}

/** Threads that are connected and have signed ahead. */
async function senders(plans: readonly SenderPlan[], shell: Shell): Promise<Worker[]> {
  const entry = new URL('./sender.worker.ts', import.meta.url)
  const threads = plans.map((workerData, index) =>
    spawn(entry, { name: `sender-${index}`, workerData }),
  )
  const first = await Promise.all(threads.map(nextMessage))
  const failed = first.find((message) => message.kind === 'failed')
  if (failed !== undefined) {
    const ready = threads.filter((_, index) => first[index].kind === 'ready')
    await Promise.all(ready.map(ended))
    throw new Failure(`The load cannot connect: ${failed.reason}`)
  }
  const signed = first.reduce((sum, each) => sum + (each.kind === 'ready' ? each.signed : 0), 0)
  shell.warn(`${signed} orders are signed ahead.`)
  return threads
}

async function nextMessage(thread: Worker): Promise<FromSender> {
  const [message] = await once(thread, 'message')
  return message
}

/** Ends a thread that has not started. */
async function ended(thread: Worker): Promise<void> {
  thread.postMessage('stop')
  while ((await nextMessage(thread)).kind !== 'end');
}

/** Runs the threads until all have ended; `shell` gets a line for each second. */
async function measure(
  threads: readonly Worker[],
  totals: LoadTotals,
  shell: Shell,
): Promise<LoadResult> {
  const stop = () => {
    for (const thread of threads) thread.postMessage('stop')
  }
  process.once('SIGINT', stop)
  try {
    await Promise.all(
      threads.map((thread) => {
        return new Promise<void>((resolve, reject) => {
          thread.on('error', reject)
          thread.on('message', (message: FromSender) => {
            if (message.kind === 'interval') {
              const second = totals.add(message.interval)
              if (second !== null) shell.warn(secondLine(second))
            } else if (message.kind === 'end') {
              totals.unanswered += message.unanswered
              resolve()
            }
          })
          thread.postMessage('start')
        })
      }),
    )
  } finally {
    process.off('SIGINT', stop)
    for (const thread of threads) void thread.terminate()
  }
  return totals.result()
}

function announce(line: LoadLine, venue: LoadVenue, shell: Shell): void {
  const { url, perSecond, seconds, connections, traders, markets, threads } = line
  const rate = perSecond === null ? 'as fast as replies come' : `${perSecond} requests a second`
  shell.warn(
    `${rate} for ${seconds} s to ${url}: ${connections} connections, ${traders} traders, ` +
      `${markets} markets, ${threads} ${threads === 1 ? 'thread' : 'threads'}.`,
  )
  if (!venue.isLimited) return
  shell.warn('The exchange limits its callers; start it with --no-rate-limit to measure more.')
}

/** `log` is the file that gets the latencies; null for none. */
async function run(
  line: LoadLine,
  venue: LoadVenue,
  log: number | null,
  shell: Shell,
): Promise<number> {
  announce(line, venue, shell)
  const slugs = venue.markets.slice(0, SOCKET_MARKETS_MAX).map(({ slug }) => slug)
  const readers =
    line.sockets === 0 ? null : new Readers({ url: line.url, sockets: line.sockets, slugs })
  try {
    await readers?.ready()
    const threads = await senders(plansOf(line, venue), shell)
    const before = await lookAt(source(line))
    const totals = new LoadTotals(threads.length, Date.now(), (text) => {
      if (log !== null) writeSync(log, text)
    })
    const result = await measure(threads, totals, shell)
    const frames = (await readers?.totals()) ?? null
    const figures = await figuresSince(before, line)
    const isOpenLoop = line.perSecond !== null
    if (line.isJson) shell.say(JSON.stringify(jsonOf(line, result, figures, frames)))
    else shell.say(reportText({ result, figures, readers: frames, isOpenLoop }))
    return result.operations.all.accepted > 0 ? EXIT.OK : EXIT.FAILED
  } finally {
    await readers?.close()
  }
}

function jsonOf(
  line: LoadLine,
  result: LoadResult,
  figures: Figures | null,
  readers: ReaderTotals | null,
): object {
  const { url, perSecond, connections, traders, markets, threads, mix } = line
  const ms = (part: number, kind: string, step: string) => {
    const seconds = figures?.quantile(STEP_METRIC, part, { kind, step }) ?? null
    return seconds === null ? null : seconds * MS_PER_SEC
  }
  const server = Object.fromEntries(
    ['order', 'cancel'].map((kind) => {
      const steps = STEPS.map((step) => {
        return [step, { p50Ms: ms(0.5, kind, step), p99Ms: ms(0.99, kind, step) }]
      })
      return [kind, Object.fromEntries(steps)]
    }),
  )
  const bottleneck = bottleneckOf(result.generator, perSecond !== null)
  const settings = { url, perSecond, connections, traders, markets, threads, mix }
  return { ...settings, ...result, server, readers, bottleneck }
}

async function work(split: Line, shell: Shell): Promise<number> {
  const line = loadLineOf(split)
  const { emitFile, hdrFile, perSecond, seconds } = line
  const file = openFile(emitFile ?? hdrFile)
  await keccakReady
  const admin = new LoadAdmin(line)
  const venue = await admin.make()
  if (emitFile !== undefined && file !== null) {
    const count = (perSecond ?? 0) * seconds
    writeSync(file, requestsText(line, venue, count))
    closeSync(file)
    shell.say(`${count} signed requests are in ${emitFile}.`)
    return EXIT.OK
  }
  try {
    return await run(line, venue, file, shell)
  } finally {
    if (file !== null) closeSync(file)
    await admin.end(venue)
  }
}

export const loadCommand: CommandSpec = { ...LOAD_USAGE, work }
