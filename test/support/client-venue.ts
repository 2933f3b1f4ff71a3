import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from './data-folder.ts'
import { ExchangeClient, SHARE, shaped } from './exchange-client.ts'
import { isOnAnvil } from './funds.ts'
import { runProgram, type ServeOptions, ServerProcess } from './server-process.ts'
import { until } from './until.ts'

// A running exchange with two traders who have funds, for a client: the demo, or an exchange whose
// traders hold their funds in wallets on a local chain.

interface ClientTrader {
  readonly privateKey: string
  readonly tokenId: string
  readonly secret: string
}

export interface ClientVenue {
  readonly server: ServerProcess
  readonly traders: readonly ClientTrader[]
  readonly exchange: ExchangeClient
  /** Of the server, which starts again with them. */
  readonly options: ServeOptions
  /** On a chain, wallets hold what the ledger says once all trades are in blocks. */
  readonly settled: () => Promise<void>
  readonly end: () => Promise<void>
}

const FUNDS_RAW = 10_000 * SHARE
/** They fill a page of a list. */
const MARKETS = 25

export function openClientVenue(): Promise<ClientVenue> {
  return isOnAnvil ? openOnAnvil() : openDemo()
}

const demoShape = compile(
  openObject({
    baseUrl: text(),
    adminToken: text(),
    traders: list(openObject({ privateKey: text(), tokenId: text(), secret: text() })),
  }),
)

async function openDemo(): Promise<ClientVenue> {
  const options = { dataDir: newFolder(), demo: true }
  const server = await ServerProcess.start(options)
  const file = readFileSync(join(options.dataDir, 'demo.json'), 'utf8')
  const { baseUrl, adminToken, traders } = shaped(demoShape, JSON.parse(file))
  assert.equal(baseUrl, server.baseUrl)
  const exchange = new ExchangeClient(baseUrl, adminToken)
  const settled = async () => {}
  return { server, traders, exchange, options, settled, end: async () => server.signal('SIGKILL') }
}

async function openOnAnvil(): Promise<ClientVenue> {
  const [{ EvmStage }, { fundTradersAt }] = await Promise.all([
    import('./evm-stage.ts'),
    import('./chain-trades.ts'),
  ])
  const stage = await EvmStage.open()
  const { anvil, at } = stage
  const options = { dataDir: newFolder(), args: await stage.servedBy() }
  const server = await ServerProcess.start(options)
  const exchange = new ExchangeClient(server.baseUrl)
  const own = [await exchange.makeTrader('alice', 0), await exchange.makeTrader('bob', 0)]
  await fundTradersAt(stage, exchange, own, FUNDS_RAW)
  for (let index = 0; index < MARKETS; index++) await exchange.makeMarket(`plain-${index}`, false)
  const traders = own.map(({ key, tokenId, secret }) => {
    return { privateKey: `0x${Buffer.from(key).toString('hex')}`, tokenId, secret }
  })
  const where = ['--chain-rpc', anvil.url, '--exchange-address', at.exchange]
  const reconcile = ['chain', 'reconcile', '--data', options.dataDir, ...where]
  const settled = () => until(async () => (await runProgram(reconcile)).code === 0)
  const end = async () => {
    server.signal('SIGKILL')
    await stage.end()
  }
  return { server, traders, exchange, options, settled, end }
}
