import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newFolder } from '../support/data-folder.ts'
import { type LiveExchange, startLive } from '../support/live-exchange.ts'
import { openMarket } from '../support/live-orders.ts'

// The samples for reading that come with the public client: those of its README. They run as they
// are, except for the address of the exchange, which they have as a literal. Its sample programs
// are not in the package; public-client.test.ts and public-sockets.test.ts make the same calls.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = join(ROOT, 'node_modules', '@limitless-exchange', 'sdk', 'README.md')
const THEIR_ADDRESS = 'https://api.limitless.exchange'
const SAMPLE_MS = 60_000
const MARKETS = 9
let live: LiveExchange

before(async () => {
  live = await startLive()
  for (const [slug, values] of [
    ['duration', ['hourly']],
    ['ticker', ['btc', 'eth']],
  ] as const) {
    const options = values.map((value) => ({ value, label: value }))
    const made = await live.admin('/admin/property-keys', { name: slug, slug, options })
    assert.equal(made.status, 201, made.text)
  }
  const page = await live.admin('/admin/market-pages', { name: 'Crypto', slug: 'crypto' })
  assert.equal(page.status, 201, page.text)
  for (let index = 0; index < MARKETS; index++) {
    const properties = { duration: ['hourly'], ticker: [index < 3 ? 'btc' : 'eth'] }
    await openMarket(live, `market-${index}`, { properties })
  }
})
after(async () => {
  await live.stop()
  assert.deepEqual(live.faults, [])
})

/** The only sample that makes this call and needs no key. */
function sampleWith(call: string): string {
  const samples = [...readFileSync(README, 'utf8').matchAll(/^```typescript\n(.*?)^```/gms)]
    .map(([, code]) => code)
    .filter((code) => code.includes(`.${call}(`) && !/ethers|ApiKey|hmac/.test(code))
  assert.equal(samples.length, 1, `one sample with ${call}`)
  assert.ok(samples[0].includes(THEIR_ADDRESS))
  return samples[0].replaceAll(THEIR_ADDRESS, `http://127.0.0.1:${live.port}`)
}

async function run(code: string): Promise<string> {
  const folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'sample.ts'), code)
  const child = spawn(process.execPath, ['--import', 'tsx', 'sample.ts'], {
    cwd: folder,
    timeout: SAMPLE_MS,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const [status] = await once(child, 'close')
  assert.equal(status, 0, said)
  return said
}

test('the sample that lists active markets finds them, page by page', async () => {
  assert.match(await run(sampleWith('getActiveMarkets')), /^Found 8 of 9 markets$/m)
})

test('the sample that follows a page reads its markets by filters', async () => {
  assert.match(await run(sampleWith('getMarketPageByPath')), /^Total markets: 9$/m)
})
