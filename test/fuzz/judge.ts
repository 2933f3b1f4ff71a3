import { STATUS_CODES } from 'node:http'
import { LIMITS } from '../../engine/domain/limits.ts'
import { api } from '../../server/api/routes.ts'
import { openApi } from '../../server/edge/http/openapi.ts'
import { Router } from '../../server/edge/http/router.ts'
import { at } from '../support/json-path.ts'
import { followed, isTree, responsesOf } from '../support/openapi-tree.ts'
import { WEAK_SCOPES } from './actors.ts'
import { parsed, parsedText } from './answers.ts'
import { type FuzzRoute, nameOf, type Plan } from './plan.ts'
import type { Rendered } from './render.ts'
import { BENT_SMUGGLES, OPENING_SMUGGLES } from './smuggle.ts'
import type { Answer, Exchanged } from './socket.ts'
import type { Role } from './speaker.ts'
import { numbersAt } from './subscribers.ts'
import { bringsProof } from './talk.ts'

// What an answer to any request must be: one that its route names, of the promised shape, and free
// of what only others may know.

const router = new Router<FuzzRoute>()
for (const route of api) router.add(route.method, route.path, route)

const document: unknown = JSON.parse(
  JSON.stringify(
    openApi(api, {
      title: 'x',
      version: '1',
      headerPrefix: 'svc-',
      cookieName: 'outcomex_session',
    }),
  ),
)

/** The refusals that a route names in the document, like `400 VALIDATION`. */
function namedRefusals(route: FuzzRoute): ReadonlySet<string> {
  const path = route.path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}')
  const found = new Set<string>()
  for (const [status, response] of Object.entries(
    responsesOf(document, path, route.method.toLowerCase()),
  )) {
    const examples = at(response, 'content', 'application/json', 'examples')
    for (const example of isTree(examples) ? Object.values(examples) : []) {
      found.add(`${status} ${at(followed(document, example), 'value', 'code')}`)
    }
  }
  return found
}

const refusalsOf = new Map(api.map((route) => [route, namedRefusals(route)]))
/** Refusals of any request: the gateway gives them before there is a route or a body. */
const ANYWHERE = new Set([
  '404 PATH_NOT_FOUND',
  '405 METHOD_NOT_ALLOWED',
  '503 OVERLOADED',
  '503 NOT_READY',
  '413 BODY_TOO_LARGE',
  '415 BODY_ENCODED',
  '408 BODY_TIMEOUT',
  '429 RATE_LIMITED',
  '411 LENGTH_REQUIRED',
  '400 HOST_INVALID',
  '400 TARGET_INVALID',
  '400 BODY_MALFORMED',
])
/** Statuses by which the parser itself answers bytes that are not HTTP. */
const PARSER = new Set([400, 408, 411, 413, 414, 431, 501, 505])

/** The route that answers the request, or null. */
export function answeringRoute({ parts }: Rendered): FuzzRoute | null {
  return answeringRouteOf(parts)
}

function answeringRouteOf(parts: Rendered['parts']): FuzzRoute | null {
  const path = parts.target.split('?')[0]
  const method = parts.method === 'HEAD' ? 'GET' : parts.method
  return router.find(method, path).target
}

export interface Secrets {
  /** Texts that no reply may show unless the request held them or the reply mints them. */
  readonly always: ReadonlySet<string>
  /** Texts that only the owner and the operator may see. */
  readonly owned: ReadonlySet<string>
  /** The profiles that each role may act for: its own and its sub-accounts. */
  readonly families: ReadonlyMap<Role, ReadonlySet<number>>
}

/** What is wrong with the answers, or ''. */
export function judge(
  plan: Plan,
  rendered: Rendered,
  exchanged: Exchanged,
  secrets: Secrets,
): string {
  const { answers, late, received } = exchanged
  const leaked = leakIn(plan, rendered, received, secrets)
  if (leaked !== '') return leaked
  const broken = answers.find((each) => each.status === 500)
  if (broken !== undefined) return `500 ${broken.text.slice(0, 300)}`
  if (rendered.bytes.cutAt !== undefined) return ''
  if (rendered.wireTrick !== '') {
    return answers.map((answer) => parserIssue(answer)).find((issue) => issue !== '') ?? ''
  }
  const [answer] = answers
  if (answer === undefined && mayHang(plan)) return ''
  if (answer === undefined) return late ? 'no reply in time' : `no reply: ${received.slice(0, 200)}`
  const issue = answerIssue(plan, rendered, answer)
  return issue === '' ? foreignIssue(plan, rendered, answer, secrets) : issue
}

/** Whether the bytes may be no request; the parser then answers in its own words or not at all. */
export function mayHang({ edits }: Plan): boolean {
  return edits.some((edit) => edit.at === 'smuggle' && BENT_SMUGGLES.has(edit.name))
}

const WHOSE = new Set(['ownerId', 'onBehalfOf'])

/** What is wrong with a success that concerns a profile which the caller may not act for, or ''. */
function foreignIssue(
  { speaker, edits }: Plan,
  { parts }: Rendered,
  answer: Answer,
  { families }: Secrets,
): string {
  const own = families.get(speaker.role)
  if (own === undefined || speaker.proof === 'admin' || answer.status >= 300) return ''
  const route = answeringRouteOf(parts)
  if (route === null || route.auth.accepts.length === 0) return ''
  if (edits.some((edit) => edit.at === 'smuggle' && OPENING_SMUGGLES.has(edit.name))) return ''
  const inReply = numbersAt(parsed(answer), WHOSE).find((id) => !own.has(id))
  if (inReply !== undefined) return `a reply about profile ${inReply}: ${answer.text.slice(0, 300)}`
  // A reply with several results names the profile in each of them.
  if (!(ON_BEHALF in route.headers) || at(parsed(answer), 'results') !== undefined) return ''
  const other = targetsOf(parts, route).find((id) => !own.has(id))
  return other === undefined ? '' : `${answer.status} on behalf of ${other}`
}

/** The profiles that the request names in header, query and body as those it acts for. */
function targetsOf({ headers, target, body }: Rendered['parts'], route: FuzzRoute): number[] {
  const inHeaders = headers
    .filter(([name]) => name.toLowerCase() === ON_BEHALF)
    .map(([, value]) => Number(value.replace(DROPPED, '')))
  const query = new URLSearchParams(target.split('?').slice(1).join('?'))
  const inQuery = 'onBehalfOf' in route.query ? query.getAll('onBehalfOf').map(Number) : []
  const named = route.body === null ? undefined : at(parsedText(`${body}`), 'onBehalfOf')
  return [...inHeaders, ...inQuery, ...(typeof named === 'number' ? [named] : [])]
}

const ON_BEHALF = 'x-on-behalf-of'

function leakIn(
  { speaker }: Plan,
  { bytes }: Pick<Rendered, 'bytes'>,
  received: string,
  { always, owned }: Pick<Secrets, 'always' | 'owned'>,
): string {
  const isOwners =
    (speaker.role === 'owner' && speaker.flaw === 'none') || speaker.proof === 'admin'
  const requested = bytes.bytes.toString('utf8')
  for (const secret of isOwners ? always : [...always, ...owned]) {
    if (received.includes(secret) && !requested.includes(secret)) return `the reply shows ${secret}`
  }
  return ''
}

function parserIssue(answer: Answer): string {
  const { status } = answer
  if (status < 500 || PARSER.has(status)) return ''
  return status === 503 ? retryIssue(answer) : `${status} ${answer.text.slice(0, 200)}`
}

function retryIssue({ headers }: Answer): string {
  const after = headers.get('retry-after') ?? ''
  return /^[1-9][0-9]{0,3}$/.test(after) ? '' : `a Retry-After of "${after}"`
}

function answerIssue(plan: Plan, rendered: Rendered, answer: Answer): string {
  const { status } = answer
  const route = answeringRoute(rendered)
  const isHead = rendered.parts.method === 'HEAD'
  const isReply = route?.others.includes(status) === true && !isRefusal(answer)
  if (isReply || (status >= 200 && status < 300)) return successIssue(plan, route, answer, isHead)
  if (status === 429 || status === 503) {
    const issue = retryIssue(answer)
    if (issue !== '') return issue
  }
  // The parser takes some paths for no request at all, and refuses them in its own words.
  const isOdd =
    rendered.pathTrick !== '' || !METHODS.has(rendered.parts.method) || isBent(plan, rendered)
  if (isOdd && PARSER.has(status) && parsed(answer) === undefined) return ''
  if (status < 400 || (status >= 500 && status !== 503)) return `status ${status}: ${answer.text}`
  return isHead ? '' : refusalIssue(route, answer)
}

const BLANK_LINE = '\r\n\r\n'

/** Whether the parser itself may refuse the head. */
function isBent({ edits }: Plan, { bytes }: Rendered): boolean {
  const headBytes = bytes.bytes.indexOf(BLANK_LINE) + BLANK_LINE.length
  return headBytes > LIMITS.headBytesMax || edits.some(({ at: kind }) => kind === 'smuggle')
}

function isRefusal(answer: Answer): boolean {
  return at(parsed(answer), 'statusCode') !== undefined
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

function successIssue(
  plan: Plan,
  route: FuzzRoute | null,
  answer: Answer,
  isHead: boolean,
): string {
  const { status } = answer
  if (route === null) return `${status} where there is no route`
  if (!isHonest(plan, route)) return `${status} to a worthless proof`
  if (status !== route.status && !route.others.includes(status)) {
    return `${status}, and ${nameOf(route)} names ${route.status}`
  }
  if (isHead) return answer.text === '' ? '' : 'the answer to HEAD has a body'
  if (!route.produces.includes('application/json')) return ''
  const issues = route.replyIssues(parsed(answer) ?? null)
  return issues.length === 0 ? '' : `a reply breaks its schema: ${JSON.stringify(issues)}`
}

/** The library drops bytes at the end of a header value that are not printable ASCII. */
const DROPPED = /[^!-~]+$/

/** Whether the proof may open this route. */
function isHonest(plan: Plan, route: FuzzRoute): boolean {
  const { flaw, proof, role } = plan.speaker
  if (!isWalletHonest(plan, route)) return false
  const { accepts, welcomes = [] } = route.auth
  const isChecked = HEADED.has(proof) && welcomes.some(({ scheme }) => scheme === proof)
  // An edit may take the proof away, and a call without one is welcome.
  if (isChecked) return !SPOILT.has(flaw) || plan.edits.length > 0
  if (accepts.length === 0) return true
  const brings = plan.edits.some((edit) => edit.at === 'smuggle' && OPENING_SMUGGLES.has(edit.name))
  if (brings) return true
  const accepted = accepts.find(({ scheme }) => scheme === proof)
  if (accepted === undefined || role === 'nobody') return false
  if (flaw !== 'scope') return flaw === 'none'
  return accepted.scheme === 'hmac' && accepted.scopes.every((scope) => WEAK_SCOPES.includes(scope))
}

/** Proofs in a header; a cookie that is worthless counts as none. */
const HEADED = new Set(['hmac', 'identity'])
/** Flaws that leave the proof in its place and make it worthless. */
const SPOILT = new Set(['secret', 'stale', 'signature'])

/** A login needs the three headers of a wallet, and they must belong together. */
function isWalletHonest({ edits }: Plan, { path }: FuzzRoute): boolean {
  if (path !== '/auth/login') return true
  const wallet = edits.find((edit) => edit.at === 'wallet')
  return wallet?.at === 'wallet' && wallet.flaw === 'none'
}

const RETRY_LINE = /\r\nretry-after: *[1-9][0-9]{0,3}\r\n/i

/** What is wrong with what a socket connection received, or ''. */
export function judgeTalk(
  plan: Plan,
  talk: { readonly received: string; readonly joins: boolean; readonly requested: Buffer },
  ownProfileId: number,
  secrets: Pick<Secrets, 'always' | 'owned'>,
): string {
  const { received, joins, requested } = talk
  const leaked = leakIn(plan, { bytes: { bytes: requested } }, received, secrets)
  if (leaked !== '') return leaked
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? '0')
  // A refusal by a bound of the sockets says when to come back.
  if (status === 429 || status === 503) return RETRY_LINE.test(received) ? '' : received
  if (status >= 500 && status !== 505) return `status ${status} to a handshake`
  // A fault in a message ends only its own socket, but is a defect all the same.
  const broken = received.indexOf('"code":"INTERNAL"')
  if (broken !== -1) return `a socket broke: ${received.slice(Math.max(0, broken - 200))}`
  const { proof, flaw } = plan.speaker
  const isProof = bringsProof(plan.speaker)
  const isRight = isProof && (flaw === 'none' || (flaw === 'scope' && proof === 'hmac'))
  const named = /\["authenticated",\{"message":"Authenticated","profileId":(\d+)/.exec(received)
  if (named !== null && !isRight) return 'a socket is authenticated by a worthless proof'
  if (named !== null && Number(named[1]) !== ownProfileId) return `a socket speaks as ${named[1]}`
  if (!joins) return ''
  if (named === null && isRight)
    return `a right handshake is not accepted: ${received.slice(0, 500)}`
  const isReported = received.includes('["exception"')
  return isProof && !isRight && !isReported ? 'a wrong handshake gets no exception' : ''
}

function refusalIssue(route: FuzzRoute | null, answer: Answer): string {
  const { status, text } = answer
  const body = parsed(answer)
  const code = at(body, 'code')
  const shown = `${status} ${text.slice(0, 300)}`
  if (at(body, 'statusCode') !== status)
    return `a refusal whose statusCode is not its status: ${shown}`
  if (at(body, 'error') !== STATUS_CODES[status])
    return `a refusal whose error does not name its status: ${shown}`
  const message = at(body, 'message')
  const isList = Array.isArray(message) && message.length > 0 && message.every(isIssue)
  if (!isList && (typeof message !== 'string' || message === '')) return `no message: ${shown}`
  const name = `${status} ${code}`
  if (ANYWHERE.has(name)) return ''
  if (route === null) return `${name} where there is no route`
  const isNamed = refusalsOf.get(route)?.has(name) ?? false
  return isNamed ? '' : `a refusal that ${nameOf(route)} does not name: ${shown}`
}

function isIssue(value: unknown): boolean {
  return typeof at(value, 'field') === 'string' && typeof at(value, 'message') === 'string'
}
