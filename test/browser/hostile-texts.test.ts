import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertNotWide } from '../support/accessibility.ts'
import { BrowserStage, part } from '../support/browser-stage.ts'
import type { Trader } from '../support/live-exchange.ts'

// Texts that strangers chose are shown as texts: no element comes of them, no script runs, and the
// page keeps its width.

const FUNDS_RAW = 1_000_000_000
const NARROW = 360
const IMAGE = '<img src=x onerror=alert(1)>'
const SCRIPT = '"><script>alert(2)</script><svg onload=alert(3)>'
const WORD = 'w'.repeat(1000)
const MADE = 'img, svg[onload], iframe, script:not([src]), [onerror], [onload]'

let stage: BrowserStage
let trader: Trader
before(async () => {
  stage = await BrowserStage.open()
  const { live } = stage
  const texts = { 'img-title': IMAGE, 'script-title': SCRIPT }
  for (const [slug, title] of Object.entries(texts)) {
    const description = `${title} ${SCRIPT} ${IMAGE} ${WORD}`
    await live.openMarket(slug, { title, description })
  }
  await live.openMarket('long-title', { title: WORD.slice(0, 200), description: WORD })
  trader = await live.trader(FUNDS_RAW)
  const renamed = await live.call(trader, 'PATCH', '/profiles/me', {
    displayName: '<b onclick=alert(4)>',
    bio: SCRIPT,
  })
  assert.equal(renamed.status, 200, renamed.text)
})
after(() => stage.close())

test('titles, descriptions and names are texts on every page', async () => {
  const path = '/#/market/img-title'
  const watched = await stage.member(trader, path, { width: NARROW })
  const { page } = watched
  await page.locator('h1', { hasText: IMAGE }).waitFor()
  await page.locator('main', { hasText: SCRIPT }).waitFor()
  assert.equal(await page.locator(MADE).count(), 0)
  await assertNotWide(page, 'a market')
  const slugs = ['script-title', 'long-title']
  for (const slug of slugs) {
    await page.goto(`${stage.baseUrl}/#/market/${slug}`)
    await part(page, 'Order ticket').waitFor()
    assert.equal(await page.locator(MADE).count(), 0, slug)
    await assertNotWide(page, slug)
  }
  await page.goto(`${stage.baseUrl}/#/`)
  await page.locator('[data-slug="img-title"]', { hasText: IMAGE }).waitFor()
  await page.locator('[data-slug="script-title"]', { hasText: SCRIPT }).waitFor()
  assert.equal(await page.locator(MADE).count(), 0)
  await assertNotWide(page, 'the list')
  await page.locator('input[name="search"]').fill(IMAGE)
  await page.locator('[role="status"]', { hasText: `“${IMAGE}”` }).waitFor()
  await page.goto(`${stage.baseUrl}/#/account`)
  await part(page, 'Balance').waitFor()
  await page.locator('bdi', { hasText: '<b onclick=alert(4)>' }).first().waitFor()
  assert.equal(await page.locator(`${MADE}, [onclick]`).count(), 0)
  await assertNotWide(page, 'the account')
  await watched.close()
})

test('a market that is made while a page is open brings its title as text', async () => {
  const watched = await stage.visit('/')
  const { page } = watched
  await page.locator('[data-slug="img-title"]').waitFor()
  await page.locator('.link[data-link="live"]').waitFor()
  const market = await stage.live.openMarket('made-meanwhile', { title: `new ${IMAGE}` })
  await page.locator('[data-slug="made-meanwhile"]', { hasText: IMAGE }).waitFor()
  await stage.live.place(trader, market)
  assert.equal(await page.locator(MADE).count(), 0)
  await watched.close()
})

test('an address that names hostile things opens a page that says so in text', async () => {
  for (const slug of [IMAGE, SCRIPT, '%', '../../admin', WORD]) {
    const watched = await stage.visit(`/#/market/${encodeURIComponent(slug)}`)
    await watched.page.getByText('No such market').waitFor()
    assert.equal(await watched.page.locator(MADE).count(), 0)
    await watched.close()
  }
})
