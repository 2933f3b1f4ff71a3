import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible, assertNotWide } from '../support/accessibility.ts'
import { TestBrowser, type WatchedPage } from '../support/browser.ts'
import { at, type LiveExchange, startLive } from '../support/live-exchange.ts'

// The documents as pages of a browser: they work within their content policy, without any other
// host, and everybody can read them.

const NARROW = 360

let live: LiveExchange
let browser: TestBrowser
before(async () => {
  live = await startLive()
  browser = await TestBrowser.open()
})
after(async () => {
  await browser.close()
  await live.stop()
  assert.deepEqual(live.faults, [])
})

const baseUrl = () => `http://127.0.0.1:${live.port}`

async function openCalls(wish = {}): Promise<WatchedPage> {
  const watched = await browser.visit(baseUrl(), '/docs/openapi', wish)
  await watched.page.locator('.opblock').first().waitFor()
  return watched
}

test('the page of the calls shows every call with its example', async () => {
  const watched = await openCalls()
  const { body } = await live.send('GET', '/openapi.json')
  const paths = Object.values(Object(at(body, 'paths')))
  const methods = paths.flatMap((each) => Object.keys(Object(each)))
  const { page } = watched
  assert.equal(await page.locator('.opblock').count(), methods.length)
  const time = page.locator('.opblock', { hasText: '/exchange-info' }).first()
  await time.locator('.opblock-summary-control').click()
  await time.locator('.opblock-body', { hasText: 'domainVersion' }).waitFor()
  await watched.close()
})

for (const theme of ['light', 'dark'] as const) {
  test(`documents can be read by everybody: ${theme}`, async () => {
    for (const path of ['/docs', '/docs/trading', '/docs/asyncapi']) {
      const watched = await browser.visit(baseUrl(), path, { theme, width: NARROW })
      await assertAccessible(watched.page, path)
      await assertNotWide(watched.page, path)
      await watched.close()
    }
  })
}
