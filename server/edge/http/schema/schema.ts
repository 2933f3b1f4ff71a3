// The only importer of typebox. Schemas print as plain JSON Schema, so the same value checks a
// request, types its handler and appears in the OpenAPI document. Only the types of typebox's
// builders are imported; four builders are written here. The originals pull in 450 modules, which
// each thread that checks a body would load (a fifth of a second of a start).
import type { Static, TArray, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox'
import { Compile } from 'typebox/schema'
import type { Issue } from '../../../messages/refusal.ts'
import { type SchemaError, wordsOf } from './issue-text.ts'

export type Schema = TSchema
export type Fields = TProperties
export type Infer<S extends Schema> = Static<S>
export type Values<F extends Fields> = Static<TObject<F>>
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

export interface Checker<T> {
  /** Takes about a microsecond for a body of twenty fields. */
  holds(value: unknown): value is T
  /** Costs thirty times as much as `holds`: call it only to explain a refusal. */
  issues(value: unknown): Issue[]
}

/** An object that accepts no other fields. */
export function object<F extends Fields>(fields: F): TObject<F> {
  return Object.assign(openObject(fields), { additionalProperties: false })
}

/** An object that may have fields we do not read. */
export function openObject<F extends Fields>(fields: F): TObject<F> {
  const required = Object.keys(fields).filter((name) => !('~optional' in fields[name]))
  const needed = required.length === 0 ? {} : { required }
  return { type: 'object', ...needed, properties: fields } as TObject<F>
}

/** An optional field. The mark `~optional` is typebox's and is not printed. */
export function optional<S extends Schema>(schema: S): TOptional<S> {
  return Object.defineProperty({ ...schema }, '~optional', { value: true }) as TOptional<S>
}

export function list<S extends Schema>(items: S, minItems = 0, maxItems?: number): TArray<S> {
  const most = maxItems === undefined ? {} : { maxItems }
  const plain: Schema = { type: 'array', items, minItems, ...most }
  return plain as TArray<S>
}

/** A schema given as JSON Schema. The caller must supply the matching `T`. */
export function schemaOf<T>(keywords: Readonly<Record<string, unknown>>): TUnsafe<T> {
  const plain: Schema = { ...keywords }
  return plain as TUnsafe<T>
}

/** A field of one shape for each row of a table, by the name of the row. */
export function fieldsOf<Row extends { readonly name: string }, S extends Schema>(
  rows: readonly Row[],
  make: (row: Row) => S,
): { [Name in Row['name']]: S } {
  const fields = rows.map((row) => [row.name, make(row)])
  return Object.fromEntries(fields) as { [Name in Row['name']]: S }
}

/** A field for each row of a table, by the name of the row, whose shape its kind gives. */
export function fieldsBy<
  Row extends { readonly name: string; readonly kind: string },
  Made extends Readonly<Record<Row['kind'], (row: Row) => Schema>>,
>(rows: readonly Row[], made: Made) {
  const fields = rows.map((row) => [row.name, made[row.kind as Row['kind']](row)])
  return Object.fromEntries(fields) as { [R in Row as R['name']]: ReturnType<Made[R['kind']]> }
}

/** Any of several shapes. */
export function anyOf<S extends Schema[]>(...schemas: S): TUnsafe<Infer<S[number]>> {
  return schemaOf<Infer<S[number]>>({ anyOf: schemas })
}

/** The checker of a schema, compiled at first use. Without a schema, only undefined passes. */
export function compile<S extends Schema>(schema: S | undefined): Checker<Infer<S>> {
  if (schema === undefined) {
    return { holds: (value): value is Infer<S> => value === undefined, issues: () => [] }
  }
  // Compiling hundreds of checkers would add a tenth of a second to each start.
  let compiled: ReturnType<typeof Compile> | undefined
  const validator = () => {
    compiled ??= Compile(schema)
    return compiled
  }
  const shapes = shapesOf(schema)
  return {
    holds: (value): value is Infer<S> => validator().Check(value),
    issues: (value) => {
      // In a choice, the only shape of the value's own kind explains the fault.
      const alike = shapes.filter(({ kind }) => kind === kindOf(value))
      if (alike.length === 1) return alike[0].checker.issues(value)
      const errors = validator().Errors(value)[1]
      const issues = errors.flatMap((error) => issuesOf(error, schema))
      // With many unknown fields, the error that names them together is beyond the last one.
      return issues.length > 0 ? issues : errors.filter(isOfUnknown).map(unknownIssue)
    },
  }
}

interface Shape {
  readonly kind: unknown
  readonly checker: Checker<unknown>
}

/** The shapes of a choice; empty for any other schema. */
function shapesOf(schema: object): Shape[] {
  const shapes: unknown = Reflect.get(schema, 'anyOf')
  if (!Array.isArray(shapes)) return []
  return shapes.map((shape: Schema) => {
    return { kind: Reflect.get(shape, 'type'), checker: compile(shape) }
  })
}

/** The kind in the form of the `type` keyword. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The checker of a closed object with these fields, or with none. */
export function compileFields<F extends Fields>(
  fields: F | undefined,
  more: Fields = {},
): Checker<Values<F>> {
  return compile(object({ ...fields, ...more })) as Checker<Values<F>>
}

const UNKNOWN = 'is not a known field'

function isOfUnknown({ schemaPath }: SchemaError): boolean {
  return schemaPath.endsWith('/additionalProperties')
}

function unknownIssue({ instancePath }: SchemaError): Issue {
  const names = instancePath.slice(1).split('/')
  const read = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return { field: read.join('.'), message: UNKNOWN }
}

function issuesOf(error: SchemaError, root: object): Issue[] {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const under = (name: string) => (path === '' ? name : `${path}.${name}`)
  const params = error.params as Readonly<Record<string, readonly string[] | undefined>>
  if (error.keyword === 'required') {
    const names = params.requiredProperties ?? []
    return names.map((name) => ({ field: under(name), message: 'is required' }))
  }
  if (error.keyword === 'additionalProperties') {
    const names = params.additionalProperties ?? []
    return names.slice(0, 8).map((name) => ({ field: under(name), message: UNKNOWN }))
  }
  // The line above already covers this.
  if (isOfUnknown(error)) return []
  const message = wordsOf(error, root)
  return message === null ? [] : [{ field: path, message }]
}
