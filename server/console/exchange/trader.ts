// The visitor as a trader: a session, whose cookie the page cannot read, and an API token that
// signs orders and cancels. The token is kept for this browser: a reload needs no new signature.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { signal } from '../page/preact.ts'
import { call, isSessionOver, type Method, onSessionOver, proven, Refused } from './api.ts'
import { hmacOf } from './hmac.ts'
import type { ExchangeInfo, Signer } from './shapes.ts'
import { hexOf, injectedWallet, keySigner, walletSigner } from './signer.ts'

export interface Profile {
  readonly id: number
  readonly account: string
  readonly displayName: string
  readonly effectiveFeeRateBps: number | null
}

/** Of an API token in a list. */
interface ListedToken {
  readonly tokenId: string
  readonly label: string | null
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
/** The code for an API token that the exchange does not know any more. */
const REVOKED = 'API_KEY_INVALID'
/** The code for a token that is to be revoked and was revoked already. */
const UNKNOWN = 'TOKEN_UNKNOWN'
const TOKENS = '/auth/api-tokens'

export interface TraderEvents {
  /** Another visitor begins: the streams need a new handshake then. */
  readonly changed: () => void
  /** The session ended somewhere else. */
  readonly over: () => void
}

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
  readonly profile = signal<Profile | null>(null)
  readonly #info: ExchangeInfo
  readonly #events: TraderEvents
  #signer: Signer | null = null
  #token: KeptToken | null = null
  #making: Promise<KeptToken> | null = null
  /** True while this page ends the session itself. */
  #isLeaving = false

  constructor(info: ExchangeInfo, events: TraderEvents) {
    this.#info = info
    this.#events = events
    onSessionOver(() => this.#over())
    addEventListener('storage', ({ key }) => {
      if (key === VISITOR) void this.#follow()
    })
  }

  /** Another page of this browser logged in or out, and all of them share one cookie. */
  async #follow(): Promise<void> {
    this.#signer = null
    this.#token = null
    await this.resume()
    this.#events.changed()
  }

  /** Any call may be the first to learn it, and only the first one publishes it. */
  #over(): void {
    if (this.profile.value === null) return
    this.ended()
    if (!this.#isLeaving) this.#events.over()
  }

  /**
   * Checks that the session is still there; it ends here and this throws when it is not. A token
   * outlives its session, so a page that did not check would continue to trade.
   */
  async confirm(): Promise<void> {
    const { value } = this.profile
    if (value === null) return
    const account = await call<string>('GET', '/auth/verify-auth')
    if (account === value.account) return
    // Another page of this browser has just logged in.
    await this.#follow()
    throw new Error('Another account is logged in now.')
  }

  /** Goes on with the session of an earlier visit, when there is one. */
  async resume(): Promise<void> {
    try {
      const profile = await call<Profile>('GET', '/profiles/me')
      this.#token = keptToken(profile.account)
      this.profile.value = profile
    } catch (error) {
      // Without a session its token has no use here, and nobody else is to find it.
      if (error instanceof Refused && isSessionOver(error.code)) this.#forget()
      else this.profile.value = null
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
    await this.#leave(async () => {
      if (token !== null) await this.#revoke(token.tokenId)
      await endedOr(call('POST', '/auth/logout'))
    })
  }

  /**
   * Ends the sessions of all browsers. The tokens of their consoles come first: each would sign for
   * its browser without a session.
   */
  async logoutEverywhere(): Promise<void> {
    await this.#leave(async () => {
      await endedOr(this.#revokeConsoles())
      await endedOr(call('DELETE', '/auth/sessions'))
    })
  }

  /** Reads under way may fail meanwhile: that is no event, and they get no new token. */
  async #leave(end: () => Promise<void>): Promise<void> {
    this.#isLeaving = true
    try {
      await end()
      this.ended()
    } finally {
      this.#isLeaving = false
    }
  }

  async #revokeConsoles(): Promise<void> {
    const tokens = await call<readonly ListedToken[]>('GET', TOKENS)
    for (const { tokenId, label } of tokens) {
      if (label !== LABEL) continue
      try {
        await call('DELETE', `${TOKENS}/${encodeURIComponent(tokenId)}`)
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== UNKNOWN) throw error
      }
    }
  }

  /** The session is over, here or elsewhere. */
  ended(): void {
    if (this.profile.value === null) return
    this.#forget()
    this.#events.changed()
  }

  #forget(): void {
    localStorage.removeItem(KEPT)
    localStorage.removeItem(VISITOR)
    sessionStorage.removeItem(DEMO)
    this.#token = null
    this.#signer = null
    this.profile.value = null
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

  /** Who signs orders. After a reload the wallet signs in again, and a demo trader is known. */
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
    this.profile.value = profile
    this.#events.changed()
  }

  /** Calls that need a token at the same time make one. */
  #tokenNow(): Promise<KeptToken> {
    this.#making ??= this.#keptOrMade().finally(() => {
      this.#making = null
    })
    return this.#making
  }

  async #keptOrMade(): Promise<KeptToken> {
    if (this.#token !== null) return this.#token
    const { profile } = this
    if (profile.value === null || this.#isLeaving) throw new Error('Log in first.')
    const body = { label: LABEL, scopes: ['trading'] }
    const made = await call<{ tokenId: string; secret: string }>('POST', `${TOKENS}/derive`, {
      body,
    })
    const { tokenId, secret } = made
    this.#token = { account: profile.value.account, tokenId, secret }
    localStorage.setItem(KEPT, JSON.stringify(this.#token))
    return this.#token
  }

  /** One that was revoked before is as good. */
  async #revoke(tokenId: string): Promise<void> {
    await call('DELETE', `${TOKENS}/${encodeURIComponent(tokenId)}`).catch(() => {})
  }
}
