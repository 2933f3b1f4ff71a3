// The AsyncAPI document of the sockets as a page without scripts: what a client may send, what it
// then receives, and every message with its fields and its example.
//
// The usual library, @asyncapi/react-component 3.2.1, is 2.5 MB of script without its parser, and
// it compiles code from text. No page of the exchange may do that, so this one is our own.

import { escaped, htmlPage } from './html.ts'

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly pattern?: string
  readonly [bound: string]: unknown
}

interface Message {
  readonly name: string
  readonly summary: string
  readonly payload: Schema
  readonly examples: readonly { readonly payload: unknown }[]
}

interface Reference {
  readonly $ref: string
}

interface Operation {
  readonly action: string
  readonly summary: string
  readonly messages: readonly Reference[]
  readonly security?: readonly Reference[]
  readonly reply?: { readonly messages: readonly Reference[] }
}

interface DocumentedPage {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly operations: Readonly<Record<string, Operation>>
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>
    readonly securitySchemes: Readonly<
      Record<string, { readonly in: string; readonly name: string; readonly description: string }>
    >
  }
}

const BOUNDS: readonly (readonly [key: string, words: string])[] = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'minimum length'],
  ['maxLength', 'maximum length'],
  ['minItems', 'minimum entries'],
  ['maxItems', 'maximum entries'],
]

const code = (text: string): string => `<code>${escaped(text)}</code>`
const nameIn = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1)
const linked = (reference: Reference): string =>
  `<a href="#message-${escaped(nameIn(reference))}">${code(nameIn(reference))}</a>`

/** The values that a schema accepts, in one line. */
function valuesOf(schema: Schema): string {
  const { type = '', enum: words, anyOf, items, pattern } = schema
  if (anyOf !== undefined) return anyOf.map(valuesOf).join(' or ')
  if (words !== undefined) return words.map((word) => code(JSON.stringify(word))).join(', ')
  const bounds = BOUNDS.filter(([key]) => schema[key] !== undefined)
  const stated = bounds.map(([key, sentence]) => `, ${sentence} ${escaped(String(schema[key]))}`)
  const form = pattern === undefined ? '' : `, like ${code(pattern)}`
  const of = items === undefined ? '' : ` of ${valuesOf(items)}`
  return `${escaped(type)}${of}${stated.join('')}${form}`
}

/** A row for each property at each depth; `path` leads to the properties of `schema`. */
function rowsOf(schema: Schema, path: string): string[] {
  const { properties = {}, required = [], items, anyOf = [] } = schema
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const cells = [
      code(path + name) + (required.includes(name) ? '' : ' (optional)'),
      valuesOf(property),
      escaped(property.description ?? ''),
    ]
    const row = `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
    return [row, ...rowsOf(property, `${path}${name}.`)]
  })
  const inItems = items === undefined ? [] : rowsOf(items, path.replace(/\.$/, '[].'))
  return [...own, ...inItems, ...anyOf.flatMap((each) => rowsOf(each, path))]
}

function fieldsOf(payload: Schema): string {
  const rows = rowsOf(payload, '')
  if (rows.length === 0) return '<p>No fields.</p>'
  const head = '<tr><th>field</th><th>values</th><th>meaning</th></tr>'
  return `<table tabindex="0">${head}${rows.join('')}</table>`
}

function messageOf({ name, summary, payload, examples }: Message): string {
  const shown = examples.map((example) => {
    const text = escaped(JSON.stringify(example.payload, null, 2))
    return `<p>Example:</p><pre tabindex="0"><code>${text}</code></pre>`
  })
  return (
    `<h3 id="message-${escaped(name)}">${code(name)}</h3><p>${escaped(summary)}</p>` +
    fieldsOf(payload) +
    shown.join('')
  )
}

function operationOf({ action, summary, messages, security = [], reply }: Operation): string {
  const who = action === 'receive' ? 'A client sends' : 'A client receives'
  const proofs = security.map((each) => code(nameIn(each))).join(' or ')
  const needs = proofs === '' ? '' : ` Requires authentication: ${proofs}.`
  const answer = reply === undefined ? '' : ` Reply: ${reply.messages.map(linked).join(', ')}.`
  return `<li>${who} ${messages.map(linked).join(', ')}: ${escaped(summary)}${needs}${answer}</li>`
}

/** The name of the schema that a value refers to; null for any other value. */
function schemaIn(value: unknown): string | null {
  const isObject = typeof value === 'object' && value !== null
  const reference: unknown = isObject ? Reflect.get(value, '$ref') : undefined
  const found = typeof reference === 'string' ? SCHEMA.exec(reference) : null
  return found === null ? null : found[1]
}

const SCHEMA = /^#\/components\/schemas\/(.+)$/

/** The document with every reference replaced by its schema; no schema refers to itself. */
function whole(json: string, schemas: Readonly<Record<string, unknown>>): DocumentedPage {
  return JSON.parse(json, (_key, value: unknown) => {
    const name = schemaIn(value)
    if (name !== null) return whole(JSON.stringify(schemas[name]), schemas)
    // A reference with its own description.
    const { allOf, ...own } = Object(value)
    return Array.isArray(allOf) ? { ...allOf[0], ...own } : value
  })
}

/** The page; `json` is the text of the document. */
export function asyncapiPage(json: string): Uint8Array {
  const { schemas } = Object(JSON.parse(json).components)
  const { info, operations, components } = whole(json, schemas)
  const proofs = Object.entries(components.securitySchemes).map(([name, scheme]) => {
    const where = `${escaped(scheme.in)} ${code(scheme.name)}`
    return `<li>${code(name)}, ${where}: ${escaped(scheme.description)}</li>`
  })
  const body =
    '<p><a href="/docs">All documents</a> · <a href="/asyncapi.json">asyncapi.json</a></p>' +
    `<h1>${escaped(info.title)} ${escaped(info.version)}: the sockets</h1>` +
    `<p>${escaped(info.description)}</p>` +
    `<h2>Operations</h2><ul>${Object.values(operations).map(operationOf).join('')}</ul>` +
    `<h2>Authentication</h2><ul>${proofs.join('')}</ul>` +
    `<h2>Messages</h2>${Object.values(components.messages).map(messageOf).join('')}`
  return Buffer.from(htmlPage(`${info.title}: the sockets`, body))
}
