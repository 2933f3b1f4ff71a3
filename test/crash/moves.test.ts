import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { newFolder } from '../support/data-folder.ts'
import {
  ExchangeClient,
  type Reply,
  SHARE,
  type TestMarket,
  type Trader,
} from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { at } from '../support/json-path.ts'
import { freshSeed, Random } from '../support/random.ts'
import { ServerProcess } from '../support/server-process.ts'

// Money moves outside trading while the server dies. A call with a key is sent until it is
// answered: it is made once, and gets one reply, whenever the server died.

const random = new Random(freshSeed())
const dataDir = newFolder()
const FUNDS_RAW = 1000 * SHARE
const MERGED_EVERY = 3

/** The calls of all rounds in their order, each with its reply once it came. */
const sent: { key: string; path: string; body: object; reply?: string }[] = []
let salt = random.between(1, 1e6)

function start(fault?: string): Promise<ServerProcess> {
  const args = ['--market-threads', '2', '--block-ms', '10']
  return ServerProcess.start({ dataDir, args: [...args, '--no-rate-limit'], fault })
}

/** A call that was refused has no effect; one that a death cut off has one, or none. */
async function send(client: ExchangeClient, trader: Trader, index: number): Promise<Reply> {
  const { key, path, body } = sent[index]
  const text = JSON.stringify({ ...body, idempotencyKey: key })
  const reply = await client.call(trader, 'POST', path, text)
  if (reply.status !== 201) return reply
  const reported = JSON.stringify(reply.body)
  assert.equal(reported, sent[index].reply ?? reported, 'a key gets its first reply again')
  sent[index].reply = reported
  return reply
}

function call(path: string, body: object): number {
  return sent.push({ key: `call ${sent.length}`, path, body }) - 1
}

/** What the seller has left pays nothing when YES wins: the exchange redeems it by itself. */
async function sellYes(
  client: ExchangeClient,
  market: TestMarket,
  traders: readonly Trader[],
): Promise<void> {
  const wanted = { outcome: 'yes' as const, ticks: 500, sizeRaw: 2 * SHARE, type: 'GTC' as const }
  for (const [index, trader] of traders.entries()) {
    await client.placed(trader, market, { ...wanted, isBuy: index === 1, salt: ++salt })
  }
}

/** Funds a pool, buys of it, and resolves its market: behind the payout its provider leaves. */
async function tradeWithPool(
  client: ExchangeClient,
  [trader, provider]: readonly [Trader, Trader],
  slug: string,
): Promise<void> {
  await client.admin('/admin/markets', { kind: 'amm', slug, title: slug })
  const given = { profileId: provider.profileId, collateralRaw: SHARE }
  await client.admin(`/admin/markets/${slug}/liquidity`, given)
  const approval = JSON.stringify({ market: slug, side: 'BUY' })
  const approve = () => client.call(trader, 'POST', '/amm/allowances/approve', approval)
  for (let { status } = await approve(); status === 202; ) status = (await approve()).status
  const bought = { market: slug, outcomeIndex: 0, collateralAmount: '100000' }
  const made = await send(client, trader, call('/amm/buy', bought))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await client.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
}

/** Splits, merges, withdraws, resolves and redeems until the server dies. */
async function live(
  client: ExchangeClient,
  [trader, buyer]: readonly [Trader, Trader],
  round: number,
): Promise<void> {
  for (let cycle = 0; ; cycle++) {
    await tradeWithPool(client, [trader, buyer], `pool-${round}-${cycle}`)
    const slug = `moves-${round}-${cycle}`
    const market = await client.makeMarket(slug, false)
    const conditionId = at(await client.get(`/markets/${slug}`), 'conditionId')
    const pairs = { conditionId, amount: '2000000' }
    const made = await send(client, trader, call('/portfolio/split', pairs))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    if (cycle % MERGED_EVERY === 0) await send(client, trader, call('/portfolio/merge', pairs))
    else await sellYes(client, market, [trader, buyer])
    const to = { amount: '1000', destination: trader.account }
    assert.equal((await send(client, trader, call('/portfolio/withdraw', to))).status, 201)
    await client.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
    const redemption = call('/portfolio/redeem', { conditionId })
    // A merged position has nothing to redeem; the others wait for their payout.
    for (let reply = await send(client, trader, redemption); ; ) {
      const isEarly = at(reply.body, 'code') === 'PAYOUT_NOT_POSTED'
      if (!isEarly) break
      reply = await send(client, trader, redemption)
    }
  }
}

async function liveUntilDeath(
  server: ServerProcess,
  traders: readonly [Trader, Trader],
  round: number,
): Promise<void> {
  try {
    await live(new ExchangeClient(server.baseUrl), traders, round)
  } catch (error) {
    // A call to a dead server fails; an answer that is wrong is an assertion.
    if (error instanceof assert.AssertionError) throw error
  }
  assert.equal((await server.ended).signal, 'SIGKILL')
}

function digestOf({ profileId }: Trader, key: string): string {
  return createHash('sha256').update(`key\n${profileId}\n${key}`).digest('hex')
}

/** Every call with a reply is one command, which its reply names; no call is two. */
function checkJournal(trader: Trader): Record<string, number> {
  const { commands } = recoverAll(dataDir)
  const seqs = new Map<string, number>()
  const kinds: Record<string, number> = {}
  for (const command of commands) {
    if (!('once' in command) || command.once === undefined) continue
    const { digest } = command.once
    assert(!seqs.has(digest), 'a call is one command')
    seqs.set(digest, command.seq)
    kinds[command.kind] = (kinds[command.kind] ?? 0) + 1
  }
  for (const { key, reply } of sent) {
    if (reply === undefined) continue
    const seq = seqs.get(digestOf(trader, key))
    assert.equal(at(JSON.parse(reply), 'transactionId'), String(seq), 'a reply names its command')
  }
  return kinds
}

test('a death at any point leaves each move done once or not at all', async () => {
  let server = await start()
  after(() => server.signal('SIGKILL'))
  const first = new ExchangeClient(server.baseUrl)
  const trader = await first.makeTrader('ann', FUNDS_RAW)
  const rights = {
    account: trader.account,
    apiToken: { scopes: ['trading', 'withdrawal', 'delegated_signing'] },
  }
  const token = Object(await first.admin('/admin/profiles', rights))
  const ann = { ...trader, tokenId: String(token.tokenId), secret: String(token.secret) }
  const ben = await first.makeTrader('ben', FUNDS_RAW)
  await server.stop()
  const passing = () => random.between(5, 40)
  for (const [round, fault] of [
    `before-commit:${passing()}`,
    `after-commit:${passing()}`,
    `mid-redemptions:${random.between(1, 3)}`,
  ].entries()) {
    await liveUntilDeath(await start(fault), [ann, ben], round)
    const { seq, stateHash } = verifyFolder(dataDir)
    server = await start()
    assert.deepEqual(server.recovered, { seq, stateHash })
    const client = new ExchangeClient(server.baseUrl)
    for (let index = 0; index < sent.length; index++) {
      // What was refused before, or was cut off, may be refused now; no reply ever changes.
      await send(client, ann, index)
    }
    await server.stop()
    console.log(JSON.stringify({ fault, seq, calls: sent.length, ...checkJournal(ann) }))
  }
})
