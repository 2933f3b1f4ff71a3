// Where a call comes from: the far end of its connection, or what a trusted proxy in front says.

import type { HttpResponse } from 'uWebSockets.js'
import { isIP } from 'node:net'
import { addressKey, type Lane, type RateLimiter } from '../rate-limit.ts'

type Connection = Pick<HttpResponse, 'getRemoteAddressAsText'>

/** Knows callers by their addresses, and which of them call too often. */
export class CallerAddresses {
  readonly #limiter: RateLimiter<string> | null
  /** Lower case, '' when no proxy is trusted. */
  readonly #proxyHeader: string

  constructor(limiter: RateLimiter<string> | null, proxyHeader: string) {
    this.#limiter = limiter
    this.#proxyHeader = proxyHeader
  }

  /** As text, an IPv6 one with all its digits. A header that ends in no address says nothing. */
  of(response: Connection, headers: ReadonlyMap<string, string>): string {
    return addressOf(response, headers.get(this.#proxyHeader) ?? '')
  }

  /** What its calls are counted under; '' when nothing is counted by address. */
  keyOf(response: Connection, headers: ReadonlyMap<string, string>): string {
    return this.#limiter === null ? '' : addressKey(this.of(response, headers))
  }

  /** Whose socket it is to count; '' when the trusted proxy names nobody. */
  ownerOf(response: Connection, headers: ReadonlyMap<string, string>): string {
    const isNamed = this.#proxyHeader === '' || lastAddress(headers.get(this.#proxyHeader) ?? '')
    return isNamed ? addressKey(this.of(response, headers)) : ''
  }

  /** Seconds until the caller may ask again; 0 for now. */
  waitSec(key: string, lane: Lane, nowMs: number): number {
    return this.#limiter?.take(key, lane, nowMs) ?? 0
  }
}

function addressOf(response: Connection, proxySays: string): string {
  return lastAddress(proxySays) || Buffer.from(response.getRemoteAddressAsText()).toString()
}

/** Each proxy adds what it saw itself: only the last entry is not the caller's word. */
function lastAddress(list: string): string {
  const text = list.slice(list.lastIndexOf(',') + 1).trim()
  const kind = isIP(text)
  if (kind === 0) return ''
  return kind === 4 ? text : spelledOut(text)
}

function spelledOut(address: string): string {
  const [plain] = address.split('%')
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const [head, tail = ''] = short.split('::')
  const [left, right] = [head, tail].map((part) => part.split(':').filter((each) => each !== ''))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((each) => each.padStart(4, '0')).join(':')
}
