// The traders and markets of a load, made through the admin API.

import { randomBytes } from 'node:crypto'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { integer, text } from '../../edge/http/schema/scalars.ts'
import { type Checker, compile, list, object, openObject } from '../../edge/http/schema/schema.ts'
import { accountOf } from '../../edge/intake/order/client-order.ts'
import { Failure } from '../../shell.ts'
import { accepted, send } from '../client.ts'
import type { LoadLine } from './load-line.ts'
import type { LoadMarket, LoadTrader, Venue } from './load-plan.ts'

/** Of one trader, and of all: the exchange limits the deposits of all its profiles. */
const FUNDS_RAW = { each: 10_000_000_000_000, all: 1_000_000_000_000_000 }
const KEY_BYTES = 32
const NAME_RADIX = 36

const info = compile(
  openObject({
    chain: openObject({ chainId: integer(1), domainName: text() }),
    headerPrefixes: list(text()),
    rateLimits: openObject({ profile: list(openObject({})) }),
  }),
)
const profile = compile(
  openObject({ profileId: integer(1), account: text(), tokenId: text(), secret: text() }),
)
const balance = compile(openObject({ freeRaw: integer() }))
const market = compile(
  openObject({
    slug: text(),
    tokens: object({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
  }),
)

function shaped<T>(shape: Checker<T>, value: unknown, url: string): T {
  if (shape.holds(value)) return value
  throw new Failure(`${url} does not answer like an exchange of this version.`)
}

export interface LoadVenue extends Venue {
  /** Whether the exchange limits the rates of its callers. */
  readonly isLimited: boolean
}

export class LoadAdmin {
  readonly #line: LoadLine

  constructor(line: LoadLine) {
    this.#line = line
  }

  async make(): Promise<LoadVenue> {
    const { url, traders, markets } = this.#line
    const headers = {}
    const reply = await send(url, { method: 'GET', path: '/exchange-info', headers, body: '' })
    const { chain, headerPrefixes, rateLimits } = shaped(info, accepted(reply), url)
    const [headerPrefix] = headerPrefixes
    const name = Date.now().toString(NAME_RADIX)
    const madeTraders: LoadTrader[] = []
    for (let each = 0; each < traders; each++) madeTraders.push(await this.#trader(headerPrefix))
    const madeMarkets: LoadMarket[] = []
    for (let each = 1; each <= markets; each++) {
      madeMarkets.push(await this.#market(`load-${name}-${each}`))
    }
    return {
      domain: { name: chain.domainName, chainId: chain.chainId },
      traders: madeTraders,
      markets: madeMarkets,
      isLimited: rateLimits.profile.length > 0,
    }
  }

  /**
   * Resolves the markets, which cancels what rests and frees their books, and takes back the
   * collateral that is left.
   */
  async end({ markets, traders }: Venue): Promise<void> {
    for (const { slug } of markets) {
      await this.#call(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
    }
    for (const { profileId } of traders) {
      const freeRaw = await this.#credit(profileId, 1)
      await this.#credit(profileId, -freeRaw)
    }
  }

  /** Returns the free balance. */
  async #credit(profileId: ProfileId, collateralRaw: number): Promise<number> {
    const reply = await this.#call('/admin/balances', { profileId, collateralRaw })
    return shaped(balance, reply, this.#line.opsUrl).freeRaw
  }

  async #trader(headerPrefix: string): Promise<LoadTrader> {
    const privateKey = randomBytes(KEY_BYTES)
    const made = await this.#call('/admin/profiles', {
      account: accountOf(privateKey),
      rank: 'Bronze',
      apiToken: { scopes: ['trading'] },
    })
    const fields = shaped(profile, made, this.#line.opsUrl)
    const { profileId, account, tokenId, secret } = fields
    const share = Math.floor(FUNDS_RAW.all / this.#line.traders)
    await this.#credit(profileId, Math.min(FUNDS_RAW.each, share))
    return { profileId, account, tokenId, secret, headerPrefix, privateKey }
  }

  async #market(slug: string): Promise<LoadMarket> {
    const body = { kind: 'clob', slug, title: `Load test ${slug}`, fee: false }
    const made = shaped(market, await this.#call('/admin/markets', body), this.#line.opsUrl)
    const { tokens, venue } = made
    return { slug, tokenIds: [tokens.yes, tokens.no], exchange: venue.exchange }
  }

  async #call(path: string, body: object): Promise<unknown> {
    const { opsUrl, adminToken } = this.#line
    const headers = {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
    }
    return accepted(
      await send(opsUrl, { method: 'POST', path, headers, body: JSON.stringify(body) }),
    )
  }
}
