// The visitor as a trader: a session, whose cookie the page cannot read, and an API token that
// signs orders and cancels. The token is kept for this browser: a reload needs no new signature.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { Signal } from '../page/signal.ts'
import { call, type Method, proven, Refused } from './api.ts'
import { hmacOf } from './hmac.ts'
import type { ExchangeInfo, Signer } from './shapes.ts'
import { hexOf, injectedWallet, keySigner, walletSigner } from './signer.ts'

export interface Profile {
  readonly id: number
  readonly account: string
  readonly displayName: string
  readonly effectiveFeeRateBps: number | null
}

interface KeptToken {
  readonly account: string
  readonly tokenId: string
  readonly secret: string
}

export interface DemoTrader {
  readonly profileId: ProfileId
  readonly account: string
  readonly privateKey: string
}

const KEPT = 'trader-token'
const DEMO = 'demo-trader'
/** Whose session the cookie of this browser is: other pages of it follow. */
const VISITOR = 'visitor'
const LABEL = 'console'
/** What the exchange says of an API token that it does not know any more. */
const REVOKED = 'API_KEY_INVALID'

/** A session that has ended already is as good as one that ends now. */
async function endedOr(ending: Promise<unknown>): Promise<void> {
  try {
    await ending
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error
  }
}

function keptToken(account: string): KeptToken | null {
  const text = localStorage.getItem(KEPT)
  if (text === null) return null
  const kept: KeptToken = JSON.parse(text)
  return kept.account === account ? kept : null
}

export class Trader {
  /** Null while nobody is logged in. */
  readonly profile = new Signal<Profile | null>(null)
  readonly #info: ExchangeInfo
  readonly #onChange: () => void
  #signer: Signer | null = null
  #token: KeptToken | null = null

  /** `onChange` is called when another visitor begins: the streams need a new handshake then. */
  constructor(info: ExchangeInfo, onChange: () => void) {
    this.#info = info
    this.#onChange = onChange
    addEventListener('storage', ({ key }) => {
      if (key === VISITOR) void this.#follow()
    })
  }

  /** Another page of this browser logged in or out, and all of them share one cookie. */
  async #follow(): Promise<void> {
    this.#signer = null
    this.#token = null
    await this.resume()
    this.#onChange()
  }

  /** Goes on with the session of an earlier visit, when there is one. */
  async resume(): Promise<void> {
    try {
      const profile = await call<Profile>('GET', '/profiles/me')
      this.#token = keptToken(profile.account)
      this.profile.set(profile)
    } catch {
      this.profile.set(null)
    }
  }

  async loginByWallet(): Promise<void> {
    const wallet = injectedWallet()
    if (wallet === undefined) throw new Error('This browser has no wallet.')
    await this.#login(await walletSigner(wallet))
  }

  async loginAsDemo(trader: DemoTrader): Promise<void> {
    await this.#login(await keySigner(trader.privateKey))
    sessionStorage.setItem(DEMO, trader.privateKey)
  }

  async logout(): Promise<void> {
    const token = this.#token
    if (token !== null) await this.#revoke(token.tokenId)
    await endedOr(call('POST', '/auth/logout'))
    this.ended()
  }

  /** Ends the sessions of all browsers. */
  async logoutEverywhere(): Promise<void> {
    const token = this.#token
    if (token !== null) await this.#revoke(token.tokenId)
    await endedOr(call('DELETE', '/auth/sessions'))
    this.ended()
  }

  /** The session is over, here or elsewhere. */
  ended(): void {
    if (this.profile.value === null) return
    this.#forget()
    this.#onChange()
  }

  #forget(): void {
    localStorage.removeItem(KEPT)
    localStorage.removeItem(VISITOR)
    sessionStorage.removeItem(DEMO)
    this.#token = null
    this.#signer = null
    this.profile.set(null)
  }

  /** A call signed by the API token of this browser, which is made at the first such call. */
  async signed<T>(method: Method, path: string, body?: object): Promise<T> {
    const token = await this.#tokenNow()
    try {
      return await this.#signedBy<T>(token, method, path, body)
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== REVOKED) throw error
    }
    // The token was revoked elsewhere; the session still may make another.
    if (this.#token === token) this.#token = null
    return this.#signedBy<T>(await this.#tokenNow(), method, path, body)
  }

  #signedBy<T>(token: KeptToken, method: Method, path: string, body?: object): Promise<T> {
    const [prefix] = this.#info.headerPrefixes
    const prove = async (_method: Method, _path: string, text: string) => {
      const timestamp = new Date().toISOString()
      const signature = hmacOf(token.secret, `${timestamp}\n${method}\n${path}\n${text}`)
      return {
        [`${prefix}api-key`]: token.tokenId,
        [`${prefix}timestamp`]: timestamp,
        [`${prefix}signature`]: signature,
      }
    }
    return proven<T>(prove, method, path, body)
  }

  /** Who signs orders. After a reload a wallet is asked again, and a demo trader is known. */
  async signer(): Promise<Signer> {
    if (this.#signer !== null) return this.#signer
    const key = sessionStorage.getItem(DEMO)
    const wallet = injectedWallet()
    if (key === null && wallet === undefined) throw new Error('Log in again to sign orders.')
    const signer = key !== null ? await keySigner(key) : wallet && (await walletSigner(wallet))
    const account = this.profile.value?.account
    if (signer === undefined || signer.account.toLowerCase() !== account?.toLowerCase()) {
      throw new Error('The wallet shows another account than the one that is logged in.')
    }
    this.#signer = signer
    return signer
  }

  async #login(signer: Signer): Promise<void> {
    const message = await call<string>('GET', `/auth/signing-message?account=${signer.account}`)
    const headers = {
      'x-account': signer.account,
      'x-signing-message': hexOf(message),
      'x-signature': await signer.signText(message),
    }
    await call('POST', '/auth/login', { body: { client: 'eoa' }, headers })
    this.#signer = signer
    const profile = await call<Profile>('GET', '/profiles/me')
    this.#token = keptToken(profile.account)
    localStorage.setItem(VISITOR, `${profile.account} ${Date.now()}`)
    this.profile.set(profile)
    this.#onChange()
  }

  async #tokenNow(): Promise<KeptToken> {
    if (this.#token !== null) return this.#token
    const { profile } = this
    if (profile.value === null) throw new Error('Log in first.')
    const body = { label: LABEL, scopes: ['trading'] }
    const made = await call<{ tokenId: string; secret: string }>(
      'POST',
      '/auth/api-tokens/derive',
      { body },
    )
    const { tokenId, secret } = made
    this.#token = { account: profile.value.account, tokenId, secret }
    localStorage.setItem(KEPT, JSON.stringify(this.#token))
    return this.#token
  }

  /** One that was revoked before is as good. */
  async #revoke(tokenId: string): Promise<void> {
    await call('DELETE', `/auth/api-tokens/${encodeURIComponent(tokenId)}`).catch(() => {})
  }
}
