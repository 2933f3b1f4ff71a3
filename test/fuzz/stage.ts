import assert from 'node:assert/strict'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { ExchangeClient, STATUSES, shaped, type Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { figuresOf, gaugeIn, type ProcessFigures } from '../support/process-figures.ts'
import { ADMIN_TOKEN, metricsOf, ServerProcess, verify } from '../support/server-process.ts'
import { type Actor, hmacHeaders, makeActors, openProvider, revive, thaw } from './actors.ts'
import { parsed } from './answers.ts'
import { reservesLeft } from './journal-end.ts'
import { judge, judgeTalk, mayHang } from './judge.ts'
import { Known } from './known.ts'
import { offersOf } from './packs.ts'
import type { Plan } from './plan.ts'
import { documentedMessages, marksOf, type Rendered, render } from './render.ts'
import { actorOf, type Setting, settingOf } from './setting.ts'
import type { Headers } from './smuggle.ts'
import { type Answer, exchange, plainCall } from './socket.ts'
import { Subscriptions } from './subscribers.ts'
import { Conversation, partsOf } from './talk.ts'
import { SOCKET_ROUTE } from './talk-plan.ts'
import { type Replied, resultsOf } from './tally.ts'
import { textOf } from './tricks.ts'
import { messageQuery, walletHeaders } from './wallet-proof.ts'

// A fresh exchange in its own process, with everything that a request may hit: markets in each
// state, resting orders, and actors with every kind of proof.

const IDLE_MS = 10_000
const LATER_MS = 3_600_000
const DYING_MS = 1000
/** Growth over the warm process: far more than a round of small requests may leave. */
const GROWN_BYTES_MAX = 256 * 2 ** 20
const FILES_MORE_MAX = 8
/** The wait for bytes that may never be answered: half a request, or none. */
const BENT_MS = 200
const FATAL_LEVEL = 50
const GAUGES = [
  'replies_waiting',
  'replies_waiting_for_disk',
  'query_waiting',
  'journal_waiting_bytes',
  'open_orders',
  'sockets_open',
]
/** Sockets that stay open and listen while other requests run. */
const STAYING_MAX = 4

export interface Outcome extends Replied {
  readonly rendered: Rendered
  /** Empty when all is well. */
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
  readonly #known: Known
  readonly #subscriptions: Subscriptions
  readonly #staying: {
    readonly plan: Plan
    readonly talk: Conversation
    readonly requested: Buffer
  }[] = []
  #usedWallet: Headers = []
  #hasEnded = false
  #isStopped = false
  #before: ProcessFigures

  private constructor({ server, client, dataDir, setting }: Parts) {
    this.#server = server
    this.#client = client
    this.#dataDir = dataDir
    this.setting = setting
    this.#port = Number(new URL(server.baseUrl).port)
    this.#known = new Known(setting)
    this.#subscriptions = new Subscriptions(
      this.#port,
      [setting.quiet, ...setting.markets].map(({ slug }) => slug),
    )
    this.#before = figuresOf(server.pid)
    server.ended.then(() => {
      this.#hasEnded = true
    })
  }

  static async open(dataDir: string): Promise<Stage> {
    const provider = openProvider(dataDir)
    const args = ['--no-rate-limit', '--market-threads', '1']
    const rules = ['--social-provider', 'demo', '--pack-rest', '0']
    const more = ['--block-ms', '50', ...rules, ...provider.flags]
    const server = await ServerProcess.start({ dataDir, args: [...args, ...more] })
    const client = new ExchangeClient(server.baseUrl)
    const port = Number(new URL(server.baseUrl).port)
    const actors = await makeActors(client, port, provider.privateKey)
    const stage = new Stage({ server, client, dataDir, setting: await settingOf(client, actors) })
    stage.#known.learnFolder(dataDir)
    await stage.#warm()
    return stage
  }

  get baseUrl(): string {
    return this.#server.baseUrl
  }

  /** The first requests of each kind allocate what later ones reuse. */
  async #warm(): Promise<void> {
    for (let round = 0; round < 3; round++) await this.ownerState()
    await this.#metrics()
    await this.#subscriptions.open(this.setting.actors)
    this.#before = figuresOf(this.#server.pid)
  }

  /** Sends one request and returns what is wrong with the answer. */
  async act(plan: Plan): Promise<Outcome> {
    if (plan.route === SOCKET_ROUTE) return this.#talk(plan)
    const wallet = await this.#walletOf(plan)
    const rendered = render(plan, this.setting, wallet)
    const { bytes, parts } = rendered
    const exchanged = await exchange(this.#port, bytes, {
      wanted: bytes.requests ?? 1,
      isHead: parts.method === 'HEAD',
      ...(rendered.wireTrick === '' && !mayHang(plan) ? {} : { deadlineMs: BENT_MS }),
    })
    const issue = judge(plan, rendered, exchanged, this.#known)
    const [answer] = exchanged.answers
    if (answer !== undefined && plan.route !== DOCUMENT)
      this.#known.learn(plan, `${bytes.bytes}`, answer)
    // Only a login uses up the message that its wallet signed.
    if (answer?.status === 200 && plan.route.endsWith('/auth/login')) this.#usedWallet = wallet
    // An actor that ended its own token or session gets a new one: the later requests need it.
    const actor = this.setting.actors.get(plan.speaker.role)
    if (answer?.status === 401 && plan.speaker.flaw === 'none' && actor !== undefined) {
      await this.#revive(actor)
    }
    return { rendered, ...this.#reported(answer, issue) }
  }

  #reported(answer: Answer | undefined, issue: string): Omit<Outcome, 'rendered'> {
    const received = this.#subscriptions.issue(this.setting.actors, this.#known.owned)
    const body = answer === undefined ? null : parsed(answer)
    const code = String(at(body, 'code') ?? '')
    const stated = issue === '' ? received : issue
    return { status: answer?.status ?? 0, code, each: resultsOf(body), issue: stated }
  }

  async #walletOf(plan: Plan): Promise<Headers> {
    const wallet = plan.edits.find((edit) => edit.at === 'wallet')
    if (wallet?.at !== 'wallet') return []
    if (wallet.flaw === 'twice') return this.#usedWallet
    const { trader } = this.setting.actors.get(plan.speaker.role) ?? {}
    return walletHeaders(this.#port, wallet, messageQuery(plan.route, trader))
  }

  /** Opens one connection to the sockets; some stay and listen while other requests run. */
  async #talk(plan: Plan): Promise<Outcome> {
    const { actors } = this.setting
    const talk = documentedMessages(plan, this.setting)
    const actor = actors.get(plan.speaker.role)
    if (actor !== undefined) await this.#revive(actor)
    const parts = partsOf(talk, actor, plan.speaker)
    const requested = Buffer.concat([textOf(parts), Buffer.from(JSON.stringify(talk))])
    const rendered = { parts, bytes: { bytes: requested }, wireTrick: 'socket', pathTrick: '' }
    const documented = await Conversation.start(this.#port, textOf(parts), talk, plan.speaker)
    this.#staying.push({ plan, talk: documented, requested })
    if (!talk.stays) this.#staying.unshift(...this.#staying.splice(-1))
    const most = talk.stays ? STAYING_MAX : this.#staying.length - 1
    const issue = await this.#hangUp(most)
    return { rendered, ...this.#reported(undefined, issue), status: documented.status }
  }

  /** Closes sockets, the first of the list first, until `most` are left. */
  async #hangUp(most: number): Promise<string> {
    while (this.#staying.length > most) {
      const [{ plan, talk, requested }] = this.#staying.splice(0, 1)
      if (!(await talk.end())) return `a socket does not close: ${talk.received.slice(-300)}`
      const { received, joins } = talk
      const own = this.setting.actors.get(plan.speaker.role)?.trader.profileId ?? 0
      const issue = judgeTalk(plan, { received, joins, requested }, own, this.#known)
      if (issue !== '') return issue
    }
    return ''
  }

  /** Ends what could still change the owner: restrictions, open orders and offers, trades. */
  async prepare(): Promise<void> {
    const { actors, markets, pools } = this.setting
    const owner = actorOf(actors, 'owner')
    for (const actor of actors.values()) {
      await this.#revive(actor)
      const { profileId } = actor.trader
      const scopes = ['trading', 'account_creation', 'delegated_signing', 'withdrawal']
      const body = Buffer.from(JSON.stringify({ rank: 'Bronze', feeCapBps: null, scopes }))
      await this.#asAdmin('PATCH', `/admin/profiles/${profileId}`, body)
    }
    await this.#calm()
    // Orders of the sub-account rest in the same markets.
    const ends = ['', `?onBehalfOf=${pools.wards[0]}`]
    for (const end of ends) await this.#clearDeadline(owner.trader, end)
    for (const path of markets.flatMap(({ slug }) => ends.map((end) => slug + end))) {
      await this.#cancelIn(owner.trader, path)
    }
    await this.#endOffers(owner)
    await this.#subscriptions.open(actors)
    await this.#settled()
  }

  /** A socket that the owner closed may have left a deadline for its orders. */
  async #clearDeadline(trader: Trader, query: string): Promise<void> {
    const endMs = performance.now() + IDLE_MS
    for (;;) {
      const { status } = await this.#client.call(trader, 'POST', `/heartbeats${query}`, '{}')
      if (status === 200) return
      assert.ok(performance.now() < endMs, `a deadline is cleared: ${status}`)
    }
  }

  async #endOffers({ trader }: Actor): Promise<void> {
    for (const id of await offersOf(this.#client, trader.account)) {
      await this.#client.call(trader, 'DELETE', `/parlay/offers/${id}`)
    }
  }

  /** Waits until the chain took every trade; a late one would change the owner while others act. */
  async #settled(): Promise<void> {
    const endMs = performance.now() + IDLE_MS
    while (at(parsed(await this.#asAdmin('GET', '/admin/settlement?limit=1')), 'waiting') !== 0) {
      assert.ok(performance.now() < endMs, 'trades settle')
    }
  }

  async #asAdmin(method: string, target: string, body = Buffer.alloc(0)): Promise<Answer> {
    const headers: Headers = [['authorization', `Bearer ${ADMIN_TOKEN}`]]
    if (body.length > 0) headers.push(['content-type', 'application/json'])
    const answer = await plainCall(this.#port, { method, target, headers, body })
    assert.ok(answer.status < 300, `${method} ${target}: ${answer.text}`)
    return answer
  }

  /** Everything of the owner that nobody else may change, as text to compare. */
  async ownerState(): Promise<string> {
    const { actors, quiet, pools } = this.setting
    const owner = actorOf(actors, 'owner')
    await this.#revive(owner)
    const ward: Headers = [['x-on-behalf-of', pools.wards[0]]]
    const seen: unknown[] = [await this.#client.balances(owner.trader)]
    for (const status of STATUSES) {
      const target = `/markets/${quiet.slug}/user-orders?statuses=${status}&limit=200`
      seen.push(await this.#read(owner, target), await this.#read(owner, target, ward))
    }
    seen.push(await this.#read(owner, '/portfolio/balance', ward))
    for (const headers of [[], ward]) {
      seen.push(sharesIn(await this.#read(owner, '/portfolio/positions', headers)))
      for (const market of [...pools.poolmarkets, ...pools.barepools]) {
        seen.push(await this.#approvals(owner, market, headers))
      }
    }
    // The board is rebuilt each minute, of what everybody traded.
    const me = await this.#read(owner, '/profiles/me')
    seen.push(me.replaceAll(/"(leaderboardPosition|isTop100)":[^,}]*/g, ''))
    seen.push(await this.#read(owner, '/profiles/partner-accounts'))
    const allowances = `/profiles/partner-accounts/${pools.wards[0]}/allowances`
    // The operator changes the markets of this reply; the count of failed confirmations stays.
    seen.push(at(JSON.parse(await this.#read(owner, allowances)), 'summary', 'failed'))
    const profile = await this.#asAdmin('GET', `/admin/profiles/${pools.wards[0]}`)
    const tokens = await this.#read(owner, '/auth/api-tokens')
    seen.push(profile.text, tokens.replaceAll(/"lastUsedAt":[^,}]*/g, ''))
    return JSON.stringify(seen)
  }

  /** The numbers of the commands by which the owner approved a pool: each side once. */
  async #approvals({ trader }: Actor, market: string, more: Headers): Promise<unknown[]> {
    const target = '/amm/allowances/check'
    return Promise.all(
      ['BUY', 'SELL'].map(async (side) => {
        const body = Buffer.from(JSON.stringify({ market, side }))
        const call = { method: 'POST', target, body }
        const signed = [...hmacHeaders(call, trader, 'none'), ...more]
        const headers: Headers = [...signed, ['content-type', 'application/json']]
        const answer = await plainCall(this.#port, { ...call, headers })
        assert.equal(answer.status, 200, `${target}: ${answer.text}`)
        return at(parsed(answer), 'transactionId') ?? null
      }),
    )
  }

  async #read({ trader }: Actor, target: string, more: Headers = []): Promise<string> {
    const call = { method: 'GET', target, body: Buffer.alloc(0) }
    const headers = [...hmacHeaders(call, trader, 'none'), ...more]
    const { status, text } = await plainCall(this.#port, { method: 'GET', target, headers })
    assert.equal(status, 200, `${target}: ${text}`)
    return text
  }

  /** Ends the restrictions that the operator made. */
  async #calm(): Promise<void> {
    await thaw(this.#port, this.setting.pools.profiles)
    const windows = at(parsed(await this.#asAdmin('GET', '/admin/trading-modes')), 'windows')
    assert.ok(Array.isArray(windows), 'the trading windows are listed')
    for (const { id } of windows) await this.#asAdmin('DELETE', `/admin/trading-modes/${id}`)
    // One window that starts much later is left, so that a request has one to end.
    const later = { mode: 'post_only', startsAt: Date.now() + LATER_MS }
    const body = Buffer.from(JSON.stringify(later))
    const made = at(parsed(await this.#asAdmin('POST', '/admin/trading-modes', body)), 'id')
    this.setting.pools.windows.splice(0, Number.POSITIVE_INFINITY, `${made}`)
  }

  async #revive(actor: Actor): Promise<void> {
    await revive(this.#client, this.#port, actor)
    this.#known.learnActor(actor)
  }

  async #metrics(): Promise<string> {
    return await metricsOf(this.#server.baseUrl)
  }

  /** Cancels everything, stops the process and returns what was left behind. */
  async close(): Promise<string> {
    const issues = [await this.#hangUp(0), await this.#received(), await this.#cancelAll()]
    this.#subscriptions.close()
    issues.push(await this.#idle())
    const grownBytes = figuresOf(this.#server.pid).residentBytes - this.#before.residentBytes
    if (grownBytes > GROWN_BYTES_MAX) issues.push(`memory grew by ${grownBytes} bytes`)
    this.#isStopped = true
    const stopped = await this.#server.stop()
    const { stdout, stderr } = await this.#server.ended
    for (const secret of this.#known.always) {
      if (`${stdout}${stderr}`.includes(secret)) issues.push(`the log shows ${secret}`)
    }
    issues.push(...stderr.split('\n').filter(isFatal))
    assert.deepEqual(await verify(this.#dataDir), stopped, 'the journal gives the same state')
    issues.push(reservesLeft(this.#dataDir))
    return issues.filter((issue) => issue !== '').join('\n')
  }

  /** The last log lines of a process that ended by itself within `DYING_MS`; else ''. */
  async lastWords(): Promise<string> {
    const late = new Promise((resolve) => {
      AbortSignal.timeout(DYING_MS).addEventListener('abort', resolve)
    })
    await Promise.race([this.#server.ended, late])
    if (!this.#hasEnded || this.#isStopped) return ''
    const lines = this.#server.stderr.split('\n').filter((line) => !isCalm(line))
    return `the process ended: ${lines.join('\n').slice(-2000)}`
  }

  end(): void {
    this.#subscriptions.close()
    this.#server.signal('SIGKILL')
  }

  /**
   * Proves that the silence meant something: only the owner receives events of an order of its own.
   */
  async #received(): Promise<string> {
    const { actors, quiet } = this.setting
    const issue = this.#subscriptions.issue(actors, this.#known.owned)
    if (issue !== '') return issue
    // A socket whose token was revoked meanwhile would end with the next frame instead.
    this.#subscriptions.close()
    await this.prepare()
    const { trader } = actorOf(actors, 'owner')
    const wanted = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: 1000, type: 'GTC' } as const
    const { order } = await this.#client.placed(trader, quiet, { ...wanted, salt: 2 ** 42 })
    this.#known.owned.add(order.id)
    if (!(await this.#subscriptions.receivesOf(order.id)))
      return 'the owner receives nothing of its order'
    return this.#subscriptions.issue(actors, this.#known.owned)
  }

  async #cancelAll(): Promise<string> {
    const { actors, pools, quiet, packs } = this.setting
    await this.#calm()
    for (const { slug } of packs.legs) await this.#cancelIn(packs.dealer, slug)
    for (const actor of actors.values()) {
      await this.#revive(actor)
      const { children } = marksOf(closing(actor), this.setting)
      const isPartner = actor.role === 'partner' || actor.role === 'owner'
      const ends = isPartner ? children.map((id) => `?onBehalfOf=${id}`) : []
      const slugs = [...new Set([quiet.slug, ...pools.markets, ...pools.spares])]
      for (const path of slugs.flatMap((slug) => ['', ...ends].map((end) => slug + end))) {
        const issue = await this.#cancelIn(actor.trader, path)
        if (issue !== '') return issue
      }
    }
    return ''
  }

  /** Cancels all orders of an actor in one market; an order just entering it needs the next try. */
  async #cancelIn(trader: Trader, path: string): Promise<string> {
    const target = `/orders/all/${path}`
    const call = { method: 'DELETE', target, body: Buffer.alloc(0) }
    const endMs = performance.now() + IDLE_MS
    for (;;) {
      const headers = hmacHeaders(call, trader, 'none')
      const { status, text } = await plainCall(this.#port, { method: 'DELETE', target, headers })
      if (status === 200 || status === 404) return ''
      if (status !== 207 || performance.now() > endMs) return `${target}: ${status} ${text}`
    }
  }

  /** Waits until nothing is under way and no connection is left; returns what stays too long. */
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

/** The document is full of examples, which belong to nobody. */
const DOCUMENT = 'GET /openapi.json'

function levelOf(line: string): number {
  return Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? Number.NaN)
}

function isFatal(line: string): boolean {
  return levelOf(line) >= FATAL_LEVEL
}

function isCalm(line: string): boolean {
  return levelOf(line) < FATAL_LEVEL
}

/** The shares in a reply about positions, without their worth: trades of others change that. */
function sharesIn(reply: string): unknown[] {
  const { clob, amm } = shaped(positionsShape, JSON.parse(reply))
  return [
    clob.map(({ market, tokensBalance }) => [market.id, tokensBalance]),
    amm.map(({ market, outcomeIndex, outcomeTokenAmount }) => [
      market.id,
      outcomeIndex,
      outcomeTokenAmount,
    ]),
  ]
}

const positionsShape = compile(
  openObject({
    clob: list(openObject({ market: ofMarket(), tokensBalance: openObject({}) })),
    amm: list(
      openObject({ market: ofMarket(), outcomeIndex: integer(), outcomeTokenAmount: text() }),
    ),
  }),
)

function ofMarket() {
  return openObject({ id: integer(1) })
}

/** An empty plan of this actor, which selects the actor's marks. */
function closing({ role }: Actor): Plan {
  const speaker = { role, proof: 'hmac', flaw: 'none' } as const
  return { route: '', speaker, params: {}, query: {}, resigned: false, edits: [] }
}
