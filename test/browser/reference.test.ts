import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertAccessible, assertNotWide } from '../support/accessibility.ts'
import { TestBrowser } from '../support/browser.ts'
import { exchange } from '../support/exchange.ts'

// The documents as pages of a browser: they work within their content policy, without any other
// host, and everybody can read them.

const NARROW = 360

const { live } = await exchange()
const browser = await TestBrowser.open()
after(async () => {
  await browser.close()
})

const baseUrl = () => `http://127.0.0.1:${live.port}`

/** The header of a call is a button of the library, with a link to the call inside. */
const LINK_IN_BUTTON = { rule: 'nested-interactive', selector: '> .opblock-summary-control' }

for (const theme of ['light', 'dark'] as const) {
  test(`documents can be read by everybody: ${theme}`, async () => {
    for (const path of ['/docs', '/docs/trading', '/docs/asyncapi']) {
      const watched = await browser.visit(baseUrl(), path, { theme, width: NARROW })
      await assertAccessible(watched.page, path)
      await watched.close()
    }
  })

  test(`the page of all calls can be read by everybody: ${theme}`, async () => {
    const watched = await browser.visit(baseUrl(), '/docs/openapi', { theme, width: NARROW })
    const { page } = watched
    // The library renders the calls that are in sight; the filter brings the others there.
    await page.locator('.opblock-get').first().waitFor()
    await assertAccessible(page, '/docs/openapi', [LINK_IN_BUTTON])
    await page.getByPlaceholder('Filter').fill('orders')
    await page.locator('.opblock-delete').first().waitFor()
    await page.locator('.opblock-post').first().waitFor()
    await assertAccessible(page, '/docs/openapi of orders', [LINK_IN_BUTTON])
    await watched.close()
  })
}

test('no page of the documents is wider than a phone', async () => {
  const watched = await browser.visit(baseUrl(), '/docs', { width: NARROW })
  const { page } = watched
  const links = await page.locator('li a').evaluateAll((all) => all.map((a) => String(a)))
  assert.ok(links.length > 10, links.join())
  for (const link of [`${baseUrl()}/docs`, ...links]) {
    await page.goto(link)
    await page.locator('h1, h2').first().waitFor()
    await assertNotWide(page, link)
  }
  await watched.close()
})
