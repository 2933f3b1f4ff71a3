import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../engine/domain/limits.ts'
import { FAULT_VARIABLE } from '../engine/thread/fault-point.ts'
import { api } from '../server/api/routes.ts'
import { allCommands, commands } from '../server/cli/commands.ts'
import { SERVE_ROWS } from '../server/config.ts'
import { anchors } from '../server/docs/markdown.ts'
import { openApi } from '../server/edge/http/openapi.ts'
import { FRAME_RATES } from '../server/edge/sockets/frame-rates.ts'
import { serveCommand } from '../server/start/serve-command.ts'
import { VERSION } from '../server/version.ts'
import { docTables, readDocuments, shownTable } from './support/doc-tables.ts'
import { at } from './support/json-path.ts'
import { readTree } from './support/source-tree.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README_LINES_MAX = 150
const documents = readDocuments()
/** The changelog describes earlier versions, so it need not hold today. */
const current = new Map([...documents].filter(([path]) => !path.endsWith('/changelog.md')))
const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Fenced blocks are not prose: they hold no link and no heading. */
const prose = (text: string) => text.replaceAll(/^```.*?^```/gms, '')
/** Text in fences and in backticks, without shell comments. */
function codeOf(text: string): string {
  const fenced = [...text.matchAll(/^```.*?^```/gms)].map(([block]) => block)
  const inline = [...prose(text).matchAll(/`([^`]+)`/g)].map(([, span]) => span)
  return [...fenced, ...inline].join('\n').replaceAll(/\s#.*$/gm, '')
}

function anchorsOf(text: string): Set<string> {
  const anchor = anchors()
  return new Set([...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading)))
}

/** Why a relative link of a document is broken, or ''. */
function linkFault(from: string, link: string): string {
  const [file, anchor = ''] = link.split('#')
  const path = file === '' ? from : posix.join(posix.dirname(from), file)
  if (!existsSync(`${ROOT}${path}`)) return `${from}: ${link} is no file`
  if (anchor === '' || anchorsOf(textOf(path)).has(anchor)) return ''
  return `${from}: ${link} is no heading`
}

test('the README fits a few screens', () => {
  const lines = textOf('README.md').trimEnd().split('\n').length
  assert.ok(lines <= README_LINES_MAX, `${lines} lines`)
})

test('README and benchmarks.md each have one place for the figures of make bench-readme', () => {
  for (const path of ['README.md', 'server/docs/benchmarks.md']) {
    const marks = textOf(path).match(/^<!-- \/?bench -->$/gm)
    assert.deepEqual(marks, ['<!-- bench -->', '<!-- /bench -->'], path)
  }
})

test('the figures of the README are ten lines about one machine, without a commit', () => {
  const [, block = ''] = textOf('README.md').split(/^<!-- \/?bench -->$/m)
  const [origin = '', ...lines] = block.trim().split('\n')
  assert.match(origin, /^Measured on .*\.$/)
  assert.doesNotMatch(origin, /\bat [0-9a-f]{7}\b/)
  const figures = lines.filter((line) => line.startsWith('| ')).slice(1)
  assert.ok(figures.length <= 10, `${figures.length} figures`)
  assert.doesNotMatch(block, /\| -\d/)
})

test('every relative link of a document leads to a file and a heading', () => {
  const links = [...documents].flatMap(([path, text]) =>
    [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => [path, link] as const),
  )
  const relative = links.filter(([, link]) => !/^https?:/.test(link))
  assert.ok(relative.length > 20, 'links are found')
  const faults = relative.map(([path, link]) => linkFault(path, link)).filter((each) => each !== '')
  assert.deepEqual(faults, [])
  assert.match(linkFault('README.md', 'server/docs/api.md#nothing'), /is no heading/)
  assert.match(linkFault('README.md', 'nothing.md'), /is no file/)
})

test('every bound in the operator documentation stands in the code', () => {
  const known = new Set<string>(['1,024', '2^53 − 1', `2^${Math.log2(LIMITS.fundedRawMax)}`])
  const add = (value: unknown): void => {
    if (typeof value === 'number') known.add(value.toLocaleString('en'))
    else for (const each of Object.values(value ?? {})) add(each)
  }
  const { bookSendsPerSec, ...bytes } = FRAME_RATES
  add([bookSendsPerSec, ...Object.values(bytes).map((each) => each / 2 ** 20)])
  add({ ...LIMITS, shares: LIMITS.orderSizeRawMax / 1e6, slots: LIMITS.orderSlotsMax - 1 })
  const rows = shownTable({ page: 'operating', mark: 'bounds' }).split('\n').slice(2)
  const reported = rows.flatMap((row) => row.match(/2\^53 − 1|2\^51|\d+(?:,\d{3})*/g) ?? [])
  assert.ok(reported.length > 15, 'bounds are found')
  assert.deepEqual(
    reported.filter((each) => !known.has(each)),
    [],
  )
})

test('tables of routes, refusals and settings agree with the code; else run make docs', () => {
  for (const table of docTables()) assert.equal(shownTable(table), table.text, table.mark)
})

test('the documented channels of the sockets are those of the code', () => {
  const sources = readTree(ROOT).filter(({ path }) =>
    /^server\/(edge\/sockets|api\/streams)\//.test(path),
  )
  const inCode = sources
    .filter(({ path }) => !path.includes('/schema/'))
    .flatMap(({ text }) => text.match(/'subscribe_[a-z_]+'/g) ?? [])
  const known = new Set(inCode.map((each) => each.replaceAll("'", '')))
  const page = documents.get('server/docs/api.md') ?? ''
  const rows = [...page.matchAll(/^\| `(subscribe_[a-z_]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(rows.sort(), [...known].sort())
})

test('the bot guide says what to do for every refusal that a trading call names', () => {
  const page = documents.get('server/docs/trading.md') ?? ''
  const rows = page.slice(page.indexOf('## Refusals'), page.indexOf('## A bot in TypeScript'))
  const reported = new Set([...rows.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code))
  const trading = api.filter(({ rateClass }) => rateClass === 'trade')
  const document = openApi(trading, {
    title: 'x',
    version: '1',
    headerPrefix: 'svc-',
    cookieName: 'outcomex_session',
  })
  const schemas: object = Object(at(document, 'components', 'schemas'))
  const named = Object.entries(schemas)
    .filter(([name]) => /Refusal\d?$/.test(name))
    .flatMap(([, schema]) => at(schema, 'properties', 'code', 'const') ?? [])
  const unreported = [...new Set(named)].filter((code) => !reported.has(String(code).toUpperCase()))
  assert.deepEqual(unreported, [])
  assert.ok(trading.length > 5 && named.length > 40, 'routes and refusals are found')
})

test('every call that a document names is a route', () => {
  const known = new Set(api.map(({ method, path }) => `${method} ${path}`))
  // Socket.IO answers this path.
  known.add('GET /socket.io/')
  const calls = [...current].flatMap(([path, text]) =>
    [...codeOf(text).matchAll(/\b(GET|POST|PUT|PATCH|DELETE)\s+(\/[\w/:.-]*)/g)].map(
      ([, method, target]) => [path, `${method} ${target}`] as const,
    ),
  )
  assert.ok(calls.length > 30, 'calls are found')
  const unknown = calls.filter(([, call]) => !known.has(call))
  assert.deepEqual(unknown, [])
})

test('every make target that a document names exists', () => {
  const makefile = textOf('Makefile')
  const phony = [...makefile.matchAll(/^\.PHONY: (.+)$/gm)].flatMap(([, names]) => names.split(' '))
  const benches = readTree(ROOT).flatMap(({ path }) => {
    return /^bench\/([a-z]+)\.bench\.ts$/.exec(path)?.[1] ?? []
  })
  const known = new Set([...phony, ...benches.map((name) => `bench-${name}`)])
  for (const [path, text] of current) {
    for (const [, target] of codeOf(text).matchAll(/\bmake ([a-z0-9-]+)/g)) {
      assert.ok(known.has(target), `${path}: make ${target}`)
    }
  }
})

/** Flags of other programs that the documents name. */
const FOREIGN = new Set([
  '--from',
  '--har',
  '--import',
  '--inspect',
  '--omit',
  '--test',
  '--test-name-pattern',
  '--time',
])

test('every command, flag and variable that a document names exists', async () => {
  const specs = await Promise.all(Object.values(commands).map(({ load }) => load()))
  const usages = specs.flatMap(({ flags, commands: subs = {} }) => [
    { flags },
    ...Object.values(subs),
  ])
  const rows = [...SERVE_ROWS, ...usages.flatMap(({ flags = [] }) => flags)]
  const flags = new Set(['--help', '--version', ...rows.map(({ flag }) => `--${flag}`), ...FOREIGN])
  const variables = new Set([FAULT_VARIABLE, ...rows.map(({ variable }) => variable)])
  const names = new Set(Object.keys(allCommands(serveCommand(null))))
  const adminNames = new Set(Object.keys((await commands.admin.load()).commands ?? {}))
  for (const [path, text] of current) {
    const code = codeOf(text)
    for (const [flag] of text.matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)) {
      assert.ok(flags.has(flag), `${path}: ${flag}`)
    }
    for (const [variable] of text.matchAll(/\bOUTCOMEX_[A-Z_]+/g)) {
      assert.ok(variables.has(variable), `${path}: ${variable}`)
    }
    for (const [, name, word] of code.matchAll(/\boutcomex ([a-z]+)(?: ([a-z][a-z-]*))?/g)) {
      assert.ok(names.has(name), `${path}: outcomex ${name}`)
      if (name !== 'admin' || word === undefined) continue
      assert.ok(adminNames.has(word), `${path}: outcomex admin ${word}`)
    }
  }
})

test('no document starts the program by its file', () => {
  const withFile = [...documents].filter(([, text]) => text.includes('node dist/'))
  assert.deepEqual(
    withFile.map(([path]) => path),
    [],
  )
})

test('package.json and the program agree on the version', () => {
  const manifest: { version: unknown } = JSON.parse(textOf('package.json'))
  assert.equal(manifest.version, VERSION)
})
