// The operator of this page: a token that the tab alone keeps, and calls that show it. It is
// forgotten with the tab, after half an hour without a touch, and when the exchange refuses it.

import { call, type Method, Refused, readText } from '../exchange/api.ts'
import type { Notices } from '../page/notices.tsx'
import { type Signal, signal } from '../page/preact.ts'

const KEPT = 'operator-token'
const IDLE_MS = 30 * 60_000
const LOOK_MS = 30_000
const UNKNOWN_SPEAKER = 401
/** A header carries no other characters. */
const TOKEN = /^[\x21-\x7e]{1,256}$/

interface Kept {
  readonly token: string
  readonly touchedMs: number
}

function kept(): Kept | null {
  const text = sessionStorage.getItem(KEPT)
  if (text === null) return null
  const found: Kept = JSON.parse(text)
  return Date.now() - found.touchedMs < IDLE_MS ? found : null
}

interface CallParams {
  readonly body?: object
  readonly signal?: AbortSignal
}

/** What every view of operators gets. */
export interface OperatorContext {
  readonly access: Access
  readonly notices: Notices
}

export class Access {
  readonly isOpen: Signal<boolean>
  #token: string | null

  constructor() {
    this.#token = kept()?.token ?? null
    this.isOpen = signal(this.#token !== null)
    if (this.#token === null) sessionStorage.removeItem(KEPT)
    for (const event of ['pointerdown', 'keydown']) {
      addEventListener(event, () => this.#touch(), { passive: true })
    }
    setInterval(() => {
      if (this.#token !== null && kept() === null) this.close()
    }, LOOK_MS)
  }

  /** Keeps the token when the exchange knows it. */
  async open(token: string): Promise<void> {
    if (!TOKEN.test(token)) throw new Error('This is no token of an operator.')
    await call('GET', '/admin/trading-modes', { headers: headersOf(token) })
    this.#token = token
    this.#touch()
    this.isOpen.value = true
  }

  close(): void {
    this.#token = null
    sessionStorage.removeItem(KEPT)
    this.isOpen.value = false
  }

  async call<T>(method: Method, path: string, params: CallParams = {}): Promise<T> {
    return this.#watched(
      call<T>(method, path, { ...params, headers: headersOf(this.#token ?? '') }),
    )
  }

  async text(path: string, signal: AbortSignal): Promise<string> {
    return this.#watched(readText(path, { signal, headers: headersOf(this.#token ?? '') }))
  }

  async #watched<T>(running: Promise<T>): Promise<T> {
    const token = this.#token
    try {
      return await running
    } catch (error) {
      const isUnknown = error instanceof Refused && error.status === UNKNOWN_SPEAKER
      if (isUnknown && token === this.#token) this.close()
      throw error
    }
  }

  #touch(): void {
    if (this.#token === null) return
    const now: Kept = { token: this.#token, touchedMs: Date.now() }
    sessionStorage.setItem(KEPT, JSON.stringify(now))
  }
}

function headersOf(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
