import type { Shape } from './shape.ts'
import { ALL, DOORS_MAX, ROOMS } from './tidy-rooms.ts'
import { PROOF_FILES, SOURCE_FOLDERS } from './tidy-tables.ts'

// The rules about which files may import which, over all files at once.

type Report = (path: string, rule: string, line: number, detail: string) => void

interface Edge {
  readonly to: string
  readonly line: number
}

export function checkGraph(shapes: readonly Shape[], report: Report): void {
  const sources = shapes.filter(({ path }) => SOURCE_FOLDERS.includes(path.split('/')[0] ?? ''))
  checkLayers(sources, report)
  checkForeign(sources, report)
  checkCycles(shapes, report)
}

/** The place of a file in the table, lowest first; undefined when its folder has no place. */
function placeOf(path: string): number | undefined {
  const slash = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)]
  const named = ROOMS.findIndex((room) => room.path === folder && room.files?.includes(name))
  if (named >= 0) return named
  const whole = ROOMS.findIndex((room) => room.path === folder && room.files === undefined)
  return whole < 0 ? undefined : whole
}

function isDoor(path: string): boolean {
  const slash = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)]
  return ROOMS.some(({ path: at, doors }) => {
    return at === folder && (doors === ALL || doors.includes(name))
  })
}

/** What is wrong with the table itself, given every file that there is. */
export function tableFaults(paths: readonly string[]): string[] {
  const there = new Set(paths)
  const faults: string[] = []
  let rank = 0
  for (const { path, rank: own, files = [], doors, why = '' } of ROOMS) {
    if (own < rank) faults.push(`${path} has rank ${own} and stands after rank ${rank}`)
    rank = own
    if (!paths.some((each) => each.startsWith(`${path}/`))) faults.push(`${path} is no folder`)
    const named = doors === ALL ? files : [...files, ...doors]
    for (const name of named) {
      if (!there.has(`${path}/${name}`)) faults.push(`${path}/${name} does not exist`)
    }
    const isWide = doors !== ALL && doors.length > DOORS_MAX
    if (isWide && why === '') faults.push(`${path} has ${doors.length} doors and no reason`)
  }
  for (const path of PROOF_FILES) if (!there.has(path)) faults.push(`${path} does not exist`)
  return faults
}

function resolve(path: string, from: string): string {
  const parts = path.split('/').slice(0, -1)
  for (const part of from.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function edgesOf({ path, imports }: Shape): Edge[] {
  const near = imports.filter(({ from }) => from.startsWith('.'))
  return near.map(({ from, line }) => ({ to: resolve(path, from), line }))
}

function checkLayers(sources: readonly Shape[], report: Report): void {
  for (const shape of sources) {
    const own = placeOf(shape.path)
    if (own === undefined) {
      report(shape.path, 'folder', 1, 'this folder has no place in the table')
      continue
    }
    for (const { to, line } of edgesOf(shape)) {
      const other = placeOf(to)
      if (other === undefined) report(shape.path, 'folder', line, `${to} has no place in the table`)
      else if (other > own) report(shape.path, 'layer', line, `${to} stands above`)
      else if (ROOMS[other].path !== ROOMS[own].path && !isDoor(to)) {
        report(shape.path, 'door', line, `${to} is no door`)
      }
    }
  }
}

const BROWSERS = 'server/console/'

function packageOf(from: string): string {
  const parts = from.split('/')
  return from.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? from)
}

/** Types may be named anywhere; only the use of a library is kept to one file. */
function checkForeign(sources: readonly Shape[], report: Report): void {
  const importers = new Map<string, string>()
  for (const { path, imports } of sources) {
    for (const { from, line, isTypeOnly } of imports) {
      if (isTypeOnly || from.startsWith('.') || from.startsWith('node:')) continue
      // What browsers run is a program of its own.
      const program = path.startsWith(BROWSERS) ? BROWSERS : ''
      const library = `${program}${packageOf(from)}`
      const first = importers.get(library) ?? path
      importers.set(library, first)
      if (first !== path) report(path, 'foreign', line, `${library} belongs to ${first}`)
    }
  }
}

function checkCycles(shapes: readonly Shape[], report: Report): void {
  const graph = new Map(shapes.map((shape) => [shape.path, edgesOf(shape)]))
  const finished = new Set<string>()
  const trail: string[] = []
  const visit = (path: string): void => {
    trail.push(path)
    for (const { to, line } of graph.get(path) ?? []) {
      const start = trail.indexOf(to)
      if (start >= 0) report(path, 'cycle', line, [...trail.slice(start), to].join(' → '))
      else if (!finished.has(to)) visit(to)
    }
    trail.pop()
    finished.add(path)
  }
  for (const path of graph.keys()) if (!finished.has(path)) visit(path)
}
