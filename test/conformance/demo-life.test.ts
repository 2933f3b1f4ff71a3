import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { MACHINES, PEOPLE } from '../../server/demo/demo-company.ts'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, send, shaped, type Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { compileProgram, ServerProcess } from '../support/server-process.ts'
import { SocketClient } from '../support/socket-client.ts'

// What a new visitor of the demo sees: people who trade, feeds that move, boards, matches in play
// and packs to buy. A later start adds nobody, and leaves alone what somebody changed.

await compileProgram()

const traderShape = openObject({
  profileId: integer(1),
  account: text(),
  tokenId: text(),
  secret: text(),
})
const demoShape = compile(openObject({ adminToken: text(), traders: list(traderShape) }))
const rowsShape = compile(openObject({ data: list(openObject({})) }))
const USERNAMES = PEOPLE.map(({ username }) => username)
const BOT_NAMES: readonly unknown[] = Object.values(MACHINES).map(({ username }) => username)

/** Two traders and two people. */
const REFERRERS = 4

type Player = Omit<Trader, 'key'>

const rows = (body: unknown): readonly unknown[] => shaped(rowsShape, body).data
const hasRows = (body: unknown) => rows(body).length > 0
const isPerson = (name: unknown) => typeof name === 'string' && USERNAMES.includes(name)

/** A demo as a visitor finds it; each frame of a book is a reason to look again. */
class Visit {
  readonly #server: ServerProcess
  readonly #orderEvents: SocketClient
  readonly client: ExchangeClient
  readonly players: readonly Trader[]

  private constructor(server: ServerProcess, orderEvents: SocketClient, dataDir: string) {
    const written: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
    const { adminToken, traders } = shaped(demoShape, written)
    this.#server = server
    this.#orderEvents = orderEvents
    this.client = new ExchangeClient(server.baseUrl, adminToken)
    this.players = traders.map((each: Player) => ({ ...each, key: new Uint8Array() }))
  }

  static async begin(dataDir: string): Promise<Visit> {
    const args = ['--pack-rest', '2', '--market-threads', 'auto']
    const server = await ServerProcess.start({ dataDir, demo: true, args })
    const orderEvents = await SocketClient.open(Number(new URL(server.baseUrl).port))
    // None that a test resolves: a subscription with an archived market is refused.
    const marketSlugs = ['btc-above-100k', 'home-team-wins', 'snow-in-april']
    orderEvents.socket.emit('subscribe_market_prices', { marketSlugs })
    return new Visit(server, orderEvents, dataDir)
  }

  async #until(what: string, read: () => Promise<unknown>, holds: (body: unknown) => boolean) {
    for (;;) {
      const seen = this.#orderEvents.frames.length
      const body = await read()
      if (holds(body)) return body
      await this.#orderEvents.until(
        () => this.#orderEvents.frames.length > seen || this.#orderEvents.ends.length > 0,
      )
      assert.deepEqual(this.#orderEvents.ends, [], `before ${what} came: ${JSON.stringify(body)}`)
    }
  }

  /** Reads until it holds. A busy machine may answer too late: that is read again. */
  sees(path: string, holds: (body: unknown) => boolean = hasRows): Promise<unknown> {
    const read = () => send(this.client.baseUrl, 'GET', path)
    return this.#until(path, read, (reply) => at(reply, 'status') === 200 && holds(bodyOf(reply)))
  }

  /** The same as the first trader. */
  seesOwn(path: string, holds: (body: unknown) => boolean = hasRows): Promise<unknown> {
    const read = () => this.client.call(this.players[0], 'GET', path)
    return this.#until(path, read, (reply) => at(reply, 'status') === 200 && holds(bodyOf(reply)))
  }

  /** After a test that failed, too. */
  abandon(): void {
    this.#orderEvents.close()
    this.#server.signal('SIGKILL')
  }

  async end(): Promise<void> {
    this.#orderEvents.close()
    await this.#server.stop()
    const reported = this.#server.stderr
      .split('\n')
      .filter((line) => /"level":"(warn|error)"/.test(line))
    assert.deepEqual(reported, [], 'nothing of the demo fails')
  }
}

function bodyOf(reply: unknown): unknown {
  return at(reply, 'body')
}

const names = (body: unknown) => rows(body).map((row) => at(row, 'username'))
const tradersOf = (body: unknown) => rows(body).map((row) => at(row, 'user', 'username'))

async function expectPeople(visit: Visit): Promise<void> {
  await visit.sees('/profiles/social?limit=20', (body) => {
    const shown = names(body)
    return [...USERNAMES, 'trader-0', 'trader-2'].every((name) => shown.includes(name))
  })
  const social = names(await visit.client.get('/profiles/social?limit=20'))
  assert.ok(!social.some((name) => BOT_NAMES.includes(name)), 'machines are left out')
  await visit.sees('/profiles/search?query=mir', (body) => names(body).join() === 'mira')
  await visit.sees('/profiles/search?query=@theobarros', (body) => names(body).join() === 'theo.b')
  await visit.sees(
    '/profiles/search?query=harbor',
    (body) => rows(body).length === BOT_NAMES.length,
  )
  const mira = rows(await visit.client.get('/profiles/search?query=mira')).at(0)
  await visit.sees(`/market-bookmarks/public/${at(mira, 'account')}`, (body) => {
    return at(body, 'total') === PEOPLE[0].bookmarks.length
  })
}

async function expectFeeds(visit: Visit): Promise<void> {
  await visit.seesOwn('/feed/following', (body) => tradersOf(body).some(isPerson))
  await visit.seesOwn('/feed/trading?audience=following', hasRows)
  await visit.sees('/feed/trading?limit=30')
  await visit.sees('/feed/trading?audience=featured&limit=30')
}

async function expectBoards(visit: Visit): Promise<void> {
  const isWon = (row: unknown) => isPerson(at(row, 'username')) && at(row, 'pnl') !== 0
  await visit.sees('/leaderboard/pnl?limit=25', (body) => rows(body).some(isWon))
  await visit.sees('/leaderboard/volume?limit=25', (body) => names(body).some(isPerson))
  const biggest = '/leaderboard/pnl/unrealized/biggest-positions'
  await visit.sees(biggest, (body) => names(body).some((name) => name !== null))
  await visit.sees('/referral/usdc/leaderboard', (body) => {
    return at(body, 'entries', 0, 'username') !== null && at(body, 'total') === REFERRERS
  })
  await visit.seesOwn(
    '/referral/usdc/leaderboard/friends',
    (body) => at(body, 'total') === REFERRERS,
  )
  await visit.seesOwn('/referral/usdc/referrals', (body) => at(body, 'counts', 'all') === 2)
}

async function expectPacks(visit: Visit): Promise<void> {
  const creator = (row: unknown) => at(row, 'creator', 'username')
  await visit.sees('/parlay/offers', (body) => rows(body).some((row) => creator(row) !== null))
  await visit.sees('/parlay/markets')
  await visit.sees('/parlay/packs', (body) => Array.isArray(body) && body.length > 0)
  await visit.sees('/parlay/positions')
  const leg = at(rows(await visit.client.get('/parlay/positions')).at(0), 'legs', 0)
  const word = String(at(leg, 'title')).split(' ').at(-1)?.replace(/\W/g, '')
  await visit.sees(`/parlay/positions/search?query=${word}`)
  await visit.sees(`/markets/${at(leg, 'marketSlug')}/packs`)
}

async function expectMatches(visit: Visit): Promise<void> {
  const isScored = (row: unknown) => typeof at(row, 'score') === 'object'
  await visit.sees('/sports/live', (body) => rows(body).some(isScored))
  await visit.sees('/sports/events', (body) => rows(body).length === 2)
  const slugs = (body: unknown) => rows(body).map((row) => at(row, 'slug'))
  await visit.sees('/markets/active?automationType=sports', (body) => {
    return ['derby-draw', 'three-maps'].every((slug) => slugs(body).includes(slug))
  })
}

/** The first trader follows one person less and says something else; nobody came or went. */
async function expectKept({ client, players }: Visit, followers: unknown): Promise<void> {
  const board = await client.get('/referral/usdc/leaderboard')
  assert.equal(at(board, 'total'), REFERRERS)
  const me = await client.call(players[0], 'GET', '/profiles/me')
  assert.equal(at(me.body, 'bio'), 'Mine now.')
  const found = await client.get('/profiles/search?query=mira')
  assert.equal(at(found, 'data', 0, 'followersCount'), Number(followers) - 1)
}

const dataDir = newFolder()
let visit: Visit
before(async () => {
  visit = await Visit.begin(dataDir)
})
after(() => visit.abandon())

test('a visitor of the demo finds people', () => expectPeople(visit))
test('a visitor of the demo finds matches in play', () => expectMatches(visit))
test('a visitor of the demo finds feeds that move', () => expectFeeds(visit))
test('a visitor of the demo finds packs to buy', () => expectPacks(visit))
test('a visitor of the demo finds boards with names and profits', () => expectBoards(visit))

/** Every third book moves in one round: that of the first market stands before this one. */
const NEIGHBOUR = 'rates-cut-in-march'
const bookPath = (slug: string) => `/markets/${slug}/orderbook`
const hasQuotes = (book: unknown) => at(book, 'bids', 0) !== undefined

/** Sees the quotes of a market move once more. */
async function expectMoves(visit: Visit, slug: string): Promise<void> {
  const quotes = (book: unknown) => JSON.stringify([at(book, 'bids'), at(book, 'asks')])
  const before = quotes(await visit.sees(bookPath(slug), hasQuotes))
  await visit.sees(bookPath(slug), (book) => hasQuotes(book) && quotes(book) !== before)
}

test('markets that an operator closes leave the others alone, and come back', async () => {
  const { client } = visit
  await client.admin('/admin/markets/rain-tomorrow/resolve', { winningOutcomeIndex: 0 })
  await client.admin('/admin/markets/reds-win-the-cup/lock', {})
  await client.admin('/admin/markets/meteor-shower/lock', {})
  // Each part of the books is updated, and after the first the bots have seen the change.
  await expectMoves(visit, NEIGHBOUR)
  const others = ['blues-win-the-cup', 'btc-above-100k', NEIGHBOUR]
  await Promise.all(others.map((slug) => expectMoves(visit, slug)))
  await client.admin('/admin/markets/reds-win-the-cup/unlock', {})
  await client.admin('/admin/markets/meteor-shower/unlock', {})
  await expectMoves(visit, 'reds-win-the-cup')
})

test('the next start of a demo adds nobody and leaves alone what was changed', async () => {
  const mira = rows(await visit.client.get('/profiles/search?query=mira')).at(0)
  const [player] = visit.players
  const path = `/profiles/${at(mira, 'account')}/follow`
  assert.equal((await visit.client.call(player, 'DELETE', path)).status, 200)
  const bio = JSON.stringify({ bio: 'Mine now.' })
  assert.equal((await visit.client.call(player, 'PATCH', '/profiles/me', bio)).status, 200)
  await visit.end()
  visit = await Visit.begin(dataDir)
  const last = Number(at(rows(await visit.client.get('/feed/trading?limit=1')).at(0), 'id'))
  await expectPeople(visit)
  await visit.seesOwn('/feed/following', (body) => Number(at(rows(body).at(0), 'id')) > last)
  // The people trade again, so this start has written all that it writes of them.
  await expectKept(visit, at(mira, 'followersCount'))
  // The market that was resolved is no market of this start.
  await expectMoves(visit, NEIGHBOUR)
  await visit.end()
})
