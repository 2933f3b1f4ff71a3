import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { assertAccessible, assertNotWide } from '../support/accessibility.ts'
import { type PageRequest, until } from '../support/browser.ts'
import { act, BrowserStage, part } from '../support/browser-stage.ts'
import { ADMIN_TOKEN, type Trader } from '../support/live-exchange.ts'
import type { LiveMarket } from '../support/live-orders.ts'

// Everybody can read the console: in both themes, on a phone, and soon on a slow line.

const FUNDS_RAW = 1_000_000_000
const NARROW = 360
const FIRST_BYTES_MAX = 100_000
const THEMES = ['light', 'dark'] as const
/** Each tab of operators: a part of it, and words that only come with what it is to show. */
const TABS = [
  ['Markets', 'All markets', 'rain-tomorrow'],
  ['Profiles', 'All profiles', 'active'],
  ['Trading', 'Now', 'Orders and cancellations are accepted.'],
  ['Audit', 'Acts of operators', 'adjustBalance'],
  ['Health', 'Checks', 'passes'],
  ['Solvency', 'Newest count', 'not counted yet'],
] as const

let stage: BrowserStage
let market: LiveMarket
let trader: Trader
before(async () => {
  stage = await BrowserStage.open()
  const { live } = stage
  market = await live.openMarket('rain-tomorrow', { description: 'By the station at the port.' })
  await live.openMarket('snow-tomorrow')
  trader = await live.trader(FUNDS_RAW)
  const other = await live.trader(FUNDS_RAW)
  const orders = [
    await live.place(trader, market, { ticks: 520 }),
    await live.place(other, market, { ticks: 480, outcome: 1 }),
    await live.place(trader, market, { ticks: 450 }),
    await live.place(other, market, { ticks: 430, outcome: 1 }),
  ]
  for (const { status, text } of orders) assert.equal(status, 201, text)
})
after(() => stage.close())

/** Opens a page on a phone, waits until it has something to show, and looks at it. */
async function look(path: string, shown: string, wanted: PageRequest): Promise<void> {
  const watched = await stage.visit(path, { width: NARROW, ...wanted })
  await watched.page.locator(shown).first().waitFor()
  await assertAccessible(watched.page, path)
  await assertNotWide(watched.page, path)
  await watched.close()
}

for (const theme of THEMES) {
  test(`everybody can read the list and a market: ${theme}`, async () => {
    await look('/', `[data-slug="${market.slug}"]`, { theme })
    const ladder = 'section[aria-label="Order book"][data-state="current"] [data-price]'
    await look(`/#/market/${market.slug}`, ladder, { theme })
  })

  test(`everybody can read an account, and the login before it: ${theme}`, async () => {
    const watched = await stage.member(trader, `/#/market/${market.slug}`, { theme, width: NARROW })
    const { page } = watched
    await part(page, 'My position').getByRole('heading', { name: '10 YES' }).waitFor()
    await assertAccessible(page, 'the market of a member')
    await assertNotWide(page, 'the market of a member')
    await page.goto(`${stage.baseUrl}/#/account`)
    await part(page, 'Positions')
      .getByRole('row', { name: /rain-tomorrow/ })
      .waitFor()
    await act(part(page, 'API tokens'), 'Make token').waitFor()
    await assertAccessible(page, 'the account')
    await assertNotWide(page, 'the account')
    await act(page, 'Log out').click()
    await act(page.getByRole('banner'), 'Log in').click()
    await page.getByRole('dialog').waitFor()
    await assertAccessible(page, 'the login')
    await watched.close()
  })

  test(`everybody can read the console of operators: ${theme}`, async () => {
    const watched = await stage.visit('/operator', { theme, width: NARROW })
    const { page } = watched
    await page.locator('input').first().waitFor()
    await assertAccessible(page, 'the login of operators')
    await assertNotWide(page, 'the login of operators')
    await page.locator('input').first().fill(ADMIN_TOKEN)
    await page.keyboard.press('Enter')
    const tabs = page.getByRole('navigation').getByRole('link')
    await tabs.nth(TABS.length - 1).waitFor()
    const names = await tabs.allTextContents()
    assert.deepEqual(
      names,
      TABS.map(([name]) => name),
    )
    for (const [name, content, words] of TABS) {
      await tabs.getByText(name, { exact: true }).click()
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
      await part(page, content).getByText(words).first().waitFor()
      await until(
        page,
        async () => !/Loading/.test((await page.locator('main').textContent()) ?? 'Loading'),
        `the tab ${name}`,
      )
      await assertAccessible(page, `operators: ${name}`)
      await assertNotWide(page, `operators: ${name}`)
    }
    await watched.close()
  })
}

test('the list is there after less than 100 KB', async () => {
  const watched = await stage.visit('/docs', {})
  const { page, context } = watched
  const tools = await context.newCDPSession(page)
  let bytes = 0
  const paths: string[] = []
  const codings = new Set<string>()
  tools.on('Network.responseReceived', ({ response }) => {
    paths.push(response.url.slice(stage.baseUrl.length))
    const coding = response.headers['content-encoding'] ?? response.headers['Content-Encoding']
    if (coding !== undefined) codings.add(coding)
  })
  tools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await tools.send('Network.enable')
  await page.goto(`${stage.baseUrl}/`)
  await page.locator(`[data-slug="${market.slug}"]`).waitFor()
  const stated = `${bytes} bytes: ${paths.join(' ')}`
  assert.ok(bytes > 10_000 && bytes < FIRST_BYTES_MAX, stated)
  assert.deepEqual([...codings], ['br'], 'what is compressed is so by brotli')
  assert.ok(
    paths.some((path) => path.startsWith('/assets/')),
    stated,
  )
  await watched.close()
})

test('charts are drawn in a browser whose language nobody knows', async () => {
  const language = "{ get: () => 'en-US@posix', configurable: true }"
  const prepare = async (context: BrowserContext) => {
    await context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'language', ${language})`,
    )
  }
  const watched = await stage.visit(`/#/market/${market.slug}`, { prepare })
  const { page } = watched
  await part(page, 'Depth').locator('canvas').waitFor()
  await watched.close()
})
