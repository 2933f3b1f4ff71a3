import ts from 'typescript'
import type { SourceFile } from './source-tree.ts'

// What neither the linter nor the check of imports knows: a pure function from the files of the
// repository to what is wrong with their form.

export interface Violation {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly detail: string
}

type Report = (rule: string, line: number, detail: string) => void

const words = (text: string): string[] => text.trim().split(/\s+/)

const TOP_LEVEL = new Set(
  words(`engine server persistence bench test package.json package-lock.json tsconfig.json Makefile
         README.md LICENSE biome.json Dockerfile outcomex`),
)
const FORBIDDEN_NAMES = new Set(
  words('util utils helper helpers common type types misc manager managers index'),
)
/** The only files with `as`: in them an unchecked value becomes a typed one. */
export const PROOF_FILES = new Set([
  // A byte of a record becomes a kind of event.
  'engine/domain/event.ts',
  'engine/domain/units.ts',
  'engine/wire/codec.ts',
  'engine/wire/record-layout.ts',
  // Makes a table by name out of a list, which no type can follow.
  'engine/domain/reject-precedence.ts',
  'server/edge/http/schema/schema.ts',
])
const WORKER_LINES_MAX = 59
const COLUMNS_MAX = 100

const SOURCES = /^(engine|persistence|server)\//
const CORE = /^engine\/(core|domain)\//
const CODE_FILE = /\.(tsx?|mjs)$/
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(worker|routes|bench|test|d))?\.tsx?$/
const MACHINE_PATH = /(^|[^\w.:/-])\/(home|root|Users|work)\/\w/
const REGISTRY_HOST = /"resolved": *"|registry\.(npmjs|yarnpkg)|artifact[o]ry|\/api\/npm\//
const ID_NAME = /^(seq|[a-zA-Z]+Seq|profileId|accountId|marketId)$/
const OPEN_PROMISE = /(\/\/|\*).*\b(TO[D]O|FIX[M]E|XX[X])\b/

export function checkTidy(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = []
  for (const file of files) {
    const report: Report = (rule, line, detail) => {
      violations.push({ rule, path: file.path, line, detail })
    }
    checkText(file, report)
    if (/\.tsx?$/.test(file.path)) checkCode(file, report)
  }
  return violations
}

function checkText({ path, text }: SourceFile, report: Report): void {
  const [top = ''] = path.split('/')
  // Hidden entries are configuration.
  if (!top.startsWith('.') && !TOP_LEVEL.has(top))
    report('top-level', 1, `${top} has no place here`)
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    // The formatter does not break comments.
    if (CODE_FILE.test(path) && line.length > COLUMNS_MAX) {
      report('line-columns', index + 1, `${line.length} columns, ${COLUMNS_MAX} at most`)
    }
    if (MACHINE_PATH.test(line)) report('machine-path', index + 1, 'a path of one machine')
    if (REGISTRY_HOST.test(line)) report('registry-host', index + 1, 'the address of a registry')
    if (CODE_FILE.test(path) && OPEN_PROMISE.test(line)) {
      report('open-promise', index + 1, 'do it, or say when it can go')
    }
  }
  if (path.endsWith('.worker.ts') && text.trimEnd().split('\n').length > WORKER_LINES_MAX) {
    report('worker-lines', 1, 'no logic lives in a worker file')
  }
}

function checkCode({ path, text }: SourceFile, report: Report): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [stem = ''] = name.split('.')
  if (!FILE_NAME.test(name)) report('file-name', 1, 'file names are kebab-case nouns')
  if (FORBIDDEN_NAMES.has(stem)) report('file-name', 1, `a file called ${stem} says nothing`)
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  const visit = (node: ts.Node): void => {
    const found = violationOf(node, path)
    if (found !== null) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      report(found[0], line + 1, found[1])
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

/** The rule that a node breaks, and what is wrong. */
function violationOf(node: ts.Node, path: string): readonly [string, string] | null {
  const isCast =
    ts.isTypeAssertionExpression(node) ||
    (ts.isAsExpression(node) && node.type.getText() !== 'const')
  if (isCast && !PROOF_FILES.has(path)) return ['as', '`as` outside a file of proofs']
  if (CORE.test(path)) {
    const waits = ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword
    if (waits) return ['purity', 'the core waits for nothing']
    const isChance = ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random'
    if (isChance) return ['purity', 'the core has no chance']
  }
  if (!SOURCES.test(path)) return null
  const isThread = ts.isNewExpression(node) && node.expression.getText() === 'Worker'
  if (isThread && path !== 'engine/thread/spawn.ts') {
    return ['one-spawn', 'threads start in engine/thread/spawn.ts']
  }
  const isField =
    ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)
  if (isField && ID_NAME.test(node.name.getText())) {
    // Ids and seqs cross borders by their kind: one is never taken for another.
    const isPlain = node.type?.kind === ts.SyntaxKind.NumberKeyword
    if (isPlain)
      return ['id', `${node.name.getText()} has a kind of its own (engine/domain/ids.ts)`]
  }
  return null
}
