import assert from 'node:assert/strict'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserProgram } from './chromium.ts'

// One browser for a test file. Its pages talk to the exchange alone: every other host fails the
// test, and so do errors of scripts, dialogs and breaches of the content policy.

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  // Names of hosts lead nowhere; numbers of this machine do.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--js-flags=--expose-gc',
]
/** A machine that is busy with other tests may need this long for what takes a moment. */
const PATIENCE_MS = 90_000

export interface PageRequest {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  /** Runs before the page's own scripts, for example to give it a wallet. */
  readonly prepare?: (context: BrowserContext) => Promise<void>
}

/** A page, and everything in it that no page may do. */
export class WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly faults: string[] = []

  constructor(context: BrowserContext, page: Page, baseUrl: string) {
    this.context = context
    this.page = page
    page.on('pageerror', (error) => this.faults.push(`error ${error.message}`))
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog ${dialog.message()}`)
      dialog.dismiss().catch(() => {})
    })
    page.on('console', (message) => {
      const text = message.text()
      if (/content security policy|trusted ?type/i.test(text)) this.faults.push(`policy ${text}`)
    })
    page.on('request', (request) => {
      const url = request.url()
      const isOwn = url.startsWith(`${baseUrl}/`) || /^(?:data|blob):/.test(url)
      if (!isOwn) this.faults.push(`request ${url}`)
    })
  }

  assertClean(): void {
    assert.deepEqual(this.faults, [], 'the page does nothing that it may not')
  }

  async close(): Promise<void> {
    await this.context.close()
    this.assertClean()
  }
}

export class TestBrowser {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async open(): Promise<TestBrowser> {
    const program = await browserProgram()
    const browser = await chromium.launch({ ...program, args: FLAGS, timeout: PATIENCE_MS })
    return new TestBrowser(browser)
  }

  /** A visitor of its own: no cookie and no storage is shared with other pages. */
  async visit(baseUrl: string, path: string, wanted: PageRequest = {}): Promise<WatchedPage> {
    const { width = 1280, height = 800, theme = 'light', prepare } = wanted
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
    })
    context.setDefaultTimeout(PATIENCE_MS)
    await prepare?.(context)
    const page = await context.newPage()
    const watched = new WatchedPage(context, page, baseUrl)
    await page.goto(`${baseUrl}${path}`, { waitUntil: 'load' })
    return watched
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}

/** Checks once in each frame of the page until it holds. */
export async function until(
  page: Page,
  holds: () => Promise<boolean>,
  what: string,
): Promise<void> {
  const endMs = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    assert.ok(Date.now() < endMs, `never came: ${what}`)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}
