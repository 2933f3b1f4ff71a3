import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type PageRequest, TestBrowser, until, type WatchedPage } from './browser.ts'
import { giveWallet } from './browser-wallet.ts'
import { at } from './json-path.ts'
import { type LiveExchange, type LiveOptions, startLive, type Trader } from './live-exchange.ts'

// A whole exchange and a browser that looks at it, and what tests do on its pages again and again.

/** What one sees of a level: its side, its price and its raw shares. */
type Level = readonly [side: string, price: number, sizeRaw: number]

export interface Ladder {
  readonly state: string
  readonly sequence: number
  readonly levels: readonly Level[]
}

const LADDER = `(() => {
  const book = document.querySelector('section[aria-label="Order book"]')
  const rows = [...(book?.querySelectorAll('[data-price]') ?? [])]
  const levels = rows.map(({ dataset }) => [dataset.side, +dataset.price, +dataset.size])
  return { state: book?.dataset.state ?? '', sequence: +(book?.dataset.sequence ?? 0), levels }
})()`

const sorted = (levels: readonly Level[]): string => JSON.stringify([...levels].sort())

export class BrowserStage {
  readonly live: LiveExchange
  readonly browser: TestBrowser

  private constructor(live: LiveExchange, browser: TestBrowser) {
    this.live = live
    this.browser = browser
  }

  static async open(options: LiveOptions = {}): Promise<BrowserStage> {
    return new BrowserStage(await startLive(options), await TestBrowser.open())
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.live.port}`
  }

  visit(path: string, wanted: PageRequest = {}): Promise<WatchedPage> {
    return this.browser.visit(this.baseUrl, path, wanted)
  }

  /** A page of a trader who logged in with a wallet. */
  async member({ key }: Trader, path: string, wanted: PageRequest = {}): Promise<WatchedPage> {
    const prepare = async (context: WatchedPage['context']) => void (await giveWallet(context, key))
    const watched = await this.visit(path, { prepare, ...wanted })
    await logIn(watched.page)
    return watched
  }

  /** The book as the exchange publishes it now. */
  async book(slug: string): Promise<readonly Level[]> {
    const { body } = await this.live.send('GET', `/markets/${slug}/orderbook`)
    return ['bid', 'ask'].flatMap((side) => {
      const levels: unknown = at(body, `${side}s`)
      assert.ok(Array.isArray(levels))
      return levels.map(
        (each): Level => [side, Number(at(each, 'price')), Number(at(each, 'size'))],
      )
    })
  }

  /** Waits until the page shows this book as current. */
  async ladderIs(page: Page, slug: string, levelCount: number): Promise<void> {
    await until(
      page,
      async () => {
        const { state, levels } = await ladderOf(page)
        const isSame = sorted(levels) === sorted(await this.book(slug))
        return state === 'current' && levels.length === levelCount && isSame
      },
      `the ladder of ${slug} with ${levelCount} levels`,
    )
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.live.stop()
    assert.deepEqual(this.live.faults, [], 'no page breaks the exchange')
  }
}

export function ladderOf(page: Page): Promise<Ladder> {
  return page.evaluate(LADDER)
}

export const part = (page: Page, name: string): Locator => page.getByRole('region', { name })
export const act = (page: Page | Locator, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

export async function logIn(page: Page): Promise<void> {
  await act(page.getByRole('banner'), 'Log in').click()
  await act(page, 'Wallet in this browser').click()
  await act(page, 'Log out').waitFor()
}

export interface Typed {
  readonly side?: 'Buy' | 'Sell'
  readonly outcome: 'YES' | 'NO'
  /** Cents. */
  readonly price: string
  readonly shares: string
}

/** Fills the ticket in and sends it; resolves when the page says what became of it. */
export async function trade(page: Page, wanted: Typed): Promise<string> {
  const { side = 'Buy', outcome, price, shares } = wanted
  const ticket = part(page, 'Order ticket')
  await ticket.getByRole('radio', { name: side, exact: true }).check()
  await ticket.getByRole('radio', { name: outcome, exact: true }).check()
  await ticket.locator('input[name="price"]').fill(price)
  await ticket.locator('input[name="amount"]').fill(shares)
  await act(ticket, `${side} ${outcome}`).click()
  const notice = page.locator('.notice').last()
  await until(
    page,
    async () => /order|Order|Bought|Sold/.test((await notice.textContent().catch(() => '')) ?? ''),
    'what became of the order',
  )
  const stated = (await notice.textContent()) ?? ''
  await page.getByRole('button', { name: 'Close this notice' }).last().click()
  return stated
}
