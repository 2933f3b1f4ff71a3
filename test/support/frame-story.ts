import assert from 'node:assert/strict'
import { at, textAt } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from './live-orders.ts'
import type { Reply } from './replies.ts'
import { handshakeOf, SocketClient } from './socket-client.ts'

// Stories of orders over HTTP, and the frames that the owner of each order receives over the
// socket. A line of a story places an order or does something else:
//
//   alice  ask   buy no 3 @600            a GTC, unless the line names another type
//   bob    take  buy yes 8 @420 FAK cancel_taker post-only until:5
//   bob    take  buy yes spend 2 FOK      the market form, as `sell yes all 2 FOK` is
//   alice  cancels ask
//   alice  reduces ask to 2               a decrease that leaves so many shares open
//   alice  replaces ask by next buy no 5 @590
//   take   received 3                        waits until its owner has received three frames of it
//   take   silent                         its owner has received nothing of it
//   clock  60000                          the clock moves on by so many milliseconds
//   dora   heartbeat 6000
//   operator resolve                      or `operator fault FAILED`, for the next trade
//
// Sizes are shares, prices ticks of the order's own token. All orders of a story are in one market.

const SHARE = 1_000_000
const ORDER = /^(buy|sell) (yes|no) (?:(spend|all) )?([\d.]+)(?: @(\d+))?(.*)$/

export class Cast {
  readonly live: LiveExchange
  readonly traders: ReadonlyMap<string, Trader>
  readonly clients: ReadonlyMap<string, SocketClient>

  private constructor(
    live: LiveExchange,
    traders: ReadonlyMap<string, Trader>,
    clients: ReadonlyMap<string, SocketClient>,
  ) {
    this.live = live
    this.traders = traders
    this.clients = clients
  }

  /** Opens traders who have money and listen. */
  static async open(live: LiveExchange, names: readonly string[]): Promise<Cast> {
    const traders = new Map<string, Trader>()
    const clients = new Map<string, SocketClient>()
    for (const name of names) {
      const trader = await live.trader(100_000 * SHARE)
      traders.set(name, trader)
      clients.set(name, await listening(live, trader))
    }
    return new Cast(live, traders, clients)
  }

  trader(name: string): Trader {
    const found = this.traders.get(name)
    assert(found !== undefined, `there is a trader ${name}`)
    return found
  }

  client(name: string): SocketClient {
    const found = this.clients.get(name)
    assert(found !== undefined, `${name} listens`)
    return found
  }

  close(): void {
    for (const client of this.clients.values()) client.close()
  }
}

/** A client that gets the events of these channels for a trader. */
export async function listening(
  live: LiveExchange,
  trader: Trader,
  channels: readonly string[] = ['subscribe_order_events'],
): Promise<SocketClient> {
  const headers = handshakeOf(trader, live.nowMs())
  const client = await SocketClient.open(live.port, { headers })
  for (const channel of channels) client.socket.emit(channel)
  await client.take('system', channels.length)
  return client
}

export const framesOf = (client: SocketClient, orderId: string): unknown[] =>
  client.of('orderEvent').filter((frame) => at(frame, 'orderId') === orderId)

/** A frame in the words of a table: `PLACEMENT 5`, `MATCHED 8 @0.41`, `EXECUTION FILLED 0 @1`. */
export function wordsOf(frame: unknown): string {
  const type = String(at(frame, 'type'))
  if (at(frame, 'source') === 'SETTLEMENT') {
    const shares = Number(at(frame, 'amountContracts')) / SHARE
    return type === 'MATCHED' ? `MATCHED ${shares} @${at(frame, 'price')}` : type
  }
  const size = Number(at(frame, 'remainingSize')) / SHARE
  if (type === 'EXECUTION') return `${type} ${at(frame, 'status')} ${size} @${at(frame, 'price')}`
  const reason = at(frame, 'reason')
  return `${type} ${size}${reason === undefined ? '' : ` ${reason}`}`
}

interface Placed {
  readonly who: string
  readonly orderId: string
}

export class Story {
  readonly #cast: Cast
  readonly #market: LiveMarket
  readonly #orders = new Map<string, Placed>()

  private constructor(cast: Cast, market: LiveMarket) {
    this.#cast = cast
    this.#market = market
  }

  static async open(cast: Cast, slug: string, fields: object = {}): Promise<Story> {
    return new Story(cast, await cast.live.openMarket(slug, fields))
  }

  get market(): LiveMarket {
    return this.#market
  }

  order(name: string): Placed {
    const found = this.#orders.get(name)
    assert(found !== undefined, `there is an order ${name}`)
    return found
  }

  async line(text: string): Promise<void> {
    const [who, name, ...rest] = text.trim().split(/\s+/)
    if (who === 'clock') this.#cast.live.shiftClock(Number(name))
    else if (name === 'received') await this.received(who, Number(rest[0]))
    else if (name === 'silent') assert.deepEqual(await this.all(who), [])
    else if (who === 'operator') await this.#operate(name, rest)
    else if (name === 'cancels') await this.#cancel(who, rest[0])
    else if (name === 'reduces') await this.#reduce(who, rest[0], Number(rest[2]))
    else if (name === 'replaces') await this.#replace(who, rest)
    else if (name === 'heartbeat') await this.#beat(who, Number(rest[0]))
    else await this.#place(who, name, rest.join(' '))
  }

  /** The words that an order's owner received, once there are `count` of them. */
  async received(name: string, count: number): Promise<string[]> {
    const { who, orderId } = this.order(name)
    const client = this.#cast.client(who)
    await client.until(() => framesOf(client, orderId).length >= count)
    return framesOf(client, orderId).map(wordsOf)
  }

  /** All words of an order so far: a fence order shows that earlier frames have arrived. */
  async all(name: string): Promise<string[]> {
    const { who } = this.order(name)
    const fence = `fence of ${who} ${this.#orders.size}`
    await this.#place(who, fence, 'buy yes 1 @1')
    await this.#cancel(who, fence)
    await this.received(fence, 2)
    return this.received(name, 0)
  }

  async #place(who: string, name: string, words: string): Promise<void> {
    const reply = await this.#send(who, words)
    if (name === 'refused') assert.equal(reply.status, 400, reply.text)
    else {
      assert.equal(reply.status, 201, reply.text)
      this.#orders.set(name, { who, orderId: textAt(reply.body, 'order', 'id') })
    }
  }

  #send(who: string, words: string): Promise<Reply> {
    return this.#cast.live.call(this.#cast.trader(who), 'POST', '/orders', this.#bodyOf(who, words))
  }

  #bodyOf(who: string, words: string): object {
    const found = ORDER.exec(words)
    assert(found !== null, `this is no order: ${words}`)
    const [, side, token, form, size, ticks = '500', more] = found
    const rest = more.trim().split(/\s+/)
    const trader = this.#cast.trader(who)
    const sizeRaw = Math.round(Number(size) * SHARE)
    const outcome = token === 'yes' ? 0 : 1
    const isBuy = side === 'buy'
    const wanted = { side: isBuy ? 'buy' : 'sell', outcome, ticks: Number(ticks), sizeRaw } as const
    const until = rest.find((word) => word.startsWith('until:'))?.slice(6)
    const nowSec = Math.floor(this.#cast.live.nowMs() / 1000)
    const order = {
      ...unsigned(trader, this.#market, wanted),
      ...(form === undefined ? {} : { makerAmount: sizeRaw, takerAmount: 1 }),
      ...(until === undefined ? {} : { expiration: `${nowSec + Number(until)}` }),
    }
    const stpPolicy = rest.find((word) => word.startsWith('cancel_'))
    return {
      order: signedFor(order, trader, this.#market),
      ownerId: trader.profileId,
      orderType: rest.find((word) => /^(GTC|FAK|FOK)$/.test(word)) ?? 'GTC',
      marketSlug: this.#market.slug,
      ...(stpPolicy === undefined ? {} : { stpPolicy }),
      ...(rest.includes('post-only') ? { postOnly: true } : {}),
    }
  }

  async #amend(who: string, name: string, body: object): Promise<Reply> {
    const path = `/orders/${this.order(name).orderId}/amend`
    const reply = await this.#cast.live.call(this.#cast.trader(who), 'POST', path, body)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }

  async #reduce(who: string, name: string, shares: number): Promise<void> {
    await this.#amend(who, name, { remainingSize: String(shares * SHARE) })
  }

  async #replace(who: string, [name, _by, newName, ...words]: readonly string[]): Promise<void> {
    const replacement = this.#bodyOf(who, words.join(' '))
    const reply = await this.#amend(who, name, { replacement })
    this.#orders.set(newName, { who, orderId: textAt(reply.body, 'order', 'id') })
  }

  async #cancel(who: string, name: string): Promise<void> {
    const path = `/orders/${this.order(name).orderId}`
    const reply = await this.#cast.live.call(this.#cast.trader(who), 'DELETE', path)
    assert.equal(reply.status, 200, reply.text)
  }

  async #beat(who: string, aheadMs: number): Promise<void> {
    const body = { cancelAt: this.#cast.live.nowMs() + aheadMs }
    const reply = await this.#cast.live.call(this.#cast.trader(who), 'POST', '/heartbeats', body)
    assert.ok(reply.status < 300, reply.text)
  }

  /** Resolves the market, or sets what the chain does with the next trade. */
  async #operate(act: string, rest: readonly string[]): Promise<void> {
    const { slug } = this.#market
    const calls: Record<string, [path: string, body: object]> = {
      resolve: [`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 }],
      fault: ['/admin/settlement/faults', { next: 1, outcome: rest[0] }],
    }
    const reply = await this.#cast.live.admin(...calls[act])
    assert.ok(reply.status < 300, reply.text)
  }
}
