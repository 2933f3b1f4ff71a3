import { api } from '../../server/api/routes.ts'
import { at } from '../support/json-path.ts'
import { answeringRoute } from './judge.ts'
import { nameOf, type Plan } from './plan.ts'
import type { Rendered } from './render.ts'
import { SOCKET_ROUTE } from './talk-plan.ts'

// Counts how often each route gave each status. A route that never succeeded was not tried, only
// refused.

const NO_ROUTE = 'no route'
const EACH = ', each'
/** Routes that find something in a demo exchange alone; the fuzzed one is none. */
const IN_DEMO: ReadonlySet<string> = new Set(['GET /demo/traders'])

interface Stated {
  readonly status: number
  readonly code: string
}

export interface Replied extends Stated {
  /** The outcomes inside a reply with several results. */
  readonly each: readonly Stated[]
}

const WORDS = new Map([
  ['found', 200],
  ['not_found', 404],
  ['invalid', 400],
])

/** Each part of a replacement has a word for its status: it succeeded or it failed. */
function statedOf(result: unknown): Stated {
  const status = at(result, 'status')
  const part = at(result, 'replacement')
  if (part === undefined) {
    const number = typeof status === 'number' ? status : (WORDS.get(String(status)) ?? 0)
    return { status: number, code: String(at(result, 'code')) }
  }
  const isDone = at(part, 'status') === 'SUCCESS'
  return { status: isDone ? 201 : 409, code: String(at(part, 'error', 'code')) }
}

export function resultsOf(body: unknown): Stated[] {
  const results = at(body, 'results')
  return Array.isArray(results) ? results.map(statedOf) : []
}

export class Tally {
  readonly #counts = new Map<string, Map<number, number>>()
  /** Like `POST /orders ORDER_EXPIRED`. */
  readonly #codes = new Set<string>()

  add({ route }: Plan, rendered: Rendered, reply: Replied): void {
    const found = route === SOCKET_ROUTE ? null : answeringRoute(rendered)
    const name = route === SOCKET_ROUTE ? route : found === null ? NO_ROUTE : nameOf(found)
    this.#count(name, reply.status, 1)
    this.#codes.add(`${name} ${reply.code}`)
    for (const { status, code } of reply.each) {
      this.#count(name + EACH, status, 1)
      this.#codes.add(`${name} ${code}`)
    }
  }

  addAll(other: Tally): void {
    for (const [name, statuses] of other.#counts) {
      for (const [status, count] of statuses) this.#count(name, status, count)
    }
    for (const code of other.#codes) this.#codes.add(code)
  }

  #count(name: string, status: number, count: number): void {
    const statuses = this.#counts.get(name) ?? new Map<number, number>()
    this.#counts.set(name, statuses)
    statuses.set(status, (statuses.get(status) ?? 0) + count)
  }

  /** Counts whole replies, without the results inside them. */
  count(status: number): number {
    const rows = [...this.#counts].filter(([name]) => !name.endsWith(EACH))
    return rows.reduce((sum, [, statuses]) => sum + (statuses.get(status) ?? 0), 0)
  }

  /** Routes that never gave their status of success. */
  get unreached(): string[] {
    const isReached = (name: string, status: number) =>
      (this.#counts.get(name)?.get(status) ?? 0) > 0
    const tried = api.filter((route) => !IN_DEMO.has(nameOf(route)))
    const unreached = tried.filter((route) => !isReached(nameOf(route), route.status)).map(nameOf)
    return isReached(SOCKET_ROUTE, 101) ? unreached : [...unreached, SOCKET_ROUTE]
  }

  /** Refusals that a route names and never gave. */
  get unreceived(): string[] {
    return api.flatMap((route) =>
      route.rejects
        .filter((code) => !this.#codes.has(`${nameOf(route)} ${code}`))
        .map((code) => `${nameOf(route)} ${code}`),
    )
  }

  /** Each status and how often it came, in one line. */
  get line(): string {
    const came = [...this.#statuses].filter((status) => this.count(status) > 0)
    return came.map((status) => `${status}: ${this.count(status)}`).join(', ')
  }

  get #statuses(): Set<number> {
    const all = [...this.#counts.values()].flatMap((statuses) => [...statuses.keys()])
    return new Set(all.sort((one, other) => one - other))
  }

  /** Routes as rows, statuses as columns. */
  get table(): string {
    const statuses = [...this.#statuses]
    const names = [...this.#counts.keys()].sort()
    const width = Math.max(...names.map((name) => name.length))
    const row = (name: string, cells: readonly (number | string)[]) =>
      [name.padEnd(width), ...cells.map((cell) => `${cell}`.padStart(6))].join('')
    const rows = names.map((name) =>
      row(
        name,
        statuses.map((status) => this.#counts.get(name)?.get(status) ?? ''),
      ),
    )
    return [row('', statuses), ...rows].join('\n')
  }
}
