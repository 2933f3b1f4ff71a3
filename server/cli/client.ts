import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { codeOf } from '../../engine/domain/error-code.ts'
import { signCall } from '../auth/hmac-signature.ts'
import { isoText } from '../messages/iso-text.ts'
import { Failure } from '../shell.ts'

// The client side of the commands that call a running server.

const DEADLINE_MS = 10_000
/** Where `serve` listens without flags. */
export const DEFAULT_URL = 'http://127.0.0.1:3000'

export interface Request {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** '' for no body. */
  readonly body: string
}

export interface Reply {
  readonly status: number
  /** Parsed JSON, or the text when it is no JSON. */
  readonly body: unknown
}

export interface Credentials {
  readonly tokenId: string
  /** Base64. */
  readonly secret: string
  readonly headerPrefix: string
}

function urlOf(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export interface RawReply {
  readonly status: number
  readonly bytes: Buffer
}

/** Makes a call; throws Failure if no whole reply comes. */
export async function sendRaw(baseUrl: string, request: Request): Promise<RawReply> {
  try {
    return await exchanged(urlOf(baseUrl, request.path), request)
  } catch (error) {
    const why = codeOf(error) || (error instanceof Error ? error.message : String(error))
    throw new Failure(
      `No exchange answers at ${baseUrl} (${why}): start one with \`make run\`, ` +
        'or name its address with --url.',
    )
  }
}

/**
 * Makes a call to a URL; rejects if no whole reply comes. `fetch` of Node 20 may neither resolve
 * nor reject when the connection is reset at once: the program would end without a word.
 */
export function exchanged(
  url: string,
  { method, headers, body }: Omit<Request, 'path'>,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const call = url.startsWith('https:') ? secureRequest : plainRequest
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = call(url, { method, headers: { ...headers, ...length }, agent: false })
    const timer = setTimeout(() => {
      sent.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} s`))
    }, DEADLINE_MS)
    sent.on('error', reject)
    sent.on('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection was closed'))
    })
    sent.on('response', (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', reject)
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, bytes: Buffer.concat(parts) }))
    })
    sent.end(body)
  })
}

export async function send(baseUrl: string, request: Request): Promise<Reply> {
  const { status, bytes } = await sendRaw(baseUrl, request)
  return { status, body: parsed(bytes.toString()) }
}

/** A request with the proof of its API token (rules §12.1). */
export function signedRequest(
  call: { readonly method: string; readonly path: string; readonly body: string },
  { tokenId, secret, headerPrefix }: Credentials,
  nowMs: number,
): Request {
  const timestamp = isoText(nowMs)
  const signature = signCall({
    secret: Buffer.from(secret, 'base64'),
    timestamp,
    method: call.method,
    pathWithQuery: call.path,
    body: Buffer.from(call.body, 'utf8'),
  })
  const headers = {
    [`${headerPrefix}api-key`]: tokenId,
    [`${headerPrefix}timestamp`]: timestamp,
    [`${headerPrefix}signature`]: signature,
    ...(call.body === '' ? {} : { 'content-type': 'application/json' }),
  }
  return { ...call, headers }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The request as one command for a POSIX shell. */
export function curlText(baseUrl: string, { method, path, headers, body }: Request): string {
  const lines = [`curl -sS -X ${method} ${quoted(urlOf(baseUrl, path))}`]
  for (const [name, value] of Object.entries(headers))
    lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== '') lines.push(`--data-raw ${quoted(body)}`)
  return lines.join(' \\\n  ')
}

/** The flags or words of the fields of a request. */
type FieldNames = Readonly<Record<string, string>>

/** A refusal in words, with every issue. */
export function refusalText({ status, body }: Reply, names: FieldNames = {}): string {
  const head = `The exchange refused with ${status}`
  if (typeof body !== 'object' || body === null) return `${head}.`
  const message = 'message' in body ? body.message : undefined
  const code = 'code' in body && typeof body.code === 'string' ? ` ${body.code}` : ''
  if (!Array.isArray(message)) return `${head}${code}: ${message}`
  return `${head}${code}: ${message.map((issue) => issueText(issue, names)).join('; ')}`
}

/** The flag or word of a field; a part of a field has the name of the whole field. */
function namedBy(names: FieldNames, field: string): string {
  const known = Object.keys(names).find((name) => field === name || field.startsWith(`${name}.`))
  return known === undefined ? field : names[known]
}

function issueText(issue: unknown, names: FieldNames): string {
  if (typeof issue !== 'object' || issue === null) return String(issue)
  const field = 'field' in issue ? `${namedBy(names, String(issue.field))} ` : ''
  return `${field}${'message' in issue ? issue.message : JSON.stringify(issue)}`
}

/** The body of a reply that is not a refusal. */
export function accepted(reply: Reply, names: FieldNames = {}): unknown {
  if (reply.status >= 200 && reply.status < 300) return reply.body
  throw new Failure(refusalText(reply, names))
}
