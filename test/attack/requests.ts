import { headersFor, type Trader } from '../support/exchange-client.ts'
import { headerLines } from '../support/raw-client.ts'
import { handshakeOf, textFrame, upgradeText } from '../support/socket-client.ts'

// The bytes that attackers send.

export function plain(
  method: string,
  path: string,
  rest: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): string {
  const { headers = {}, body = '' } = rest
  const length = body === '' ? '' : `content-length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}${length}\r\n${body}`
}

/** A call signed with the trader's token. */
export function signed(trader: Trader, method: string, path: string, body = ''): string {
  return plain(method, path, { headers: headersFor(trader, { method, path, body }), body })
}

/** The handshake of a socket, with a token or without. */
export function upgrade(trader?: Trader): string {
  return upgradeText(trader === undefined ? {} : handshakeOf(trader, Date.now()))
}

export function says(event: string, payload?: unknown): Buffer {
  return textFrame(
    `42/markets,${JSON.stringify(payload === undefined ? [event] : [event, payload])}`,
  )
}
