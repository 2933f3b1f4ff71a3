import { setTimeout } from 'node:timers/promises'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import type { CommandSpec, Line } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { nullable, number, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../edge/http/schema/schema.ts'
import { Figures, type Look } from '../../ops/figures.ts'
import { flagOf, readSetting } from '../../settings/flags.ts'
import { count, onOff } from '../../settings/kinds.ts'
import { EXIT, Failure } from '../../shell.ts'
import { DEFAULT_URL } from '../client.ts'
import { urlFlag } from '../common-flags.ts'
import { demoAt, findDemo } from '../demo-file.ts'
import { fetched, lookAt, type MetricsSource } from '../server-metrics.ts'
import { type Ticker, viewLines } from './view.ts'

const URL_FLAG = urlFlag('url', 'Where operators reach the server; else the address in demo.json.')
const MARKETS_URL = urlFlag(
  'markets-url',
  'Where markets are read, when the server has --ops-listen; else the address of --url.',
)
const INTERVAL = flagOf('interval', count(1, 3600, 'SEC'), 1, 'Seconds from one look to the next.')
const ONCE = flagOf(
  'once',
  onOff,
  false,
  'Print one view after one interval, and end; also without a terminal.',
)

const CLEAR = '\u001b[H\u001b[J'
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'

const tickersReply = compile(
  openObject({
    tickers: list(
      openObject({
        slug: text(),
        volume24h: text(),
        last: nullable(number()),
        bid: nullable(number()),
        ask: nullable(number()),
      }),
    ),
  }),
)

interface Source extends MetricsSource {
  /** Where markets are read; the listener of operators has none. */
  readonly publicUrl: string
}

async function tickersOf({ publicUrl }: Source): Promise<readonly Ticker[]> {
  const body: unknown = await fetched(`${publicUrl}/markets/tickers`).then(JSON.parse, () => null)
  return tickersReply.holds(body) ? body.tickers : []
}

/** A view after each interval, until the signal ends it. */
async function* views(
  source: Source,
  seconds: number,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  let before: Look | null = null
  for (;;) {
    try {
      const now = await lookAt(source)
      // A server renders the text at most once a second; an equal text is not a new sample.
      if (before !== null && now.atMs !== before.atMs) {
        const figures = new Figures(before, now)
        yield viewLines({ url: source.url, figures, tickers: await tickersOf(source) })
      }
      before = now
    } catch (error) {
      if (error instanceof Failure || before === null) throw error
      yield [`outcomex  ${source.url}  does not answer; retrying`]
    }
    const isOver = await setTimeout(seconds * MS_PER_SEC, false, { signal }).catch(() => true)
    if (isOver) return
  }
}

function fitted(lines: readonly string[]): string {
  const { columns = 80, rows = 24 } = process.stdout
  return lines
    .slice(0, rows - 1)
    .map((line) => line.slice(0, columns))
    .join('\n')
}

/** Draws the views on the terminal until somebody quits, and leaves the terminal as it was. */
async function draw(all: AsyncIterable<string[]>, quit: () => void): Promise<void> {
  const { stdin, stdout } = process
  process.once('SIGINT', quit)
  process.once('SIGTERM', quit)
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.on('data', (keys) => {
      // Ctrl-C is a key while the terminal is raw.
      if (keys.includes('q') || keys.includes('\u0003')) quit()
    })
  }
  stdout.write(ENTER)
  try {
    for await (const lines of all) stdout.write(CLEAR + fitted(lines))
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.pause()
    stdout.write(LEAVE)
  }
}

function sourceOf({ given }: Line) {
  const demo = findDemo(readSetting(SETTINGS.data, given))
  const url = readSetting(URL_FLAG, given) ?? demo?.operatorsUrl ?? demo?.baseUrl ?? DEFAULT_URL
  const own = demoAt(url, demo)
  const publicUrl = readSetting(MARKETS_URL, given) ?? own?.baseUrl ?? url
  const source = {
    url,
    publicUrl,
    token: readSetting(SETTINGS.adminToken, given) ?? own?.adminToken,
    advice: 'name that one with --url, and the public one with --markets-url.',
  }
  return { source, seconds: readSetting(INTERVAL, given), isOnce: readSetting(ONCE, given) }
}

export const topCommand: CommandSpec = {
  flags: [URL_FLAG, MARKETS_URL, INTERVAL, ONCE, SETTINGS.adminToken, SETTINGS.data],
  notes: 'q ends it.',
  async work(line, shell) {
    const { source, seconds, isOnce } = sourceOf(line)
    const ending = new AbortController()
    const all = views(source, seconds, ending.signal)
    try {
      if (!isOnce && process.stdout.isTTY) await draw(all, () => ending.abort())
      else shell.say(((await all.next()).value ?? []).join('\n'))
    } catch (error) {
      if (error instanceof Failure || !(error instanceof Error)) throw error
      throw new Failure(
        `No exchange answers at ${source.url} (${error.message}); name its address with --url.`,
      )
    } finally {
      await all.return(undefined)
    }
    return EXIT.OK
  },
}
