import { headerLines } from '../support/raw-client.ts'

// What no honest client sends, by name: bodies that are not JSON or are too large, paths that some
// reader takes for another path, and bytes that break the rules of HTTP itself.

export type BodyTrick = (body: Buffer, number: number) => Buffer

const NEST = 20_000
const LONG = 64 * 1024

function around(body: Buffer, before: string, after: string): Buffer {
  return Buffer.concat([Buffer.from(before), body, Buffer.from(after)])
}

/** Applied before the call is signed: the signature is right, the body is not. */
export const BODY_TRICKS: Readonly<Record<string, BodyTrick>> = {
  cut: (body, number) => body.subarray(0, number % (body.length + 1)),
  deepArray: () => Buffer.from('['.repeat(NEST) + ']'.repeat(NEST)),
  deepObject: () => Buffer.from(`${'{"a":'.repeat(NEST / 2)}1${'}'.repeat(NEST / 2)}`),
  hugeText: () => Buffer.from(JSON.stringify({ a: 'x'.repeat(LONG - 100) })),
  tooLarge: () => Buffer.from(JSON.stringify({ a: 'x'.repeat(LONG + 100) })),
  hugeNumber: () => Buffer.from(`{"a":1${'0'.repeat(60_000)}}`),
  manyKeys: () => Buffer.from(`{${Array.from({ length: 5000 }, (_, i) => `"k${i}":1`).join()}}`),
  protoKeys: () => Buffer.from('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
  sameKey: (body) => (around(body, '', '').subarray(0, -1).length > 1 ? doubled(body) : body),
  byteOrderMark: (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  brokenUtf8: (body, number) => {
    const broken = Buffer.from(body)
    if (broken.length > 0) broken[number % broken.length] = 0xc0 | (number & 0x3f)
    return broken
  },
  flippedByte: (body, number) => {
    const flipped = Buffer.from(body)
    if (flipped.length > 0) flipped[number % flipped.length] ^= 1 << (number % 8)
    return flipped
  },
  surrogate: (body) => Buffer.from(body.toString().replace(/:"[^"]*"/, ':"\\ud800"')),
  nulEscape: (body) => Buffer.from(body.toString().replace(/:"[^"]*"/, ':"a\\u0000b"')),
  spaces: (body) => around(body, ' '.repeat(30_000), '\n'.repeat(30_000)),
  trailing: (body) => around(body, '', '{}'),
  notJson: () => Buffer.from("{a: 'b',}"),
  form: () => Buffer.from('a=b&c=d'),
  empty: () => Buffer.alloc(0),
  bareNumber: () => Buffer.from('-0'),
  bareNull: () => Buffer.from('null'),
  bytes: (_body, number) =>
    Buffer.from(Array.from({ length: 64 }, (_, i) => (number >> (i % 16)) & 255)),
}

/** Writes each field twice, so that two readers may see two bodies. */
function doubled(body: Buffer): Buffer {
  const text = body.toString()
  const inner = text.slice(1, -1)
  return text.startsWith('{') && inner !== '' ? Buffer.from(`{${inner},${inner}}`) : body
}

export type PathTrick = (path: string, number: number) => string

/** Applied to the path before the call is signed. */
export const PATH_TRICKS: Readonly<Record<string, PathTrick>> = {
  trailingSlash: (path) => `${path}/`,
  doubleSlash: (path) => `/${path}`,
  innerSlashes: (path) => path.replaceAll('/', '//'),
  dotSegment: (path) => `/.${path}`,
  upSegment: (path) => `${path}/../health`,
  encodedUp: (path) => `${path}/%2e%2e/health`,
  encodedSlash: (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  encodedLetter: (path) =>
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  encodedNul: (path) => `${path}%00`,
  overlong: (path) => `${path}%c0%af`,
  halfPercent: (path) => `${path}%`,
  badPercent: (path) => `${path}%zz`,
  surrogate: (path) => `${path}%ED%A0%80`,
  upperCase: (path) => path.toUpperCase(),
  semicolon: (path) => `${path};a=b`,
  plus: (path) => `${path}+`,
  backslash: (path) => path.replaceAll('/', '\\'),
  absolute: (path) => `http://elsewhere.invalid${path}`,
  star: () => '*',
  none: () => '/',
  long: (path) => `${path}/${'a'.repeat(2000)}`,
  manySegments: (path) => path + '/a'.repeat(500),
  fragment: (path) => `${path}#x`,
  proto: (path) => path.replace(/\/[^/]*$/, '/__proto__'),
  latin1: (path) => `${path}\u00e9`,
}

/** The parts of a request before they become bytes. */
export interface Parts {
  method: string
  target: string
  headers: [string, string][]
  body: Buffer
}

/** How the bytes of a request are sent; without `cutAt` all of them are. */
export interface Bytes {
  readonly bytes: Buffer
  /** The client disconnects after this many bytes. */
  readonly cutAt?: number
  /** The client half-closes after the last byte. */
  readonly finishes?: boolean
  /** The number of bytes in each write. */
  readonly chunk?: number
  /** The number of requests inside, when there are several. */
  readonly requests?: number
}

export function textOf({ method, target, headers, body }: Parts): Buffer {
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${headerLines(headers)}\r\n`, 'latin1'),
    body,
  ])
}

function withHeaders(
  parts: Parts,
  change: (headers: [string, string][]) => [string, string][],
): Bytes {
  return { bytes: textOf({ ...parts, headers: change(parts.headers) }) }
}

function isLength([name]: [string, string]): boolean {
  return name === 'content-length'
}

const without = (headers: [string, string][]) => headers.filter((each) => !isLength(each))

function chunked(parts: Parts, size: number, ending: string): Bytes {
  const chunks: Buffer[] = []
  for (let at = 0; at < parts.body.length; at += size) {
    const chunk = parts.body.subarray(at, at + size)
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  const headers: [string, string][] = [...without(parts.headers), ['transfer-encoding', 'chunked']]
  const body = Buffer.concat([...chunks, Buffer.from(ending)])
  return { bytes: textOf({ ...parts, headers, body }) }
}

export type WireTrick = (parts: Parts, number: number) => Bytes

/** Applied after the call is signed. */
export const WIRE_TRICKS: Readonly<Record<string, WireTrick>> = {
  lengthShort: (parts) =>
    withHeaders(parts, (headers) => [
      ...without(headers),
      ['content-length', `${Math.floor(parts.body.length / 2)}`],
    ]),
  lengthLong: (parts) => ({
    ...withHeaders(parts, (headers) => [
      ...without(headers),
      ['content-length', `${parts.body.length + 10}`],
    ]),
    finishes: true,
  }),
  lengthHuge: (parts) =>
    withHeaders(parts, (headers) => [
      ...without(headers),
      ['content-length', '99999999999999999999'],
    ]),
  lengthNegative: (parts) =>
    withHeaders(parts, (headers) => [...without(headers), ['content-length', '-1']]),
  lengthText: (parts) =>
    withHeaders(parts, (headers) => [...without(headers), ['content-length', '1e2']]),
  lengthTwice: (parts) =>
    withHeaders(parts, (headers) => [...headers, ['content-length', '3'], ['content-length', '4']]),
  lengthNone: (parts) => withHeaders(parts, without),
  chunked: (parts, number) => chunked(parts, 1 + (number % 300), '0\r\n\r\n'),
  chunkedUnended: (parts) => ({ ...chunked(parts, 100, ''), finishes: true }),
  chunkedBroken: (parts) => chunked(parts, 100, 'zz\r\nabc\r\n0\r\n\r\n'),
  chunkedAndLength: (parts) => {
    const { body } = parts
    return withHeaders({ ...parts, body: Buffer.from('0\r\n\r\n') }, (headers) => [
      ...without(headers),
      ['content-length', `${body.length}`],
      ['transfer-encoding', 'chunked'],
    ])
  },
  otherType: (parts, number) =>
    withHeaders(parts, (headers) => [
      ...headers.filter(([name]) => name !== 'content-type'),
      ['content-type', ['text/plain', 'application/xml', '', 'multipart/form-data'][number % 4]],
    ]),
  headerFlood: (parts, number) =>
    withHeaders(parts, (headers) => [
      ...headers,
      ...Array.from({ length: number % 400 }, (_, i): [string, string] => [`x-${i}`, 'y']),
    ]),
  longHeader: (parts, number) =>
    withHeaders(parts, (headers) => [...headers, ['x-long', 'y'.repeat(number % 20_000)]]),
  sameHeaders: (parts) =>
    withHeaders(parts, (headers) => [...headers, ...headers.filter((h) => !isLength(h))]),
  emptyHeaders: (parts) => withHeaders(parts, (headers) => headers.map(([name]) => [name, ''])),
  oddHeader: (parts) =>
    withHeaders(parts, (headers) => [...headers, ['x-odd', '\u0001\u00ff\u0000']]),
  noHost: (parts) => withHeaders(parts, (headers) => headers.filter(([name]) => name !== 'host')),
  twice: (parts) => ({ bytes: Buffer.concat([textOf(parts), textOf(parts)]), requests: 2 }),
  healthBehind: (parts) => ({
    bytes: Buffer.concat([textOf(parts), Buffer.from('GET /health HTTP/1.1\r\nhost: x\r\n\r\n')]),
    requests: 2,
  }),
  smuggled: (parts) => ({
    bytes: textOf({
      ...parts,
      headers: [...parts.headers, ['transfer-encoding', 'identity']],
    }),
  }),
  oldVersion: (parts) => ({
    bytes: Buffer.from(textOf(parts).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1'),
  }),
  newVersion: (parts) => ({
    bytes: Buffer.from(textOf(parts).toString('latin1').replace('HTTP/1.1', 'HTTP/9.9'), 'latin1'),
  }),
  bareNewlines: (parts) => ({
    bytes: Buffer.from(textOf(parts).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    finishes: true,
  }),
  leaves: (parts, number) => {
    const bytes = textOf(parts)
    return { bytes, cutAt: number % (bytes.length + 1) }
  },
  leavesAtEnd: (parts) => {
    const bytes = textOf(parts)
    return { bytes, cutAt: bytes.length }
  },
  halfCloses: (parts) => ({ bytes: textOf(parts), finishes: true }),
  inPieces: (parts, number) => ({ bytes: textOf(parts), chunk: 50 + (number % 400) }),
  upgrade: (parts) =>
    withHeaders(parts, (headers) => [
      ...headers,
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
      ['sec-websocket-key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
      ['sec-websocket-version', '13'],
    ]),
  expects: (parts) => withHeaders(parts, (headers) => [...headers, ['expect', '100-continue']]),
}
