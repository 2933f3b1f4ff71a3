// Describes validation errors in words that a caller can act on, never as a pattern or in schema
// terms. The described form of a pattern precedes the words of its keyword.

/** An error as returned by the validator. */
export interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

type Node = Readonly<Record<string, unknown>>

/** Holds the form of a pattern whose description has more text; a symbol is never printed. */
export const FORM = Symbol('form')

/** Holds the words of a schema for the errors of some keywords; a symbol is never printed. */
export const WORDS = Symbol('words')

/** The message for an address that `isAddress` rejects. */
export const WRONG_CHECKSUM = 'has a wrong EIP-55 checksum; correct it, or send lower case'

const KINDS: ReadonlyMap<unknown, string> = new Map([
  ['string', 'text'],
  ['integer', 'an integer'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
])

const OTHER_FORM = 'does not match the form of this field'

function recordOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** The part of a schema that a path like `#/properties/a/anyOf/0` names. */
function nodeAt(root: object, path: string): Node {
  let node = recordOf(root)
  for (const step of path.split('/').slice(1)) {
    node = recordOf(node[step.replaceAll('~1', '/').replaceAll('~0', '~')])
  }
  return node
}

/** True for a choice between one shape and null. */
export function isNullable(node: object): boolean {
  const { anyOf } = recordOf(node)
  if (!Array.isArray(anyOf)) return false
  return anyOf.length === 2 && anyOf.some((each) => recordOf(each).type === 'null')
}

function kindsOf(node: Node): string {
  const { anyOf, type } = node
  if (Array.isArray(anyOf)) return anyOf.map((each) => kindsOf(recordOf(each))).join(' or ')
  return listOf(type)
    .map((each) => KINDS.get(each) ?? 'of another form')
    .join(' or ')
}

/** True for an error that only states that one of several shapes does not fit. */
function isOfOneShape(root: object, path: string, node: Node): boolean {
  const at = path.indexOf('/anyOf/')
  if (at === -1) return false
  return !isNullable(nodeAt(root, path.slice(0, at))) || node.type === 'null'
}

/** The words for an error; null when another error of the same value covers it. */
export function wordsOf(error: SchemaError, root: object): string | null {
  const { keyword, schemaPath } = error
  const node = nodeAt(root, schemaPath)
  if (isOfOneShape(root, schemaPath, node)) return null
  if (keyword === 'anyOf' && isNullable(node)) return null
  const own = recordOf(Reflect.get(node, WORDS))[keyword]
  if (typeof own === 'string') return own
  const { limit } = recordOf(error.params)
  switch (keyword) {
    case 'type':
    case 'anyOf':
      return `must be ${kindsOf(node)}`
    case 'enum':
      return `must be one of ${listOf(node.enum).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(node.const)}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} items`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'pattern':
      return patternWords(node)
    default:
      return OTHER_FORM
  }
}

/** The sentence that describes a pattern; undefined for a schema without one. */
export function formOf(schema: object): string | undefined {
  const { pattern, description } = recordOf(schema)
  const form: unknown = Reflect.get(schema, FORM) ?? description
  return pattern !== undefined && typeof form === 'string' ? form : undefined
}

function patternWords(node: Node): string {
  const form = formOf(node)
  return form === undefined ? OTHER_FORM : `must have this form: ${form.replace(/[.]$/, '')}`
}
