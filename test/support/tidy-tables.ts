// What the rules of form allow, and the files that are free of a rule, with the reason.

import { words } from './tidy-rooms.ts'

/** Deterministic code: a replay next year must give the same state. */
export const PURE_FOLDERS = ['engine/core', 'engine/domain']
export const IMPURE_WORDS = new Set(
  words(`Date performance process async await setTimeout setInterval setImmediate queueMicrotask
         clearTimeout clearInterval clearImmediate crypto fetch`),
)

/** These folders print nothing: they return or they fault, and the server reports it. */
export const SILENT_FOLDERS = ['engine', 'persistence']

export const SOURCE_FOLDERS = ['engine', 'persistence', 'server']

export const TOP_LEVEL = new Set([
  ...words('engine server persistence bench test package.json package-lock.json tsconfig.json'),
  ...words('Makefile README.md LICENSE CHANGELOG.md biome.json Dockerfile'),
  'outcomex',
])

export const FORBIDDEN_NAMES = new Set(
  words('util utils helper helpers common type types misc manager managers index'),
)

/** The only files with `as`, `any` or `!`: in them an unchecked value becomes a typed one. */
export const PROOF_FILES = new Set([
  // A byte of a record becomes a kind of event.
  'engine/domain/event.ts',
  'engine/domain/units.ts',
  'engine/wire/codec.ts',
  'engine/wire/record-layout.ts',
  // Makes a table by name out of a list, which no type can follow.
  'engine/domain/reject-precedence.ts',
  'server/http/schema/schema.ts',
  'server/intake/intake-pool.ts',
])

/**
 * Files that are tables of words: their exports are their content. Other files import the words of
 * the domain one by one, and both sides of a byte layout read it whole. The shared files of tests
 * are a box of tools.
 */
export const MANY_EXPORTS = [
  ...['engine/domain/', 'engine/wire/record-layout.ts', 'test/'],
  'server/console/page/words.ts',
]

export const LIMIT = {
  lineColumns: 100,
  functionLines: 60,
  fileLines: 600,
  workerLines: 59,
  parameters: 5,
  nesting: 3,
  valueExports: 8,
} as const
