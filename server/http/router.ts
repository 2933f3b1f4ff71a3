// Finds a route by method and path, segment by segment. A literal segment is tried before a
// `:name`; the search returns to the `:name` when the literal gives no route.
import { assert } from '../../engine/domain/assert.ts'
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
  /** Methods that the path takes; empty when no route has the path. */
  readonly allow: readonly string[]
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), named: null, methods: new Map() }
}

export class Router<T> {
  private readonly root = emptyNode<T>()

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
  }

  find(method: string, path: string): Found<T> {
    const segments = path.slice(1).split('/')
    const values: string[] = []
    const allow = new Set<string>()
    const target = this.descend(this.root, segments, 0, { method, values, allow })
    return { target, values, allow: [...allow].sort() }
  }

  private descend(node: Node<T>, segments: string[], at: number, search: Search): T | null {
    if (at === segments.length) {
      const target = node.methods.get(search.method)
      if (target !== undefined) return target
      for (const method of node.methods.keys()) search.allow.add(method)
      return null
    }
    const segment = segments[at]
    const literal = node.literals.get(segment)
    if (literal !== undefined) {
      const target = this.descend(literal, segments, at + 1, search)
      if (target !== null) return target
    }
    if (node.named === null || segment === '') return null
    search.values.push(segment)
    const target = this.descend(node.named, segments, at + 1, search)
    if (target === null) search.values.pop()
    return target
  }
}

interface Search {
  readonly method: string
  readonly values: string[]
  readonly allow: Set<string>
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
