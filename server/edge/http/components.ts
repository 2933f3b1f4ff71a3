// The schemas of a document, arranged for its readers. Each object is a component, so a generated
// client has one type for it wherever it is used.

import { assert } from '../../../engine/domain/assert.ts'
import { NAME, SHOWN } from './schema/scalars.ts'

export type Node = Readonly<Record<string, unknown>>

/** Larger integers need 64 bits in most languages. */
const INT32_MAX = 2_147_483_647

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts `market_pages` or `expectedFeeRateBps` to a type name. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')
}

/** The name of one entry of a list with this name. */
function ofOne(name: string): string {
  if (/[Ss]eries$/.test(name)) return `${name}Item`
  if (/(ch|sh|x|ss)es$/.test(name)) return name.slice(0, -2)
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`
}

function isNull(value: unknown): boolean {
  return isNode(value) && value.type === 'null'
}

const NULL: Node = { type: 'null' }

/** The alternatives of a schema, with nested choices flattened; null is not counted. */
function choiceOf(schema: Node): { shapes: readonly Node[]; isNullable: boolean } {
  const all = ['anyOf', 'oneOf'].flatMap((key) => {
    const shapes = schema[key]
    return Array.isArray(shapes) ? shapes.filter(isNode) : []
  })
  const below = all
    .filter((shape) => !isNull(shape))
    .map((shape) => ({ shape, ...choiceOf(shown(shape)) }))
  return {
    shapes: below.flatMap(({ shape, shapes }) => (shapes.length > 0 ? shapes : [shape])),
    isNullable: all.some(isNull) || below.some(({ isNullable }) => isNullable),
  }
}

/** The schema with the keywords for documents. */
function shown(schema: Node): Node {
  return { ...schema, ...Reflect.get(schema, SHOWN) }
}

function isStruct({ properties }: Node): boolean {
  return isNode(properties) && hasKeys(properties)
}

export class Components {
  readonly #schemas = new Map<string, Node>()
  readonly #examples = new Map<string, Node>()
  readonly #responses = new Map<string, Node>()
  /** The names of all components by their text. */
  readonly #names = new Map<string, string>()

  get schemas(): Node {
    return sorted(this.#schemas)
  }

  get examples(): Node {
    return sorted(this.#examples)
  }

  get responses(): Node {
    return sorted(this.#responses)
  }

  /** Creates the named schemas below this one, so that equal shapes elsewhere get their names. */
  name(schema: unknown): void {
    if (Array.isArray(schema)) for (const each of schema) this.name(each)
    if (!isNode(schema)) return
    if (Reflect.has(schema, NAME)) this.print(schema, '')
    for (const each of Object.values(schema)) this.name(each)
  }

  /** The schema for the document; `name` is for objects without a name of their own. */
  print(schema: object, name: string): Node {
    const own: unknown = Reflect.get(schema, NAME)
    const { description, ...rest } = shown({ ...schema })
    const called = typeof own === 'string' ? own : name
    const { shapes, isNullable } = choiceOf(rest)
    const printed = shapes.length > 1 ? this.#choice(shapes, called) : this.#one(rest, called, own)
    const node = isNullable && shapes.length > 1 ? { anyOf: [printed, NULL] } : printed
    return description === undefined ? node : { ...node, description }
  }

  /** A reference to one of several components. */
  choice(references: readonly Node[], name: string): Node {
    return this.#refer({ oneOf: references }, name)
  }

  /** A reference to an example; equal examples share one component. */
  example(name: string, node: Node): Node {
    return { $ref: `#/components/examples/${this.#known(this.#examples, node, name)}` }
  }

  /** A reference to a response; equal responses share one component. */
  response(name: string, node: Node): Node {
    return { $ref: `#/components/responses/${this.#known(this.#responses, node, name)}` }
  }

  #one(schema: Node, name: string, own: unknown): Node {
    const node = this.#printed(schema, name)
    return typeof own === 'string' || isStruct(schema) ? this.#refer(node, name) : node
  }

  /**
   * One of several shapes. Some generators merge the shapes of `anyOf`, so this is a named `oneOf`.
   * They have no type for a list or something else, so such keywords are printed without a type.
   */
  #choice(shapes: readonly Node[], name: string): Node {
    if (shapes.some(({ type }) => type === 'array')) {
      const all = Object.assign({}, ...shapes.map((shape) => this.#printed(shape, name)))
      const { type: _type, ...node } = all
      return shapes.some(isStruct) ? this.#refer(node, name) : node
    }
    const printed = shapes.map((shape, index) =>
      this.print(shape, `${name}${suffixOf(shape, index)}`),
    )
    return this.choice(printed, name)
  }

  #refer(node: Node, name: string): Node {
    return { $ref: `#/components/schemas/${this.#known(this.#schemas, node, name)}` }
  }

  /** The name of this node, or of an equal earlier one. */
  #known(nodes: Map<string, Node>, node: Node, name: string): string {
    assert(name !== '', 'a component has a name')
    const text = JSON.stringify(node)
    const known = this.#names.get(text)
    if (known !== undefined) return known
    let free = name
    for (let count = 2; nodes.has(free); count++) free = `${name}${count}`
    this.#names.set(text, free)
    nodes.set(free, node)
    return free
  }

  #printed(node: Node, name: string): Node {
    const { type, const: only, maximum = only ?? Number.MAX_SAFE_INTEGER } = node
    const isLong = type === 'integer' && Number(maximum) > INT32_MAX
    const parts = Object.entries(node).map(([key, value]) => [key, this.#keyword(key, value, name)])
    const ofConst = 'const' in node && type === undefined ? { type: kindOf(node.const) } : {}
    const isAny = type === 'object' && !hasKeys(Object(node.properties))
    const open = isAny && !('additionalProperties' in node) ? { additionalProperties: true } : {}
    const long = isLong ? { format: 'int64' } : {}
    // Without the format, some languages use 32-bit floats, which hold seven digits.
    const double = type === 'number' ? { format: 'double' } : {}
    return { ...ofConst, ...Object.fromEntries(parts), ...long, ...double, ...open }
  }

  #keyword(key: string, value: unknown, name: string): unknown {
    if (key === 'properties' && isNode(value)) {
      const fields = Object.entries(value).map(([field, schema]) => {
        return [field, isNode(schema) ? this.print(schema, name + pascal(field)) : schema]
      })
      return Object.fromEntries(fields)
    }
    if (key === 'items' && isNode(value)) return this.print(value, ofOne(name))
    if (key === 'additionalProperties' && isNode(value)) return this.print(value, ofOne(name))
    // A single shape besides null, which keeps its name.
    if (key === 'anyOf' && Array.isArray(value)) {
      return value.map((shape) => (isNode(shape) ? this.print(shape, name) : shape))
    }
    return value
  }
}

/** The shapes of a choice differ in their last required field, or in their position. */
function suffixOf({ required, type }: Node, index: number): string {
  const last: unknown = type === 'object' && Array.isArray(required) ? required.at(-1) : undefined
  return typeof last === 'string' ? `By${pascal(last)}` : `${index + 1}`
}

function sorted(nodes: ReadonlyMap<string, Node>): Node {
  return Object.fromEntries([...nodes].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function hasKeys(node: Node): boolean {
  return Object.keys(node).length > 0
}

function kindOf(value: unknown): string {
  return Number.isInteger(value) ? 'integer' : typeof value
}
