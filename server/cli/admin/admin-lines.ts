// The lines of `outcomex admin` and the calls they become. Each call of the admin API has one, made
// from its route: path parameters and some fields are words, the other fields are flags.

import type { Grammar, Line } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { flagOf, readSetting } from '../../settings/flags.ts'
import { onOff } from '../../settings/kinds.ts'
import { urlFlag } from '../common-flags.ts'
import { type FlagField, flagFor, type Values, type WordField, wordFor } from './admin-fields.ts'
import type { AdminRoute, FieldSchema } from './admin-routes.ts'
import { ADMIN_ROWS, type AdminRow } from './admin-rows.ts'
import { type AdminCall, type Form, OWN_CALLS, OWN_FORMS } from './own-forms.ts'

export interface AdminLine {
  readonly call: AdminCall
  /** The flags or words of the fields of the call, for refusals. */
  readonly fields: Readonly<Record<string, string>>
  readonly token: string | undefined
  readonly url: string | undefined
  readonly dataDir: string
  /** Whether to print the reply as one line of JSON. */
  readonly isJson: boolean
  /** The list in the reply that is shown as a table; null for none. */
  readonly table: string | null
}

const URL_FLAG = urlFlag(
  'url',
  'Address of the server; else the one in demo.json, else http://127.0.0.1:3000.',
)
const JSON_FLAG = flagOf('json', onOff, false, 'Print one line of JSON, not a table or a text.')

/** The fields of the query or of the body, or of one item of a list in it. */
function fieldsOf({ query, body }: AdminRoute, one: string | undefined): FieldSchema {
  const whole = body ?? query
  return (one === undefined ? whole : whole.properties?.[one]?.items) ?? {}
}

function flagsFor(schema: FieldSchema, row: AdminRow, words: readonly WordField[]): FlagField[] {
  const { flags = [], omit = [], called = {}, filled = [] } = row
  const taken = new Set([...omit, ...[...words, ...flags].flatMap(({ names }) => names)])
  const left = Object.entries(schema.properties ?? {}).filter(([name]) => !taken.has(name))
  const made = left.map(([name, field]) => {
    const isNeeded = schema.required?.includes(name) === true && field.default === undefined
    const isRequired = isNeeded && !filled.includes(name)
    return flagFor(name, field, { isRequired, called: called[name] })
  })
  return [...flags, ...made]
}

/** What the words say, each by as many of them as it takes. */
function valuesOf(fields: readonly WordField[], texts: readonly string[]): Values {
  let at = 0
  return Object.assign(
    {},
    ...fields.map((field) => {
      const end = field.isMany ? texts.length : at + field.words.length
      const own = texts.slice(at, end)
      at = end
      return field.read(own)
    }),
  )
}

/** The names by which refusals call the fields of the request. */
function namesOf(words: readonly WordField[], flags: readonly FlagField[], head: string) {
  const ofWords = words.flatMap(({ names, words: [{ shape }] }) => {
    return names.map((name) => [head + name, shape.slice(1, -1)])
  })
  const ofFlags = flags.flatMap(({ names, row }) => {
    return names.map((name) => [head + name, `--${row.flag}`])
  })
  return Object.fromEntries([...ofWords, ...ofFlags])
}

function queryOf(values: Values): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}

/** The call with what a line says of the path, and of the query or the body. */
function callOf({ method, path, body }: AdminRoute, row: AdminRow, ofPath: Values, output: Values) {
  const target = path.replaceAll(/:([A-Za-z]+)/g, (_all, name) => {
    return encodeURIComponent(String(ofPath[name]))
  })
  const values = row.finish?.(output) ?? output
  if (body === null && row.finish === undefined) {
    return { method, path: target + queryOf(values), body: '' }
  }
  const whole = row.one === undefined ? values : { [row.one]: [values] }
  return { method, path: target, body: JSON.stringify(whole) }
}

function formOf(route: AdminRoute, row: AdminRow, group: string): Form {
  const schema = fieldsOf(route, row.one)
  const params = Object.entries(route.params.properties ?? {})
  const ofPath = params.map(([name, field]) => wordFor(name, field))
  const ofBody = (row.words ?? []).map((each) => {
    return typeof each === 'string' ? wordFor(each, schema.properties?.[each] ?? {}) : each
  })
  const flags = flagsFor(schema, row, ofBody)
  const head = row.one === undefined ? '' : `${row.one}.0.`
  return {
    about: row.about ?? route.about,
    group,
    words: [...ofPath, ...ofBody].flatMap((each) => each.words),
    flags: flags.map((each) => each.row),
    fields: { ...namesOf(ofPath, [], ''), ...namesOf(ofBody, flags, head) },
    table: row.table,
    callOf({ words: texts, given }) {
      const ofFlags = Object.assign({}, ...flags.map(({ read }) => read(given)))
      const output = { ...valuesOf(ofBody, texts.slice(ofPath.length)), ...ofFlags }
      return callOf(route, row, valuesOf(ofPath, texts), output)
    },
  }
}

/** `GET /admin/log/:id` is `get-log-id`. */
function nameOf({ method, path }: AdminRoute): string {
  const parts = path
    .split('/')
    .slice(2)
    .map((part) => part.replace(':', ''))
  return [method, ...parts]
    .join('-')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()
}

/** Every line by its name. */
function formsOf(routes: readonly AdminRoute[]): Readonly<Record<string, Form>> {
  const byCall = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]))
  const named = Object.entries(ADMIN_ROWS).flatMap(([group, rows]) => {
    return Object.entries(rows).map(([name, row]) => ({
      group,
      name,
      row,
      route: byCall.get(row.call),
    }))
  })
  const known = new Set<string>([...OWN_CALLS, ...named.map(({ row }) => row.call)])
  const others = routes.flatMap((route): [string, Form][] => {
    const call = `${route.method} ${route.path}`
    if (known.has(call)) return []
    return [[nameOf(route), formOf(route, { call }, 'Others:')]]
  })
  const forms = named.flatMap(({ group, name, row, route }): [string, Form][] => {
    return route === undefined ? [] : [[name, formOf(route, row, group)]]
  })
  return Object.fromEntries([...forms, ...others, ...Object.entries(OWN_FORMS)])
}

export interface AdminLines {
  readonly grammar: Grammar
  /** The call of a line; a wrong use throws a sentence. */
  readonly read: (line: Line) => AdminLine
}

export function adminLines(routes: readonly AdminRoute[]): AdminLines {
  const forms = formsOf(routes)
  return {
    grammar: { flags: [URL_FLAG, JSON_FLAG, SETTINGS.adminToken, SETTINGS.data], commands: forms },
    read(line) {
      const { callOf, fields, table = null } = forms[line.name]
      return {
        call: callOf(line),
        fields,
        table,
        isJson: readSetting(JSON_FLAG, line.given),
        token: readSetting(SETTINGS.adminToken, line.given),
        url: readSetting(URL_FLAG, line.given),
        dataDir: readSetting(SETTINGS.data, line.given),
      }
    },
  }
}
