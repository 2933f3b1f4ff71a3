import { type Shape, type SourceFile, shapeOf } from './shape.ts'
import { checkGraph } from './tidy-graph.ts'
import {
  FORBIDDEN_NAMES,
  IMPURE_WORDS,
  LIMIT,
  MANY_EXPORTS,
  PROOF_FILES,
  PURE_FOLDERS,
  SILENT_FOLDERS,
  SOURCE_FOLDERS,
  TOP_LEVEL,
} from './tidy-tables.ts'

// Checks the form of the whole repository: a pure function from its files to what is wrong.

export interface Violation {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly detail: string
}

type Report = (rule: string, line: number, detail: string) => void
type Check = (shape: Shape, report: Report) => void

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`))

const CODE_FILE = /\.(ts|mjs)$/
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(worker|routes|bench|test|d))?\.ts$/
const MACHINE_PATH = /(^|[^\w.:/-])\/(home|root|Users|work)\/\w/
const REGISTRY_HOST = /"resolved": *"|registry\.(npmjs|yarnpkg)|artifact[o]ry|\/api\/npm\//
const ID_NAME = /^(seq|[a-zA-Z]+Seq|profileId|accountId|marketId)$/
const OPEN_PROMISE = /\b(TODO|FIXME|XXX)\b/

export function checkTidy(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = []
  for (const file of files) checkText(file, reporter(file.path, violations))
  const shapes = files.filter((file) => file.path.endsWith('.ts')).map(shapeOf)
  for (const shape of shapes) {
    const report = reporter(shape.path, violations)
    for (const check of CHECKS) check(shape, report)
  }
  checkGraph(shapes, (path, rule, line, detail) => {
    violations.push({ rule, path, line, detail })
  })
  return violations
}

function reporter(path: string, violations: Violation[]): Report {
  return (rule, line, detail) => violations.push({ rule, path, line, detail })
}

function checkText({ path, text }: SourceFile, report: Report): void {
  const [top = ''] = path.split('/')
  // Hidden entries are configuration.
  if (!top.startsWith('.') && !TOP_LEVEL.has(top))
    report('top-level', 1, `${top} has no place here`)
  for (const [index, line] of text.split('\n').entries()) {
    if (CODE_FILE.test(path) && line.length > LIMIT.lineColumns) {
      report('line-columns', index + 1, `${line.length} columns, ${LIMIT.lineColumns} at most`)
    }
    if (MACHINE_PATH.test(line)) report('machine-path', index + 1, 'a path of one machine')
    if (REGISTRY_HOST.test(line)) report('registry-host', index + 1, 'the address of a registry')
  }
}

const CHECKS: readonly Check[] = [
  checkName,
  checkLengths,
  checkFunctions,
  checkPurity,
  checkSilence,
  checkTypes,
  checkIds,
  checkThreads,
  checkComments,
]

function checkName({ path }: Shape, report: Report): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [stem = ''] = name.split('.')
  if (!FILE_NAME.test(name)) report('file-name', 1, 'file names are kebab-case nouns')
  if (FORBIDDEN_NAMES.has(stem)) report('file-name', 1, `a file called ${stem} says nothing`)
}

function checkLengths({ path, text, valueExports }: Shape, report: Report): void {
  const lines = text.trimEnd().split('\n').length
  const isWorker = path.endsWith('.worker.ts')
  if (lines > LIMIT.fileLines) report('file-lines', 1, `${lines}, ${LIMIT.fileLines} at most`)
  if (isWorker && lines > LIMIT.workerLines) {
    report('worker-lines', 1, `${lines}: no logic lives in a worker file`)
  }
  const mayExportMany = MANY_EXPORTS.some((prefix) => path.startsWith(prefix))
  if (valueExports > LIMIT.valueExports && !mayExportMany) {
    report('exports', 1, `${valueExports} values, ${LIMIT.valueExports} at most`)
  }
}

function checkFunctions({ functions }: Shape, report: Report): void {
  for (const { line, lines, parameters, nesting, isSuite } of functions) {
    if (lines > LIMIT.functionLines && !isSuite) {
      report('function-lines', line, `${lines}, ${LIMIT.functionLines} at most`)
    }
    if (parameters > LIMIT.parameters) {
      report('parameters', line, `${parameters}, ${LIMIT.parameters} at most`)
    }
    if (nesting > LIMIT.nesting) report('nesting', line, `${nesting}, ${LIMIT.nesting} at most`)
  }
}

function checkPurity({ path, code, imports }: Shape, report: Report): void {
  if (!isIn(path, PURE_FOLDERS)) return
  for (const { from, line } of imports) {
    if (from.startsWith('node:')) report('purity', line, `${from}: the core imports no Node module`)
  }
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'word') continue
    const before = code[index - 1]?.text
    const next = code[index + 1]?.text
    if (token.text === 'random' && before === '.') report('purity', token.line, 'Math.random')
    if (!IMPURE_WORDS.has(token.text) || before === '.' || next === ':') continue
    report('purity', token.line, `${token.text}: the core has no clock, IO, chance or waiting`)
  }
}

function checkSilence({ path, code }: Shape, report: Report): void {
  if (!isIn(path, SILENT_FOLDERS)) return
  for (const token of code) {
    if (token.kind === 'word' && token.text === 'console') {
      report('silence', token.line, 'this folder prints nothing: the server reports')
    }
  }
}

/** Ids and seqs cross borders by their kind: one is never taken for another. */
function checkIds({ path, code }: Shape, report: Report): void {
  if (!isIn(path, ['engine', 'persistence', 'server'])) return
  const texts = code.map(({ text }) => text)
  for (const [index, { text, line }] of code.entries()) {
    if (!ID_NAME.test(text)) continue
    const type = texts[index + 1] === '?' ? index + 3 : index + 2
    if (texts[type - 1] !== ':' || texts[type] !== 'number') continue
    report('id', line, `${text} has a kind of its own (engine/domain/ids.ts)`)
  }
}

function checkTypes({ path, code, clauses }: Shape, report: Report): void {
  if (PROOF_FILES.has(path)) return
  for (const [index, token] of code.entries()) {
    const before = code[index - 1]
    const next = code[index + 1]?.text ?? ''
    if (token.kind === 'mark' && token.text === '!' && before && isOperand(before)) {
      if (before.line === token.line) report('non-null', token.line, '`!` proves nothing')
    }
    if (token.kind !== 'word' || before?.text === '.' || next === ':' || next === '(') continue
    if (token.text === 'any') report('any', token.line, '`any` is a type that proves nothing')
    const isCast = token.text === 'as' && before && isOperand(before) && !clauses.has(index)
    if (isCast && next !== 'const') report('as', token.line, '`as` outside a file of proofs')
  }
}

const NO_OPERAND = new Set(
  'return typeof case in of void delete await yield throw else do new instanceof'.split(' '),
)

function isOperand({ kind, text }: { kind: string; text: string }): boolean {
  if (kind === 'mark') return text === ')' || text === ']' || text === '}'
  return !NO_OPERAND.has(text)
}

function checkThreads({ path, code }: Shape, report: Report): void {
  if (!isIn(path, SOURCE_FOLDERS) || path === 'engine/thread/spawn.ts') return
  for (const [index, token] of code.entries()) {
    if (token.text === 'Worker' && code[index - 1]?.text === 'new') {
      report('one-spawn', token.line, 'threads start in engine/thread/spawn.ts')
    }
  }
}

function checkComments({ comments }: Shape, report: Report): void {
  for (const { text, line } of comments) {
    if (OPEN_PROMISE.test(text)) report('open-promise', line, 'do it, or say when it can go')
  }
}
