// Finds a route by method and path, segment by segment. A literal segment is tried before a
// `:name`. The search falls back to the `:name` when no route has the literal path, whatever its
// method, so each path has the methods of one line of the document. Results for GET are cached,
// because clients read the same paths repeatedly. Invariant: the number of cached paths and the
// length of each are bounded.
import { assert } from '../../../engine/domain/assert.ts'
import type { Schema } from './schema/schema.ts'

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  named: Node<T> | null
  readonly methods: Map<string, T>
}

export interface Found<T> {
  readonly target: T | null
  /** Values of the `:name` segments in the order of the path, still encoded. */
  readonly values: readonly string[]
  /** Methods of the path; empty when no route has the path. */
  readonly allow: readonly string[]
}

const KNOWN_MAX = 4096
const KNOWN_PATH_MAX = 200

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), named: null, methods: new Map() }
}

export class Router<T> {
  private readonly root = emptyNode<T>()
  private readonly known = new Map<string, Found<T>>()

  add(method: string, path: string, target: T): void {
    assert(path.startsWith('/'), 'a route path starts with a slash')
    let node = this.root
    for (const segment of path.slice(1).split('/')) {
      const next = segment.startsWith(':') ? node.named : node.literals.get(segment)
      const child = next ?? emptyNode<T>()
      if (segment.startsWith(':')) node.named = child
      else node.literals.set(segment, child)
      node = child
    }
    assert(!node.methods.has(method), 'two routes never share a method and a path')
    node.methods.set(method, target)
    this.known.clear()
  }

  find(method: string, path: string): Found<T> {
    if (method !== 'GET' || path.length > KNOWN_PATH_MAX) return this.search(method, path)
    const known = this.known.get(path)
    if (known !== undefined) return known
    const found = this.search(method, path)
    if (found.target === null) return found
    if (this.known.size >= KNOWN_MAX) this.known.clear()
    this.known.set(path, found)
    return found
  }

  private search(method: string, path: string): Found<T> {
    const values: string[] = []
    const search: Search = { method, path, values, allow: null }
    const target = this.descend(this.root, 1, search)
    return { target, values, allow: target === null ? (search.allow?.sort() ?? NO_METHODS) : [] }
  }

  /** `at` is the start of the next segment; past the end of the path, no segment is left. */
  private descend(node: Node<T>, at: number, search: Search): T | null {
    const { path } = search
    if (at > path.length) {
      const target = node.methods.get(search.method)
      if (target !== undefined) return target
      if (node.methods.size > 0) search.allow = [...node.methods.keys()]
      return null
    }
    const slash = path.indexOf('/', at)
    const end = slash === -1 ? path.length : slash
    const segment = path.slice(at, end)
    const literal = node.literals.get(segment)
    if (literal !== undefined) {
      const target = this.descend(literal, end + 1, search)
      if (target !== null || search.allow !== null) return target
    }
    if (node.named === null || segment === '') return null
    search.values.push(segment)
    const target = this.descend(node.named, end + 1, search)
    if (target === null) search.values.pop()
    return target
  }
}

const NO_METHODS: readonly string[] = []

interface Search {
  readonly method: string
  readonly path: string
  readonly values: string[]
  /** Methods of the path, when a search reached its end without the requested one. */
  allow: string[] | null
}

/** The names of the `:name` segments, in order. */
export function pathNames(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1))
}

/** Asserts that a path and its schemas name the same parameters. */
export function assertNames(path: string, params: Readonly<Record<string, Schema>>): void {
  const names = pathNames(path)
  assert(names.length === Object.keys(params).length, 'each path parameter has one schema')
  for (const name of names) assert(Object.hasOwn(params, name), 'each path parameter has a schema')
}
