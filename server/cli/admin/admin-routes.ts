// What the routes of the admin API take, as the lines of `outcomex admin` need it. The build writes
// it into a file, because the routes load half of the exchange: a tenth of a second for each line.

import { existsSync, readFileSync } from 'node:fs'
import { isRecord } from '../../edge/http/request-text.ts'

/** What the build made, in the folder of the program. */
export const ADMIN_ROUTES_FILE = 'admin-routes.json'
const BUILT = new URL(`./${ADMIN_ROUTES_FILE}`, import.meta.url)

/** The part of JSON Schema that the routes use. */
export interface FieldSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly anyOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: FieldSchema | false
}

export interface AdminRoute {
  readonly method: string
  /** `/admin/markets/:slug` */
  readonly path: string
  readonly about: string
  readonly params: FieldSchema
  readonly query: FieldSchema
  readonly body: FieldSchema | null
}

/** Of the route values themselves. A refusal says the form of a text, so the help need not. */
export async function describedRoutes(): Promise<string> {
  const { api } = await import('../../api/routes.ts')
  const { FORM } = await import('../../edge/http/schema/issue-text.ts')
  const { object } = await import('../../edge/http/schema/schema.ts')
  const withoutForm = (_key: string, value: unknown) => {
    const form: unknown = isRecord(value) ? Reflect.get(value, FORM) : undefined
    if (!isRecord(value) || form === undefined) return value
    return { ...value, description: String(value.description).replace(` ${form}`, '') }
  }
  const described = api
    .filter(({ path }) => path.startsWith('/admin/'))
    .map(({ method, path, about, params, query, body }) => {
      return { method, path, about, params: object(params), query: object(query), body }
    })
  return JSON.stringify(described, withoutForm)
}

export async function adminRoutes(): Promise<readonly AdminRoute[]> {
  return JSON.parse(existsSync(BUILT) ? readFileSync(BUILT, 'utf8') : await describedRoutes())
}
