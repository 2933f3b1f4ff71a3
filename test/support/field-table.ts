import { api } from '../../server/api/routes.ts'
import { DOCUMENTED_EVENTS } from '../../server/api/streams/schema/asyncapi.ts'

// The fields of all replies and frames, by name: what values each has, and in what unit.

type Node = Readonly<Record<string, unknown>>

/** One field of one object. */
export interface FieldUse {
  readonly name: string
  /** The call or the frame, and the objects that lead to the field. */
  readonly at: string
  readonly form: string
  /** The values of a field that has only some; empty for any other. */
  readonly words: readonly string[]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Forms of text that have a pattern; any other text is text. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^\^0x\[0-9a-fA-F]\{40}\$$|^\^0x\[0-9a-f]\{40}\$$/, 'address'],
  [/^\^0x\[0-9a-fA-F]\{64}\$$/, '32 bytes'],
  [/^\^\[0-9a-f]\{64}\$$/, '64 hex digits'],
  [/^\^\[0-9]\{4}-/, 'ISO 8601'],
  [/^\^\[0-9a-fA-F]\{8}-/, 'UUID'],
  [/\[\.\]/, 'decimal text'],
  [/^\^[-?(0|]*\[1-9]/, 'integer text'],
]

function formOfText(pattern: unknown): string {
  const found = PATTERNS.find(([known]) => known.test(String(pattern)))
  return found?.[1] ?? 'text'
}

function kindOf(schema: Node): string {
  if ('const' in schema) {
    return typeof schema.const === 'string' ? 'text' : typeof schema.const
  }
  if (schema.type === 'string') return formOfText(schema.pattern)
  if (schema.type !== 'array') return String(schema.type)
  return isNode(schema.items) ? `list of ${kindOf(schema.items)}` : 'list'
}

/** The shapes of a choice but null, or the schema itself. */
function shapesOf(schema: Node): readonly Node[] {
  const choice = nodesOf(schema.anyOf)
  return choice.length === 0 ? [schema] : choice.filter(({ type }) => type !== 'null')
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/\bbasis points\b/i, 'basis points'],
  [/\bUnix milliseconds\b/i, 'Unix milliseconds'],
  [/\bUnix seconds\b/i, 'Unix seconds'],
  [/\braw\b/i, 'raw'],
  [/\bwhole (units|collateral|shares)\b/i, 'whole units'],
  [/\bpercent\b/i, 'percent'],
]
const NUMBERS = /^(list of )?(integer|number|integer text|decimal text)$/

function unitOf(schema: Node, kind: string): string {
  if (!NUMBERS.test(kind)) return ''
  const found = UNITS.find(([words]) => words.test(String(schema.description)))
  return found === undefined ? '' : `, ${found[1]}`
}

function usesIn(node: unknown, at: string): FieldUse[] {
  if (!isNode(node)) return []
  const fields = isNode(node.properties) ? Object.entries(node.properties) : []
  const own = fields.flatMap(([name, schema]): FieldUse[] => {
    if (!isNode(schema)) return []
    const below = usesIn(schema, `${at} ${name}`)
    const shapes = shapesOf(schema)
    const forms = new Set(shapes.map((shape) => `${kindOf(shape)}${unitOf(schema, kindOf(shape))}`))
    const words = shapes.flatMap((shape) =>
      Array.isArray(shape.enum) ? shape.enum.map(String) : [],
    )
    return [{ name, at, form: [...forms].sort().join(' or '), words }, ...below]
  })
  const parts = [node.items, node.additionalProperties, ...nodesOf(node.anyOf)]
  return [...own, ...parts.flatMap((part) => usesIn(part, at))]
}

/** Every field of every reply and frame. */
export function fieldUses(): readonly FieldUse[] {
  return [
    ...api.flatMap(({ method, path, reply }) => usesIn(reply, `${method} ${path}`)),
    ...DOCUMENTED_EVENTS.flatMap(({ name, payload }) => usesIn(payload, name)),
  ]
}
