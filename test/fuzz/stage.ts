import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exchange } from '../../engine/core/exchange.ts'
import { recoverJournal } from '../../persistence/recovery.ts'
import { SESSION_COOKIE } from '../../server/auth/session.ts'
import { ExchangeClient, STATUSES } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { figuresOf, gaugeIn, type ProcessFigures } from '../support/process-figures.ts'
import { ADMIN_TOKEN, ServerProcess, verify } from '../support/server-process.ts'
import { type Actor, hmacHeaders, makeActors, revive } from './actors.ts'
import { parsed, textsIn } from './answers.ts'
import { judge } from './judge.ts'
import type { Plan, Role } from './plan.ts'
import { type Pools, type Rendered, render, type Setting } from './render.ts'
import { type Answer, exchange, plainCall } from './socket.ts'

// A fresh exchange in a process of its own, with everything on it that a request may hit: markets
// in each state, orders at rest, and people with every kind of proof.

const SHARE = 1_000_000
const POOL_MAX = 64
const SECRET_CHARACTERS_MIN = 20
const IDLE_MS = 10_000
/** Over what it had once warm: far more than a round of small requests may leave. */
const GROWN_BYTES_MAX = 256 * 2 ** 20
const FILES_MORE_MAX = 8
/** For what may never be answered: it is half a request or none. */
const BENT_MS = 200
const FATAL_LEVEL = 50
const GAUGES = [
  ...['replies_waiting', 'replies_waiting_for_disk', 'intake_in_flight', 'query_waiting'],
  ...['journal_waiting_bytes', 'open_orders'],
]

export interface Outcome {
  readonly rendered: Rendered
  readonly status: number
  /** '' when all is well. */
  readonly issue: string
}

interface Parts {
  readonly server: ServerProcess
  readonly client: ExchangeClient
  readonly dataDir: string
  readonly setting: Setting
}

export class Stage {
  readonly setting: Setting
  readonly #server: ServerProcess
  readonly #client: ExchangeClient
  readonly #dataDir: string
  readonly #port: number
  readonly #always = new Set<string>()
  readonly #owned = new Set<string>()
  #hasEnded = false
  #before: ProcessFigures

  private constructor({ server, client, dataDir, setting }: Parts) {
    this.#server = server
    this.#client = client
    this.#dataDir = dataDir
    this.setting = setting
    this.#port = Number(new URL(server.baseUrl).port)
    this.#before = figuresOf(server.pid)
    server.ended.then(() => {
      this.#hasEnded = true
    })
  }

  static async open(dataDir: string): Promise<Stage> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const keyFile = join(dataDir, 'identity.pem')
    writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }))
    const args = ['--no-rate-limit', '--intake-threads', '1', '--market-threads', '1']
    const server = await ServerProcess.start({
      dataDir,
      args: [...args, '--identity-key', keyFile],
    })
    const client = new ExchangeClient(server.baseUrl)
    const port = Number(new URL(server.baseUrl).port)
    const actors = await makeActors(client, port, privateKey)
    const stage = new Stage({ server, client, dataDir, setting: await settingOf(client, actors) })
    await stage.#learnSecrets()
    await stage.#warm()
    return stage
  }

  get baseUrl(): string {
    return this.#server.baseUrl
  }

  async #learnSecrets(): Promise<void> {
    this.#always.add(ADMIN_TOKEN)
    for (const name of readdirSync(this.#dataDir).filter((each) => each.endsWith('.key'))) {
      const key = readFileSync(join(this.#dataDir, name))
      for (const form of ['hex', 'base64', 'utf8'] as const) {
        this.#always.add(key.toString(form).trim())
      }
    }
    for (const actor of this.setting.actors.values()) this.#learnActor(actor)
    for (const name of this.setting.pools.clients.filter(isOwners)) this.#owned.add(name)
    for (const id of this.setting.pools.orders) this.#owned.add(id)
  }

  #learnActor({ role, trader, weak, cookie }: Actor): void {
    const { secret, key, tokenId } = trader
    for (const each of [secret, weak.secret, cookie.slice(SESSION_COOKIE.length + 1)]) {
      this.#always.add(each)
    }
    this.#always.add(Buffer.from(key).toString('hex'))
    if (role === 'owner') for (const id of [tokenId, weak.tokenId]) this.#owned.add(id)
  }

  /** The first requests of each kind make what later ones only use. */
  async #warm(): Promise<void> {
    for (let round = 0; round < 3; round++) await this.ownerState()
    await this.#metrics()
    this.#before = figuresOf(this.#server.pid)
  }

  /** Sends one request and says what is wrong with what came back. */
  async act(plan: Plan): Promise<Outcome> {
    const rendered = render(plan, this.setting)
    const { bytes, parts } = rendered
    const exchanged = await exchange(this.#port, bytes, {
      wanted: bytes.requests ?? 1,
      isHead: parts.method === 'HEAD',
      ...(rendered.wireTrick === '' ? {} : { deadlineMs: BENT_MS }),
    })
    const secrets = { always: this.#always, owned: this.#owned }
    const issue = judge(plan, rendered, exchanged, secrets)
    const [answer] = exchanged.answers
    if (answer !== undefined && plan.route !== DOCUMENT) this.#learn(plan, answer)
    // What a request of its own ended is given back: the rest is to be tried with it.
    const actor = this.setting.actors.get(plan.speaker.role)
    if (answer?.status === 401 && plan.speaker.flaw === 'none' && actor !== undefined) {
      await this.#revive(actor)
    }
    const said = this.#hasEnded ? `the process ended: ${this.#server.stderr.slice(-2000)}` : issue
    return { rendered, status: answer?.status ?? 0, issue: said }
  }

  #learn({ speaker }: Plan, answer: Answer): void {
    if (answer.status < 200 || answer.status >= 300) return
    const { children, orders, tokens, spares } = this.setting.pools
    const byOwner = speaker.role === 'owner' && speaker.proof !== 'none'
    const set = answer.headers.get('set-cookie') ?? ''
    const cookie = set.split(';')[0].split('=')[1] ?? ''
    if (cookie.length >= SECRET_CHARACTERS_MIN) this.#always.add(cookie)
    const body = parsed(answer)
    const made = at(body, 'profileId')
    if (speaker.role === 'partner' && typeof made === 'number') addTo(children, `${made}`)
    for (const [name, text] of textsIn(body)) {
      if (name === 'secret' && text.length >= SECRET_CHARACTERS_MIN) this.#always.add(text)
      if (name === 'tokenId' && UUID.test(text)) addTo(tokens, text)
      if (name === 'tokenId' && UUID.test(text) && byOwner) this.#owned.add(text)
      if (name === 'id' && UUID.test(text)) addTo(orders, text)
      if (name === 'slug' && speaker.proof === 'admin') addTo(spares, text)
    }
  }

  /** All of the owner that nobody else may change, as text to compare. */
  async ownerState(): Promise<string> {
    const { actors, quiet } = this.setting
    const owner = actors.get('owner')
    assert.ok(owner !== undefined, 'a stage has an owner')
    await this.#revive(owner)
    await this.#calm()
    const seen: unknown[] = [await this.#client.balances(owner.trader)]
    const targets = STATUSES.map(
      (status) => `/markets/${quiet.slug}/user-orders?statuses=${status}&limit=200`,
    )
    for (const target of [...targets, '/profiles/me']) seen.push(await this.#read(owner, target))
    const tokens = await this.#read(owner, '/auth/api-tokens')
    seen.push(tokens.replaceAll(/"lastUsedAt":[^,}]*/g, ''))
    return JSON.stringify(seen)
  }

  async #read({ trader }: Actor, target: string): Promise<string> {
    const call = { method: 'GET', target, body: Buffer.alloc(0) }
    const headers = hmacHeaders(call, trader, 'none')
    const { status, text } = await plainCall(this.#port, { method: 'GET', target, headers })
    assert.equal(status, 200, `${target}: ${text}`)
    return text
  }

  /** Ends what the operator restricted. */
  async #calm(): Promise<void> {
    const authorization: [string, string] = ['authorization', `Bearer ${ADMIN_TOKEN}`]
    const headers = [authorization]
    const target = '/admin/trading-modes'
    const listed = parsed(await plainCall(this.#port, { method: 'GET', target, headers }))
    const windows = at(listed, 'windows')
    assert.ok(Array.isArray(windows), 'the windows are listed')
    for (const { id } of windows) {
      const one = { method: 'DELETE', target: `${target}/${id}`, headers }
      assert.equal((await plainCall(this.#port, one)).status, 200)
    }
  }

  async #revive(actor: Actor): Promise<void> {
    await revive(this.#client, this.#port, actor)
    this.#learnActor(actor)
  }

  async #metrics(): Promise<string> {
    return (await plainCall(this.#port, { method: 'GET', target: '/metrics', headers: [] })).text
  }

  /** Cancels everything, ends the process and says what was left behind. */
  async close(): Promise<string> {
    if (this.#hasEnded) return `the process ended: ${this.#server.stderr.slice(-2000)}`
    const issues = [await this.#cancelAll(), await this.#idle()]
    const grownBytes = figuresOf(this.#server.pid).residentBytes - this.#before.residentBytes
    if (grownBytes > GROWN_BYTES_MAX) issues.push(`memory grew by ${grownBytes} bytes`)
    const stopped = await this.#server.stop()
    const { stdout, stderr } = await this.#server.ended
    for (const secret of this.#always) {
      if (`${stdout}${stderr}`.includes(secret)) issues.push(`the log shows ${secret}`)
    }
    issues.push(...stderr.split('\n').filter(isFatal))
    assert.deepEqual(await verify(this.#dataDir), stopped, 'one journal, one state')
    issues.push(reservesLeft(this.#dataDir))
    return issues.filter((issue) => issue !== '').join('\n')
  }

  end(): void {
    this.#server.signal('SIGKILL')
  }

  async #cancelAll(): Promise<string> {
    const { actors, pools, quiet } = this.setting
    await this.#calm()
    for (const actor of actors.values()) {
      await this.#revive(actor)
      const ends = actor.role === 'partner' ? pools.children.map((id) => `?onBehalfOf=${id}`) : []
      const slugs = [...new Set([quiet.slug, ...pools.markets, ...pools.spares])]
      for (const path of slugs.flatMap((slug) => ['', ...ends].map((end) => slug + end))) {
        const target = `/orders/all/${path}`
        const call = { method: 'DELETE', target, body: Buffer.alloc(0) }
        const headers = hmacHeaders(call, actor.trader, 'none')
        const { status, text } = await plainCall(this.#port, { method: 'DELETE', target, headers })
        if (status !== 200 && status !== 404) return `${target}: ${status} ${text}`
      }
    }
    return ''
  }

  /** Until nothing is under way and no connection is left, or it takes too long. */
  async #idle(): Promise<string> {
    const endMs = performance.now() + IDLE_MS
    for (;;) {
      const text = await this.#metrics()
      const busy = GAUGES.filter((name) => gaugeIn(text, `outcomex_${name}`) !== 0)
      const files = figuresOf(this.#server.pid).openFiles - this.#before.openFiles
      if (busy.length === 0 && files <= FILES_MORE_MAX) return ''
      if (performance.now() > endMs) return `not idle: ${busy.join(', ')}, ${files} more files`
    }
  }
}

/** Full of examples, which are nobody's. */
const DOCUMENT = 'GET /openapi.json'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const OWNERS = 'owners-own-'

function isOwners(name: string): boolean {
  return name.startsWith(OWNERS)
}

function addTo(pool: string[], text: string): void {
  if (pool.length < POOL_MAX && !pool.includes(text)) pool.push(text)
}

function isFatal(line: string): boolean {
  const level = /^\{"level":(\d+)/.exec(line)
  return level !== null && Number(level[1]) >= FATAL_LEVEL
}

/** What one thread makes of the journal must hold nothing for an order any more. */
function reservesLeft(dataDir: string): string {
  const replayed = new Exchange()
  recoverJournal(dataDir, { visit: (command) => replayed.apply(command) })
  const { ledger } = replayed.clearing
  const left = [...ledger.collateralReservedRaw, ...ledger.sharesReservedRaw]
  if (left.some((raw) => raw !== 0)) return `reserves are left: ${left.filter((raw) => raw !== 0)}`
  return replayed.checkInvariants() ?? ''
}

/** An account of the partner with a server wallet and something to trade with. */
async function makeChild(
  client: ExchangeClient,
  actors: ReadonlyMap<Role, Actor>,
): Promise<string> {
  const partner = actors.get('partner')
  assert.ok(partner !== undefined, 'a stage has a partner')
  const asked = JSON.stringify({ displayName: 'Child', createServerWallet: true })
  const { body } = await client.call(partner.trader, 'POST', '/profiles/partner-accounts', asked)
  const profileId = at(body, 'profileId')
  assert.equal(typeof profileId, 'number', JSON.stringify(body))
  await client.admin('/admin/balances', { profileId, collateralRaw: 1_000 * SHARE })
  return `${profileId}`
}

/** Markets in each state, and what rests in them. */
async function settingOf(
  client: ExchangeClient,
  actors: ReadonlyMap<Role, Actor>,
): Promise<Setting> {
  const soon = {
    kind: 'clob',
    slug: 'fuzz-locked',
    title: 'Ends at once',
    deadline: Date.now() + 300,
  }
  await client.admin('/admin/markets', soon)
  const quiet = await client.makeMarket('fuzz-quiet', false)
  const markets = [
    await client.makeMarket('fuzz-plain', false),
    await client.makeMarket('fuzz-fee', true),
    await client.makeMarket('fuzz-over', false),
    await client.makeMarket('fuzz-split', true),
  ]
  await client.makeMarket('fuzz-spare', false)
  await client.admin('/admin/markets/fuzz-over/resolve', { winningOutcomeIndex: 0 })
  await client.admin('/admin/markets/fuzz-split/resolve', { payoutNumerators: [1, 2] })
  const slugs = [...markets.map(({ slug }) => slug), 'fuzz-locked']
  const traders = [...actors.values()].map(({ trader }) => trader)
  const pools: Pools = {
    markets: [quiet.slug, ...slugs],
    spares: ['fuzz-spare'],
    orders: [],
    clients: ['mine-1', 'mine-2', 'mine-3', 'mine-4'],
    tokens: traders.map(({ tokenId }) => tokenId),
    accounts: traders.map(({ account }) => account),
    profiles: traders.map(({ profileId }) => `${profileId}`),
    children: [await makeChild(client, actors)],
    later: [],
  }
  const owner = actors.get('owner')
  assert.ok(owner !== undefined, 'a stage has an owner')
  for (const [index, outcome] of (['yes', 'no', 'yes', 'no'] as const).entries()) {
    const clientOrderId = `${OWNERS}${index}`
    const wish = {
      isBuy: true,
      outcome,
      ticks: 300 + index,
      sizeRaw: 10 * SHARE,
      type: 'GTC',
    } as const
    const salt = 2 ** 40 + index
    const { order } = await client.placed(owner.trader, quiet, { ...wish, salt, clientOrderId })
    pools.orders.push(order.id)
    pools.clients.push(clientOrderId)
  }
  return { actors, pools, markets, quiet }
}
