import type { Shape } from './shape.ts'
import { FOLDERS, SAME_FOLDER, SOURCE_FOLDERS } from './tidy-tables.ts'

// The rules about who may import whom, over all files at once.

type Report = (path: string, rule: string, line: number, detail: string) => void
type Folder = (typeof FOLDERS)[number]

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

function folderOf(path: string): Folder | undefined {
  let at = path.slice(0, path.lastIndexOf('/'))
  at = SAME_FOLDER.get(at) ?? at
  while (at !== '') {
    const folder = FOLDERS.find((candidate) => candidate.path === at)
    if (folder) return folder
    // A file straight in server/ is wiring; a folder in it without a rank is not.
    at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : ''
    if (at === 'server') return undefined
  }
  return undefined
}

function isDoor(folder: Folder, path: string): boolean {
  const name = path.slice(folder.path.length + 1)
  return folder.doors.some((door) =>
    door.endsWith('*') ? name.startsWith(door.slice(0, -1)) : door === name,
  )
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
    const own = folderOf(shape.path)
    if (!own) {
      report(shape.path, 'folder', 1, 'this folder has no rank in the table')
      continue
    }
    for (const { to, line } of edgesOf(shape)) {
      const other = folderOf(to)
      if (other === own) continue
      if (!other) report(shape.path, 'folder', line, `${to} is in no folder of the table`)
      else if (other.rank > own.rank) report(shape.path, 'layer', line, `${to} is above`)
      else if (other.rank === own.rank) report(shape.path, 'stranger', line, `${to} is beside`)
      else if (!isDoor(other, to)) report(shape.path, 'door', line, `${to} is no door`)
    }
  }
}

function packageOf(from: string): string {
  const parts = from.split('/')
  return from.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? from)
}

/** Types may be named anywhere: what is held in one place is the use of the library. */
function checkForeign(sources: readonly Shape[], report: Report): void {
  const importers = new Map<string, string>()
  for (const { path, imports } of sources) {
    for (const { from, line, isTypeOnly } of imports) {
      if (isTypeOnly || from.startsWith('.') || from.startsWith('node:')) continue
      const library = packageOf(from)
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
