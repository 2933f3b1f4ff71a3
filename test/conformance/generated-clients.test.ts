import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import SwaggerParser from '@apidevtools/swagger-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { build } from 'esbuild'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { newFolder } from '../support/data-folder.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { signedFor, unsigned } from '../support/live-orders.ts'
import { isTree } from '../support/openapi-tree.ts'

// Foreign tools read the documents as the exchange serves them, and two generators make clients of
// them that trade. Each client is checked by the compiler first: what it reads has its type.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const folder = newFolder()
const {
  live,
  rain: market,
  trader,
} = await exchange({ markets: { rain: { fee: true } }, traders: { trader: 1_000_000_000 } })

for (const name of ['openapi', 'asyncapi']) {
  const { text } = await live.send('GET', `/${name}.json`)
  writeFileSync(join(folder, `${name}.json`), text)
}
symlinkSync(MODULES, join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')

function textOf(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Findings of the lint with its recommended rules that are right as they are. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'security-defined': 'Anyone may subscribe to public channels; AsyncAPI has no word for no proof.',
  'no-ambiguous-paths': 'The paths are those of the public API; a fixed segment goes first.',
}

for (const name of ['openapi', 'asyncapi']) {
  test(`the ${name} document has no finding of the recommended rules of redocly`, async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const source = textOf(`${name}.json`)
    const problems = await lintFromString({ source, config, absoluteRef: `${name}.json` })
    const found = problems.filter(({ ruleId }) => !(ruleId in ACCEPTED))
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => [ruleId, message, location[0].pointer]),
      [],
    )
  })
}

test('the document is valid for swagger-parser', async () => {
  const document: unknown = JSON.parse(textOf('openapi.json'))
  assert.ok(isTree(document))
  await SwaggerParser.validate(join(folder, 'openapi.json'))
})

test('the schema of a market names every field that a market has', async () => {
  const document: unknown = JSON.parse(textOf('openapi.json'))
  const named = Object(at(document, 'components', 'schemas', 'Market', 'properties'))
  const { body } = await live.send('GET', `/markets/${market.slug}`)
  assert.deepEqual(
    Object.keys(Object(body)).filter((field) => !(field in named)),
    [],
  )
  const settings = Object(at(document, 'components', 'schemas', 'MarketSettings', 'properties'))
  assert.deepEqual(
    Object.keys(Object(at(body, 'settings'))).filter((field) => !(field in settings)),
    [],
  )
})

function run(program: string, words: readonly string[]): void {
  const ran = spawnSync(process.execPath, [program, ...words], { cwd: folder, encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stdout + ran.stderr)
}

function generate(program: string, words: readonly string[]): void {
  run(join(MODULES, program), words)
}

/** Checks the client in this folder by the compiler, and gives what it calls of the exchange. */
async function clientIn(name: string): Promise<(desk: object) => Promise<unknown>> {
  const own = join(folder, name)
  copyFileSync(join(ROOT, `test/conformance/generated/${name}.ts.txt`), join(own, 'walk.ts'))
  const compilerOptions = {
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    allowImportingTsExtensions: true,
  }
  const config = { compilerOptions, include: ['.'] }
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify(config))
  run(join(MODULES, 'typescript7/bin/tsc'), ['-p', own])
  const outfile = join(own, 'walk.bundle.js')
  await build({
    entryPoints: [join(own, 'walk.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'silent',
  })
  const { walk } = await import(pathToFileURL(outfile).href)
  return walk
}

async function sign(request: Request): Promise<Request> {
  const { method, url } = request
  const body = new Uint8Array(await request.clone().arrayBuffer())
  const { pathname, search } = new URL(url)
  const timestamp = new Date(live.nowMs()).toISOString()
  const secret = Buffer.from(trader.secret, 'base64')
  const call = { secret, timestamp, method, pathWithQuery: pathname + search, body }
  request.headers.set('svc-api-key', trader.tokenId)
  request.headers.set('svc-timestamp', timestamp)
  request.headers.set('svc-signature', signCall(call))
  return request
}

/** An order as the document has it: every amount is text. */
function order(feeRateBps: number): object {
  const signed = signedFor(unsigned(trader, market, { feeBps: feeRateBps }), trader, market)
  const texts = ['salt', 'makerAmount', 'takerAmount', 'nonce'] as const
  const asText = Object.fromEntries(texts.map((field) => [field, String(signed[field])]))
  const { slug: marketSlug } = market
  const fields = { ownerId: trader.profileId, orderType: 'GTC', marketSlug }
  return { order: { ...signed, ...asText }, ...fields }
}

async function trades(name: string): Promise<void> {
  const walk = await clientIn(name)
  const { slug } = market
  const seen = await walk({ baseUrl: `http://127.0.0.1:${live.port}`, slug, sign, order })
  assert.ok(Array.isArray(seen))
  const [exchange, fee, orderId, status, ...canceled] = seen
  assert.deepEqual([exchange, fee, status], [market.exchange, 'true', 'LIVE'])
  assert.ok(canceled.includes(orderId), `${name} lists the order that it canceled`)
  assert.deepEqual(live.balances(trader), { freeRaw: 1_000_000_000, reservedRaw: 0 })
}

test('a client of openapi-fetch places, is refused, cancels and lists', async () => {
  mkdirSync(join(folder, 'openapi-fetch'))
  const words = ['openapi.json', '-o', 'openapi-fetch/schema.d.ts']
  generate('openapi-typescript/bin/cli.js', words)
  await trades('openapi-fetch')
})

test('a client of @hey-api/openapi-ts places, is refused, cancels and lists', async () => {
  const words = ['-i', 'openapi.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch']
  generate('@hey-api/openapi-ts/dist/run.mjs', [...words, '--no-log-file'])
  assert.ok(existsSync(join(folder, 'hey-api', 'sdk.gen.ts')))
  await trades('hey-api')
})
