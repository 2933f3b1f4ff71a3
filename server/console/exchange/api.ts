// Calls of the REST API of the exchange that served this page.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A call that the exchange refused; its message is the sentence of the exchange. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  /** The whole refusal, for callers that know its code. */
  readonly body: unknown

  constructor(status: number, code: string, sentence: string, body: unknown) {
    super(sentence)
    this.status = status
    this.code = code
    this.body = body
  }
}

const UNREACHED = 'The exchange cannot be reached: look at your connection and try again.'
const UNSURE =
  'The exchange cannot be reached. What you sent may have arrived: look before you send it again.'

/** A call without an answer. Its reader cannot know whether one that changes something arrived. */
export class Unreached extends Error {
  readonly isUnsure: boolean

  constructor(method: Method) {
    super(method === 'GET' ? UNREACHED : UNSURE)
    this.isUnsure = method !== 'GET'
  }
}

/** The sentence of a failed call. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The codes for a session that is over, and for a browser that sends no cookie. */
const SESSION_OVER: ReadonlySet<string> = new Set([
  'SESSION_INVALID',
  'COOKIE_REQUIRED',
  'UNAUTHENTICATED',
])
const overListeners = new Set<() => void>()

export function isSessionOver(code: unknown): boolean {
  return typeof code === 'string' && SESSION_OVER.has(code)
}

/** Called when any call of this page is refused because its session is over. */
export function onSessionOver(listener: () => void): void {
  overListeners.add(listener)
}

/** Proves a call: gives the headers to send with it. */
export type Prove = (method: Method, path: string, body: string) => Promise<Record<string, string>>

const RETRIES = 3
const MS_PER_SEC = 1000

interface RefusalBody {
  readonly message?: string | readonly { readonly field: string; readonly message: string }[]
  readonly code?: string
}

function sentenceOf({ message }: RefusalBody, status: number): string {
  if (typeof message === 'string') return message
  if (message === undefined) return `The exchange answered ${status}.`
  return message.map((each) => `${each.field} ${each.message}`.trim()).join('; ')
}

async function refusedOf(response: Response): Promise<Refused> {
  const text = await response.text()
  let body: RefusalBody = {}
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy may answer with a page.
  }
  const code = body.code ?? ''
  if (isSessionOver(code)) for (const listener of overListeners) listener()
  return new Refused(response.status, code, sentenceOf(body, response.status), body)
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

interface Call {
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

async function send(method: Method, path: string, { body, headers, signal }: Call) {
  const text = body === undefined ? null : JSON.stringify(body)
  const json: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' }
  return fetch(path, {
    method,
    headers: { ...json, ...headers },
    body: text,
    signal: signal ?? null,
    credentials: 'same-origin',
  }).catch((error: unknown) => {
    // This is how a browser reports that it could not connect.
    throw error instanceof TypeError ? new Unreached(method) : error
  })
}

async function bodyOf(response: Response) {
  if (!response.ok) throw await refusedOf(response)
  const text = await response.text()
  return text === '' ? null : JSON.parse(text)
}

/** An open read. One that the exchange has no time for is sent again a few times. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    const response = await send('GET', path, { signal })
    const isBusy = response.status === 503 || response.status === 429
    if (!isBusy || tries === RETRIES) return bodyOf(response)
    await wait(Number(response.headers.get('retry-after') ?? 1) * MS_PER_SEC, signal)
  }
}

/** A read whose reply is a text. */
export async function readText(path: string, { headers, signal }: Call): Promise<string> {
  const response = await send('GET', path, { headers: headers ?? {}, signal })
  if (!response.ok) throw await refusedOf(response)
  return response.text()
}

/** A call in the session of the visitor, whose cookie the browser sends, or of an open route. */
export async function call<T>(method: Method, path: string, more: Call = {}): Promise<T> {
  return bodyOf(await send(method, path, more))
}

/** A call that is proven by headers. */
export async function proven<T>(
  prove: Prove,
  method: Method,
  path: string,
  body?: object,
): Promise<T> {
  const headers = await prove(method, path, body === undefined ? '' : JSON.stringify(body))
  return call(method, path, { body, headers })
}
