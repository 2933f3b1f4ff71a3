import assert from 'node:assert/strict'
import { setInterval as everyMs } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { median } from '../../bench/harness/bench.ts'
import { until } from './browser.ts'
import { BrowserStage } from './browser-stage.ts'
import type { Trader } from './live-exchange.ts'
import { type LiveMarket, orderBody } from './live-orders.ts'

// A page with the list of many markets, open for long while books move: what each frame of the
// screen costs it in scripts and layout, and how much memory it holds.

const FUNDS_RAW = 1_000_000_000_000
const MS_PER_SEC = 1000
const OPEN_MAX = 400
/** A page follows the books that are in view: the newest markets stand first. */
const MOVING = 50

export interface ConsoleLoad {
  readonly markets: number
  /** Orders and cancels each second in all; each moves one book. */
  readonly perSecond: number
  readonly windowSeconds: number
  readonly onWindow: (figures: ConsoleFigures) => void
  readonly goesOn: () => boolean
}

export interface ConsoleFigures {
  /** Changes of books that reached the page. */
  readonly bookFrames: number
  readonly screenFrames: number
  /** Script, style and layout, by frame of the screen. */
  readonly msPerFrame: number
  /** After a collection. */
  readonly heapBytes: number
  readonly elements: number
}

export interface ConsoleRun {
  readonly windows: readonly ConsoleFigures[]
  readonly msPerFrame: number
}

/** Counts frames of the screen in the page. */
const COUNT_FRAMES = `(() => {
  window.screenFrames = 0
  const count = () => { window.screenFrames++; requestAnimationFrame(count) }
  requestAnimationFrame(count)
})()`

class Watch {
  readonly #tools: CDPSession
  #bookFrames = 0

  constructor(tools: CDPSession) {
    this.#tools = tools
    tools.on('Network.webSocketFrameReceived', ({ response }) => {
      if (/"orderbook(?:Delta|Update)"/.test(response.payloadData)) this.#bookFrames++
    })
  }

  static async open(tools: CDPSession): Promise<Watch> {
    const watch = new Watch(tools)
    for (const domain of ['Network.enable', 'Performance.enable', 'HeapProfiler.enable'] as const) {
      await tools.send(domain)
    }
    return watch
  }

  get bookFrames(): number {
    return this.#bookFrames
  }

  async metrics(): Promise<(name: string) => number> {
    const { metrics } = await this.#tools.send('Performance.getMetrics')
    return (name) => metrics.find((each) => each.name === name)?.value ?? 0
  }

  async workMs(): Promise<number> {
    const of = await this.metrics()
    const parts = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].map(of)
    return parts.reduce((sum, seconds) => sum + seconds, 0) * MS_PER_SEC
  }

  collect(): Promise<unknown> {
    return this.#tools.send('HeapProfiler.collectGarbage')
  }
}

/** Moves one book after the other: an order that rests, and its cancel. */
class Mover {
  readonly #stage: BrowserStage
  readonly #trader: Trader
  readonly #markets: readonly LiveMarket[]
  readonly #open: string[] = []
  #count = 0

  constructor(stage: BrowserStage, trader: Trader, markets: readonly LiveMarket[]) {
    this.#stage = stage
    this.#trader = trader
    this.#markets = markets
  }

  async step(): Promise<void> {
    const { live } = this.#stage
    const oldest = this.#open.length > OPEN_MAX ? this.#open.shift() : undefined
    if (oldest !== undefined) {
      await live.call(this.#trader, 'DELETE', `/orders/${oldest}`)
      return
    }
    const market = this.#markets[this.#count % this.#markets.length]
    assert.ok(market !== undefined)
    const ticks = 100 + ((this.#count * 7) % 300)
    this.#count++
    const body = orderBody(this.#trader, market, { ticks })
    const { status, text } = await live.call(this.#trader, 'POST', '/orders', body)
    assert.equal(status, 201, text)
    const placed: { readonly order: { readonly id: string } } = JSON.parse(text)
    this.#open.push(placed.order.id)
  }
}

async function windowOf(
  { page, tools }: { readonly page: Page; readonly tools: Watch },
  mover: Mover,
  { perSecond, windowSeconds }: ConsoleLoad,
): Promise<ConsoleFigures> {
  await tools.collect()
  const framesOf = () => page.evaluate<number>('window.screenFrames')
  const [workBefore, framesBefore, booksBefore] = [
    await tools.workMs(),
    await framesOf(),
    tools.bookFrames,
  ]
  const moves: Promise<void>[] = []
  let left = perSecond * windowSeconds
  for await (const _ of everyMs(MS_PER_SEC / perSecond)) {
    moves.push(mover.step())
    if (--left === 0) break
  }
  await Promise.all(moves)
  const screenFrames = (await framesOf()) - framesBefore
  const workMs = (await tools.workMs()) - workBefore
  await tools.collect()
  const of = await tools.metrics()
  return {
    bookFrames: tools.bookFrames - booksBefore,
    screenFrames,
    msPerFrame: workMs / Math.max(1, screenFrames),
    heapBytes: of('JSHeapUsedSize'),
    elements: of('Nodes'),
  }
}

/** Opens the list, and keeps it open while the load goes on. */
export async function consoleSoak(load: ConsoleLoad): Promise<ConsoleRun> {
  const stage = await BrowserStage.open()
  const markets: LiveMarket[] = []
  for (let index = 0; index < load.markets; index++) {
    markets.push(await stage.live.openMarket(`soak-${index}`))
  }
  const mover = new Mover(stage, await stage.live.trader(FUNDS_RAW), markets.slice(-MOVING))
  const watched = await stage.visit('/', { height: 3000 })
  const { page, context } = watched
  const shown = () => page.locator('[data-slug]').count()
  await page.locator('[data-slug]').first().waitFor()
  for (let seen = await shown(); seen < load.markets; seen = await shown()) {
    await page.getByRole('button', { name: 'Show more markets' }).click()
    await until(page, async () => (await shown()) > seen, 'more markets')
  }
  await page.evaluate('scrollTo(0, 0)')
  const tools = await Watch.open(await context.newCDPSession(page))
  await page.locator('.link[data-link="live"]').waitFor()
  await page.evaluate(COUNT_FRAMES)
  const windows: ConsoleFigures[] = []
  while (load.goesOn()) {
    const figures = await windowOf({ page, tools }, mover, load)
    windows.push(figures)
    load.onWindow(figures)
  }
  await watched.close()
  await stage.close()
  return { windows, msPerFrame: median(windows.map((each) => each.msPerFrame)) }
}
