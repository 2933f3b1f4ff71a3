import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ShareRule } from '../../engine/domain/fair-share.ts'
import { REJECT, type RejectName } from '../../engine/domain/reject-precedence.ts'
import { SHARED_TABLES, SUB_ACCOUNT_SHARE } from '../../engine/domain/shared-tables.ts'
import { TOOLS } from '../../server/api/mcp/mcp.ts'
import { api } from '../../server/api/routes.ts'
import { DOCUMENTED_CHANNELS, DOCUMENTED_EVENTS } from '../../server/api/streams/schema/asyncapi.ts'
import { SERVE_ROWS } from '../../server/config.ts'
import {
  ADDRESS_RATES,
  eachRateClass,
  PROFILE_RATES,
  type Rate,
} from '../../server/edge/http/access/rate-limit.ts'
import { refuse } from '../../server/messages/refusal.ts'
import type { AnySetting } from '../../server/settings/flags.ts'
import { CONTRACT_LIMITS, NAMED_CALLS } from './contract-names.ts'
import { CONTRACT_CALLS, CONTRACT_CHANNELS, type ContractRow } from './contract-rows.ts'
import { SEVERAL_FORMS } from './field-forms.ts'
import { fieldUses } from './field-table.ts'

// The tables of the documents that follow from the code, and their places. `make docs` writes them;
// a test compares them.

const FOLDER = new URL('../../server/docs/', import.meta.url)

/** The text of each document, by its path from the top of the repository. */
export function readDocuments(): Map<string, string> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md'))
  const pages = names.map((name) => `server/docs/${name}`)
  const root = new URL('../../', import.meta.url)
  return new Map(
    ['README.md', ...pages.sort()].map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
  )
}

/** A table between its marks in one page. */
export interface DocTable {
  readonly page: string
  readonly mark: string
  readonly text: string
}

const cell = (text: string) => text.replaceAll('|', '\\|')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

function routes(): string {
  const rows = api.map(({ method, path, auth, about }) => {
    const { accepts, welcomes = [] } = auth
    const stated = [...accepts, ...welcomes].map(({ scheme, scopes, role = '' }) => {
      return [scheme, ...scopes, role].join(' ').trim()
    })
    const callers = [...(accepts.length === 0 ? ['open'] : []), ...stated]
    return [method, `\`${path}\``, callers.join(', '), about]
  })
  return table(['method', 'path', 'caller', 'what it does'], rows)
}

function tools(): string {
  const rows = TOOLS.map(({ name, route }) => {
    const [scope = '–'] = route.auth.accepts.flatMap(({ scopes }) => scopes)
    return [`\`${name}\``, `\`${route.method} ${route.path}\``, scope, route.about]
  })
  return table(['tool', 'call', 'scope', 'what it does'], rows)
}

/** The routes whose replies may be kept. */
function caching(): string {
  const rows = api.flatMap(({ path, cache: own, sharedCache }) => {
    const cache = sharedCache ?? own
    if (!cache.isPublic) return []
    const refusals = cache.refusals.map(([name, text]) => `\`${name}\`: \`${text}\``)
    return [[`\`${path}\``, `\`${cache.replies}\``, refusals.join(', ') || '–']]
  })
  return table(['GET', 'replies', 'refusals'], rows)
}

function defaultOf({ flag, fallback, kind }: AnySetting): string {
  // This default depends on the machine.
  if (flag === 'edge-threads') return 'cores − 3'
  if (fallback === undefined) return 'none'
  if (fallback === false) return 'off'
  if (kind.show !== undefined) return kind.show(fallback)
  return Array.isArray(fallback) ? fallback.join(',') : String(fallback)
}

function settings(): string {
  const rows = SERVE_ROWS.map((row) => {
    const flag = `--${row.flag} ${row.kind.shape}`.trimEnd()
    return [`\`${cell(flag)}\``, defaultOf(row), cell(row.help)]
  })
  return table(['flag', 'default', 'meaning'], rows)
}

function refusals(): string {
  const rows = Object.values(REJECT).map((reject) => {
    const { status, body } = refuse(reject)
    const stated: { code: string; message: string } = JSON.parse(body)
    return [`\`${stated.code}\``, String(status), cell(stated.message)]
  })
  return table(['code', 'status', 'message'], rows)
}

function rates(): string {
  const stated = ({ perSecond, burst }: Rate) => `${perSecond}/s, burst ${burst}`
  const flags = new Set(SERVE_ROWS.map(({ flag }) => flag))
  const rows = Object.entries(
    eachRateClass((rateClass) => {
      const named = [`address-rate-${rateClass}`, `rate-${rateClass}`].filter((flag) =>
        flags.has(flag),
      )
      const ofProfile = named.length < 2 ? '–' : stated(PROFILE_RATES[rateClass])
      return [
        stated(ADDRESS_RATES[rateClass]),
        ofProfile,
        named.map((flag) => `\`--${flag}\``).join(', '),
      ]
    }),
  )
  const lines = rows.map(([rateClass, cells]) => [rateClass, ...cells])
  return table(['rate class', 'per address', 'per profile', 'flags'], lines)
}

function channels(): string {
  const rows = DOCUMENTED_CHANNELS.map(({ name, isPrivate, events, about }) => {
    const frames = events.map((each) => `\`${each.name}\``).join(', ')
    return [`\`${name}\``, isPrivate ? 'signed' : 'open', frames, about]
  })
  return table(['channel', 'caller', 'frames', 'content'], rows)
}

function events(): string {
  const rows = DOCUMENTED_EVENTS.map(({ name, about }) => [`\`${name}\``, about])
  return table(['frame', 'meaning'], rows)
}

/** A place of the form, and whether there are others. */
function placesOf(name: string, form: string, uses: ReturnType<typeof fieldUses>): string {
  const places = uses.filter((use) => use.name === name && use.form === form)
  const [first, ...others] = [...new Set(places.map(({ at }) => at))]
  return `${form} (\`${first}\`${others.length === 0 ? '' : ' and others'})`
}

function severalForms(): string {
  const uses = fieldUses()
  const rows = Object.entries(SEVERAL_FORMS).map(([name, [why, ...forms]]) => {
    const places = forms.map((form) => placesOf(name, form, uses))
    return [`\`${name}\``, cell(places.join('; ')), cell(why)]
  })
  return table(['field', 'its forms', 'why'], rows)
}

/** Rows of the contract, each with the test that answers it. */
function contract(rows: readonly ContractRow[]): string {
  const lines = rows.map(({ of, what, file, test }) => {
    const calls = of.map((each) => (/[/_]/.test(each) ? `\`${each}\`` : each)).join(', ')
    return [what, calls, `\`test/${file}.test.ts\`: ${test}`]
  })
  return table(['row of the contract', 'here', 'test'], lines)
}

/** The table of the metrics, read from the text of GET /metrics. */
export function metricsTable(exposition: string): DocTable {
  const helps = [...exposition.matchAll(/^# HELP (\S+) (.+)$/gm)]
  const rows = helps.map(([, name, help]) => [`\`${name}\``, cell(help)])
  return { page: 'metrics', mark: 'metrics', text: table(['metric', 'meaning'], rows) }
}

type SharedName = keyof typeof SHARED_TABLES

/** What a row of each shared table is, and the refusals of an owner and of a full table. */
const SHARED_ROWS: Readonly<Record<SharedName, readonly [string, ...RejectName[]]>> = {
  tokens: ['API tokens', 'TOKEN_LIMIT'],
  sessions: ['sessions; the oldest of the profile is ended', 'SESSION_LIMIT'],
  withdrawalAddresses: ['listed withdrawal addresses', 'WITHDRAWAL_ADDRESS_LIMIT'],
  orderGroups: ['order groups', 'ORDER_GROUP_LIMIT'],
  calls: ['remembered calls that move money', 'CALL_LIMIT'],
  poolApprovals: ['approvals of pools', 'APPROVAL_LIMIT', 'POOL_CAPACITY'],
  poolTrades: ['unmined trades with pools', 'POOL_CAPACITY'],
  packs: ['open packs', 'PACK_LIMIT', 'PACK_CAPACITY'],
  offers: ['open offers of packs', 'OFFER_LIMIT', 'PACK_CAPACITY'],
  follows: ['follows', 'FOLLOW_LIMIT', 'SOCIAL_CAPACITY'],
  bookmarks: ['bookmarks', 'BOOKMARK_LIMIT', 'SOCIAL_CAPACITY'],
}

function isShared(name: string): name is SharedName {
  return name in SHARED_TABLES
}

function sharedTables(): string {
  const figure = (count: number) => count.toLocaleString('en')
  const between = ({ most, floor }: ShareRule) => `${figure(most)} to ${figure(floor)}`
  const rows = Object.keys(SHARED_TABLES)
    .filter(isShared)
    .map((name) => {
      const { capacity, owner, partner } = SHARED_TABLES[name]
      const [what, ...rejects] = SHARED_ROWS[name]
      // A login needs the wallet of the sub-account, so sessions are not counted for partners.
      const ofPartner = name === 'sessions' ? '–' : between(partner)
      const refusals = rejects.map((each) => `\`${each}\``).join(', ')
      return [what, figure(capacity), between(owner), ofPartner, refusals]
    })
  const profiles = 'sub-accounts, of all profiles'
  rows.push([
    profiles,
    figure(SUB_ACCOUNT_SHARE.capacity),
    '–',
    between(SUB_ACCOUNT_SHARE),
    '`SUB_ACCOUNT_LIMIT`',
  ])
  return table(
    ['resource', 'total', 'a profile', 'a partner with its sub-accounts', 'refusal'],
    rows,
  )
}

/** All tables that need no running exchange. */
export function docTables(): readonly DocTable[] {
  return [
    { page: 'api', mark: 'routes', text: routes() },
    { page: 'api', mark: 'refusals', text: refusals() },
    { page: 'api', mark: 'caching', text: caching() },
    { page: 'api', mark: 'field-forms', text: severalForms() },
    { page: 'api', mark: 'tools', text: tools() },
    { page: 'api', mark: 'channels', text: channels() },
    { page: 'api', mark: 'events', text: events() },
    { page: 'api', mark: 'contract-calls', text: contract(CONTRACT_CALLS) },
    { page: 'api', mark: 'contract-names', text: contract(NAMED_CALLS) },
    { page: 'api', mark: 'contract-channels', text: contract(CONTRACT_CHANNELS) },
    { page: 'api', mark: 'contract-limits', text: contract(CONTRACT_LIMITS) },
    { page: 'operating', mark: 'settings', text: settings() },
    { page: 'operating', mark: 'rates', text: rates() },
    { page: 'operating', mark: 'shared-tables', text: sharedTables() },
  ]
}

const marks = (mark: string) => [`<!-- ${mark} -->\n`, `\n<!-- /${mark} -->`] as const

/** The text between the marks of a table. */
export function shownTable({ page, mark }: Omit<DocTable, 'text'>): string {
  const text = readFileSync(new URL(`${page}.md`, FOLDER), 'utf8')
  const [begin, end] = marks(mark)
  return text.split(begin)[1]?.split(end)[0] ?? ''
}

/** Puts a table between its marks. */
export function writeTable({ page, mark, text }: DocTable): void {
  const path = fileURLToPath(new URL(`${page}.md`, FOLDER))
  const [begin, end] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->`]
  const before = readFileSync(path, 'utf8')
  const [head, rest = ''] = before.split(begin)
  const tail = rest.slice(rest.indexOf(end))
  assert.ok(tail.startsWith(end), `${page}.md holds the marks of ${mark}`)
  writeFileSync(path, `${head}${begin}${text}\n${tail}`)
}
