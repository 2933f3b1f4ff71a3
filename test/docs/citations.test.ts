import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readTree, type SourceFile } from '../support/source-tree.ts'

// The pages of server/docs agree with the repository: every cited section and every named path
// exists.

const SIGN = '\u00a7'
const NUMBER = `${SIGN}\\d+(?:\\.\\d+)?(?: row \\d+)?`
/** A page and its sections; more sections may follow a comma, an `and` or a `to`. */
const CITED = new RegExp(
  `\\b(rules|design) (${NUMBER}(?:(?:,| and|, and| to) ${NUMBER})*)(?![\\d.]\\d)`,
  'gi',
)
const CITING = ['engine/', 'persistence/', 'server/', 'bench/', 'test/']
const PAGES = ['rules', 'design', 'engineering'].map((name) => `server/docs/${name}.md`)
const FOLDERS = /^(?:engine|persistence|server|bench|test|\.ci)(?:\/|$)/
const NAMED_FILE = /^[\w./-]+\.(?:ts|mjs|md|json)$|^Makefile$/

const files = readTree(fileURLToPath(new URL('../..', import.meta.url)))
const paths = files.map(({ path }) => path)

function textOf(path: string): string {
  const found = files.find((file) => file.path === path)
  assert(found !== undefined, `${path} exists`)
  return found.text
}

/** Numbers of a page's headings, like `4.3`, and of its table rows, like `13 row 3`. */
function sectionsOf(page: string): ReadonlySet<string> {
  const sections = new Set<string>()
  let section = ''
  for (const line of page.split('\n')) {
    const heading = /^#{2,4} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1]
    const row = /^\| (\d+) \|/.exec(line)?.[1]
    if (heading !== undefined) section = heading
    if (heading !== undefined) sections.add(heading)
    else if (row !== undefined) sections.add(`${section} row ${row}`)
  }
  return sections
}

/** The text as one line: a comment continues after the mark of its next line. */
function joined(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\/\/|\*|\|)?[ \t]*/g, ' ')
}

type Sections = Readonly<Record<string, ReadonlySet<string>>>

function citationFaults({ path, text }: SourceFile, sections: Sections): string[] {
  const faults: string[] = []
  const rest = joined(text).replaceAll(CITED, (_whole, page: string, chain: string) => {
    for (const [cited] of chain.matchAll(new RegExp(NUMBER, 'g'))) {
      const isThere = sections[page.toLowerCase()]?.has(cited.slice(1)) === true
      if (!isThere) faults.push(`${path}: ${page} has no ${cited}`)
    }
    return ''
  })
  for (let at = rest.indexOf(SIGN); at >= 0; at = rest.indexOf(SIGN, at + 1)) {
    faults.push(`${path}: no page is named before "${rest.slice(at, at + 20)}"`)
  }
  return faults
}

/** The texts between backticks, outside blocks of code. */
function namedIn(page: string): string[] {
  const prose = page.replaceAll(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, name]) => name ?? [])
}

function pathFaults(page: string, known: readonly string[]): string[] {
  const isThere = (name: string) => {
    return known.some((path) => path === name || path.startsWith(`${name.replace(/\/$/, '')}/`))
  }
  const named = namedIn(page).filter((name) => FOLDERS.test(name) || NAMED_FILE.test(name))
  return named.filter((name) => !isThere(name))
}

/** The rows of the table under a heading, without the table's head. */
function rowsUnder(page: string, heading: string): string[] {
  const [, after = ''] = page.split(`\n## ${heading}\n`)
  const [section = ''] = after.split('\n## ')
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
}

test('every section that a comment or a page cites exists', () => {
  const sections = {
    rules: sectionsOf(textOf('server/docs/rules.md')),
    design: sectionsOf(textOf('server/docs/design.md')),
  }
  // The bytes of a packed recording are no text.
  const texts = files.filter(({ path }) => !path.endsWith('.gz'))
  const citing = texts.filter(({ path }) => CITING.some((folder) => path.startsWith(folder)))
  const cited = citing.filter(({ text }) => joined(text).match(CITED) !== null)
  assert.ok(cited.length > 100, `${cited.length} files cite a page`)
  assert.deepEqual(
    citing.flatMap((file) => citationFaults(file, sections)),
    [],
  )
})

test('a citation without a section is found, also across line ends', () => {
  const sections = { rules: new Set(['1', '4.3', '13 row 3']), design: new Set(['5']) }
  const rows: readonly (readonly [text: string, faults: number])[] = [
    [`// As rules ${SIGN}4.3 and design ${SIGN}5 say.`, 0],
    [`// Rules ${SIGN}1, ${SIGN}4.3 and\n// ${SIGN}13 row 3; the rest (design\n// ${SIGN}5).`, 0],
    [`/** A line\n * of rules\n * ${SIGN}4.3. */`, 0],
    [`// rules ${SIGN}4.4`, 1],
    [`// rules ${SIGN}4.3, ${SIGN}4.4 to ${SIGN}9`, 2],
    [`// rules ${SIGN}13 row 4`, 1],
    [`// design ${SIGN}4.3`, 1],
    [`// as ${SIGN}4.3 says`, 1],
    [`// the page domain ${SIGN}4.3`, 1],
  ]
  for (const [text, count] of rows) {
    assert.equal(citationFaults({ path: 'a.ts', text }, sections).length, count, text)
  }
})

test('every path that the pages name exists', () => {
  for (const page of PAGES) {
    const text = textOf(page)
    const named = namedIn(text).filter((name) => NAMED_FILE.test(name))
    assert.ok(named.length > 10, `${page} names files`)
    assert.deepEqual(pathFaults(text, paths), [], page)
  }
  const known = ['engine/core/exchange.ts', 'README.md']
  const page = '`engine/core`, `engine/core/`, `engine/core/exchange.ts`, `README.md`, `a = b.ts`'
  assert.deepEqual(pathFaults(page, known), [])
  const wrong = ['engine/cor', 'exchange.ts', 'server/main.ts']
  assert.deepEqual(pathFaults(wrong.map((name) => `\`${name}\``).join(' '), known), wrong)
})

test('each name in the look-up table stands in its file', () => {
  const rows = rowsUnder(textOf('server/docs/engineering.md'), 'Where do I find…')
  assert.ok(rows.length > 20)
  for (const row of rows) {
    const [, path = '', name = ''] = /^\|[^|]+\| `([^`]+)` \| `([^`]+)` \|$/.exec(row) ?? []
    // An import alone does not count: the name must stand in the file itself.
    const own = textOf(path).replaceAll(/^import [^']+'[^']+'$/gm, '')
    assert.ok(name !== '' && own.includes(name), row)
  }
})

test('the page names every dependency, and every make target that it names exists', () => {
  const page = textOf('server/docs/engineering.md')
  const manifest: unknown = JSON.parse(textOf('package.json'))
  const packages = ['dependencies', 'devDependencies'].flatMap((field) =>
    Object.keys(Object(Reflect.get(Object(manifest), field))),
  )
  assert.ok(packages.length > 20)
  const runtime = textOf('README.md').split('## Dependencies')[1] ?? ''
  const named = new Set([
    ...namedIn(page.slice(page.indexOf('## Dependencies'))),
    ...[...runtime.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names = '']) => names.split(', ')),
  ])
  assert.deepEqual(
    packages.filter((name) => !named.has(name)),
    [],
  )
  const makefile = textOf('Makefile')
  const targets = [...page.matchAll(/(?:^ {4}|`)(?:[A-Z]+=\S+ )*make ([a-z][a-z0-9-]*)/gm)]
  assert.ok(targets.length > 10)
  for (const [, target = ''] of targets) {
    const isBench = paths.includes(`bench/${target.replace(/^bench-/, '')}.bench.ts`)
    assert.ok(isBench || new RegExp(`^${target}:`, 'm').test(makefile), `make ${target}`)
  }
})
