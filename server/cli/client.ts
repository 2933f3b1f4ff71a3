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

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return codeOf(cause) || cause.message
}

export async function send(baseUrl: string, request: Request): Promise<Reply> {
  const { method, path, headers, body } = request
  try {
    const response = await fetch(urlOf(baseUrl, path), {
      method,
      headers: { ...headers },
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(body === '' ? {} : { body }),
    })
    return { status: response.status, body: parsed(await response.text()) }
  } catch (error) {
    throw new Failure(
      `No exchange answers at ${baseUrl} (${causeOf(error)}): start one with \`make run\`, ` +
        'or name its address with --url.',
    )
  }
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
