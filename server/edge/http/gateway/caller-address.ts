// The address of a caller: the peer of its connection, or the address that a trusted proxy names.

import { isIP } from 'node:net'
import { addressKey } from '../../../auth/networks.ts'
import type { Call } from '../../../messages/call.ts'
import type { RateClass, RateLimiter } from '../access/rate-limit.ts'
import { type ClusterCell, FORWARDED } from '../forwarding/cluster-cell.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { NativeResponse } from './native.ts'

type Connection = Pick<NativeResponse, 'getRemoteAddressAsText'>
type Head = Pick<Call, 'method' | 'target' | 'headers'>

interface CallerAddressOptions
  extends Pick<GatewayOptions<never>, 'addressLimiter' | 'addressHeader'> {
  /** Absent for an exchange of one node. */
  readonly cell?: ClusterCell | undefined
}

/** Finds the addresses of callers and limits the rate of each. */
export class CallerAddresses {
  readonly #limiter: RateLimiter<string> | null
  /** Lower-case name; '' when no proxy is trusted. */
  readonly #proxyHeader: string
  readonly #cell: ClusterCell | null

  constructor(options: CallerAddressOptions) {
    this.#cell = options.cell ?? null
    this.#limiter = options.addressLimiter ?? null
    this.#proxyHeader = options.addressHeader ?? ''
  }

  /**
   * The address as text, IPv6 fully expanded. A header not ending in an address is ignored. A node
   * that forwards a call names the address of its caller.
   */
  of(response: Connection, call: Head): string {
    const { headers } = call
    const proof = this.#cell === null ? undefined : headers.get(FORWARDED)
    const named = proof === undefined ? null : this.#cell?.addressOf(call, proof, Date.now())
    return named ?? addressOf(response, headers.get(this.#proxyHeader) ?? '')
  }

  /** The key of the caller's rate limit; '' when addresses have no limit. */
  keyOf(response: Connection, call: Head): string {
    return this.#limiter === null ? '' : addressKey(this.of(response, call))
  }

  /** The same of a request for a socket, which no node forwards. */
  keyOfSocket(response: Connection, headers: ReadonlyMap<string, string>): string {
    if (this.#limiter === null) return ''
    return addressKey(addressOf(response, headers.get(this.#proxyHeader) ?? ''))
  }

  /** The address under which a socket is counted; '' when the trusted proxy names none. */
  ownerOf(response: Connection, headers: ReadonlyMap<string, string>): string {
    const isNamed = this.#proxyHeader === '' || lastAddress(headers.get(this.#proxyHeader) ?? '')
    if (!isNamed) return ''
    return addressKey(addressOf(response, headers.get(this.#proxyHeader) ?? ''))
  }

  /** Takes one token of a rate class; returns 0, or the seconds until the caller may retry. */
  waitSec(key: string, rateClass: RateClass, nowMs: number): number {
    if (key === '') return 0
    return this.#limiter?.take(key, rateClass, nowMs) ?? 0
  }
}

function addressOf(response: Connection, proxySays: string): string {
  return lastAddress(proxySays) || Buffer.from(response.getRemoteAddressAsText()).toString()
}

/** Each proxy appends the address that it saw, so a caller cannot forge the last entry. */
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
