import assert from 'node:assert/strict'
import { type Checker, compile, schemaOf } from '../../server/edge/http/schema/schema.ts'
import { at } from './json-path.ts'
import { isTree, operations, type Tree } from './openapi-tree.ts'

// A client that knows an exchange only by its OpenAPI document. Each reply must be one that the
// document names for the operation: its status, its kind of content, its schema, its headers.

export interface Parameter {
  readonly name: string
  readonly place: string
  readonly isRequired: boolean
  readonly schema: Tree
  readonly example: unknown
}

export interface Operation {
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly responses: Tree
}

export interface Reported {
  readonly status: number
  readonly etag: string | null
  readonly body: unknown
}

const JSON_TYPE = 'application/json'

/**
 * The schema with each reference replaced by what the document has there; a reference within itself
 * takes any value.
 */
export function resolved(
  document: unknown,
  node: unknown,
  within: readonly string[] = [],
): unknown {
  if (Array.isArray(node)) return node.map((each) => resolved(document, each, within))
  if (!isTree(node)) return node
  const { $ref } = node
  if (typeof $ref === 'string') {
    if (within.includes($ref)) return {}
    const found = at(document, ...$ref.replace('#/', '').split('/'))
    return resolved(document, found, [...within, $ref])
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, each]) => [key, resolved(document, each, within)]),
  )
}

/** Checks values by schemas of a document; each schema is compiled once. */
export class SchemaChecks {
  readonly #document: unknown
  readonly #checkers = new Map<unknown, Checker<unknown>>()

  constructor(document: unknown) {
    this.#document = document
  }

  assertHolds(schema: unknown, value: unknown, what: string): void {
    assert.ok(isTree(schema), `${what} has a schema`)
    const known = this.#checkers.get(schema)
    const whole = known === undefined ? resolved(this.#document, schema) : null
    const checker = known ?? compile(schemaOf<unknown>(isTree(whole) ? whole : {}))
    this.#checkers.set(schema, checker)
    if (checker.holds(value)) return
    const text = JSON.stringify(value).slice(0, 600)
    assert.fail(`${what}: ${JSON.stringify(checker.issues(value)).slice(0, 600)} in ${text}`)
  }
}

function parameterOf(node: unknown): Parameter {
  const { name, schema, required, example } = isTree(node) ? node : {}
  const place = at(node, 'in')
  assert.ok(typeof name === 'string' && typeof place === 'string' && isTree(schema))
  return { name, place, schema, isRequired: required === true, example }
}

export class DocumentClient {
  readonly #baseUrl: string
  readonly #document: unknown
  readonly #checks: SchemaChecks
  /** The statuses that each path gave. */
  readonly seen = new Map<string, Set<number>>()

  constructor(baseUrl: string, document: unknown) {
    this.#baseUrl = baseUrl
    this.#document = document
    this.#checks = new SchemaChecks(document)
  }

  /** The reads that need no proof. */
  publicReads(): Operation[] {
    return operations(this.#document).flatMap(
      ([path, method, { security, parameters, responses }]) => {
        const isPublic = Array.isArray(security) && security.length === 0
        if (method !== 'get' || !isPublic || !isTree(responses)) return []
        assert.ok(Array.isArray(parameters))
        return [{ path, responses, parameters: parameters.map(parameterOf) }]
      },
    )
  }

  /** Calls an operation with these values, and checks all that the document says of the reply. */
  async call(
    { path, parameters, responses }: Operation,
    values: ReadonlyMap<string, unknown>,
    ifNoneMatch?: string,
  ): Promise<Reported> {
    const words = new URLSearchParams()
    let filled = path
    for (const [name, value] of values) {
      const place = parameters.find((each) => each.name === name)?.place ?? 'query'
      if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)))
      else for (const [key, word] of pairsOf(name, value)) words.append(key, word)
    }
    const target = words.size === 0 ? filled : `${filled}?${words}`
    const headers: Record<string, string> = {}
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch
    const reply = await fetch(this.#baseUrl + target, { headers, redirect: 'manual' })
    const { status } = reply
    this.seen.set(path, (this.seen.get(path) ?? new Set()).add(status))
    const response = responses[status]
    const text = await reply.text()
    assert.ok(isTree(response), `GET ${target} gives ${status}, which is not documented: ${text}`)
    const body = this.#bodyOf(response, reply.headers, text, `GET ${target}, ${status}`)
    return { status, etag: reply.headers.get('etag'), body }
  }

  #bodyOf(response: Tree, headers: Headers, text: string, what: string): unknown {
    for (const [name, reported] of Object.entries(
      isTree(response.headers) ? response.headers : {},
    )) {
      const schema = at(reported, 'schema')
      const stated = headers.get(name)
      const value = at(schema, 'type') === 'integer' ? Number(stated) : stated
      this.#checks.assertHolds(schema, value, `${what}, header ${name}`)
    }
    const kind = headers.get('content-type') ?? ''
    const [bare] = kind.split(';')
    if (!isTree(response.content)) {
      assert.equal(text, '', `${what} has no body`)
      return undefined
    }
    const media = response.content[kind] ?? response.content[bare]
    assert.ok(isTree(media), `${what} is of a documented kind, not ${kind}`)
    if (bare !== JSON_TYPE) return text
    const body: unknown = JSON.parse(text)
    this.#checks.assertHolds(media.schema, body, what)
    return body
  }
}

/** A parameter that is an object gives a pair for each of its fields, as OpenAPI's forms do. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (!isTree(value)) return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, words]) =>
    (Array.isArray(words) ? words : [words]).map((word): [string, string] => [key, String(word)]),
  )
}

/** Values that a schema allows: all of an enumeration, the ends of a range. */
export function goodValues({ schema, example }: Parameter): unknown[] {
  const { enum: words, type, minimum, maximum } = schema
  const given = [example, schema.default]
  if (Array.isArray(words)) given.push(...words)
  if (type === 'boolean') given.push(true, false)
  given.push(minimum, maximum)
  return [...new Set(given)].filter((value) => value !== undefined)
}

/** Values that a schema forbids. */
export function badValues({ schema }: Parameter): unknown[] {
  const { enum: words, type, minimum, maximum, minLength, maxLength, pattern } = schema
  const bad: unknown[] = []
  if (Array.isArray(words)) bad.push('nothing-of-these')
  if (type === 'boolean') bad.push('perhaps')
  if (type === 'integer') bad.push('many', 1.5)
  if (typeof minimum === 'number') bad.push(minimum - 1)
  if (typeof maximum === 'number') bad.push(maximum * 2 + 1)
  if (typeof minLength === 'number') bad.push('')
  if (typeof maxLength === 'number') bad.push('x'.repeat(maxLength + 1))
  if (pattern !== undefined) bad.push('"no such text"')
  return bad
}
