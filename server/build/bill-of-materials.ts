// The contents of a binary in CycloneDX 1.5 format: node itself, and the packages that the program
// needs, as pinned in the lock file. The list is walked from the program, because `npm sbom
// --omit=dev` omits packages that a development tool also needs.

import { text } from '../edge/http/schema/scalars.ts'
import {
  compile,
  type Infer,
  list,
  openObject,
  optional,
  schemaOf,
} from '../edge/http/schema/schema.ts'

const ranges = () => schemaOf<Record<string, string>>({ type: 'object' })
const pinned = openObject({
  version: text(),
  /** Absent when it equals the name of the folder. */
  name: optional(text()),
  license: optional(text()),
  integrity: optional(text()),
  os: optional(list(text())),
  cpu: optional(list(text())),
  libc: optional(list(text())),
  dependencies: optional(ranges()),
  optionalDependencies: optional(ranges()),
})
type Pinned = Infer<typeof pinned>
const pinnedPackage = compile(pinned)
const lockFile = compile(
  openObject({ packages: schemaOf<Record<string, unknown>>({ type: 'object' }) }),
)

/** The target platform, in npm's terms. */
export interface Platform {
  readonly os: string
  readonly cpu: string
  readonly libc: string
  /** The version of node, without a `v`. */
  readonly node: string
}

const FOLDER = 'node_modules/'
const PROGRAM = ''

function packagesOf(lock: unknown): ReadonlyMap<string, Pinned> {
  if (!lockFile.holds(lock)) throw new Error('the lock file has no packages')
  const all = new Map<string, Pinned>()
  for (const [path, value] of Object.entries(lock.packages)) {
    if (!pinnedPackage.holds(value)) throw new Error(`the lock file lacks fields of ${path}`)
    all.set(path, value)
  }
  return all
}

/** Resolves `name` from inside the folder of another package; undefined when it is absent. */
function resolved(all: ReadonlyMap<string, Pinned>, from: string, name: string) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf(FOLDER), 0))) {
    const inside = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
    const path = `${inside}${FOLDER}${name}`
    if (all.has(path)) return path
    if (folder === '') return undefined
  }
}

function runsOn({ os, cpu, libc }: Pinned, platform: Platform): boolean {
  const takes = (list: readonly string[] | undefined, own: string) =>
    list === undefined || list.includes(own)
  return takes(os, platform.os) && takes(cpu, platform.cpu) && takes(libc, platform.libc)
}

/** Each package that the program needs, with the paths of its own dependencies. */
function walked(all: ReadonlyMap<string, Pinned>, platform: Platform) {
  const needs = new Map<string, string[]>()
  const waiting = [PROGRAM]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const own = all.get(path)
    if (own === undefined || needs.has(path)) continue
    const names = Object.keys({ ...own.dependencies, ...own.optionalDependencies })
    const found = names.flatMap((name) => {
      const to = resolved(all, path, name)
      const there = to === undefined ? undefined : all.get(to)
      return to !== undefined && there !== undefined && runsOn(there, platform) ? [to] : []
    })
    needs.set(path, found)
    waiting.push(...found)
  }
  return needs
}

function nameOf(path: string, { name }: Pinned): string {
  return name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
}

function purlOf(path: string, own: Pinned): string {
  return `pkg:npm/${nameOf(path, own).replace('@', '%40')}@${own.version}`
}

function componentOf(path: string, own: Pinned) {
  const purl = purlOf(path, own)
  const [algorithm, digest] = own.integrity?.split('-') ?? []
  return {
    type: path === PROGRAM ? 'application' : 'library',
    'bom-ref': purl,
    name: nameOf(path, own),
    version: own.version,
    purl,
    ...(own.license === undefined ? {} : { licenses: [{ expression: own.license }] }),
    ...(algorithm !== 'sha512' || digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}

/** Two folders may hold the same version of a package: it is listed once. */
function byRef<T extends { readonly 'bom-ref': string }>(components: readonly T[]): T[] {
  const unique = new Map(components.map((each) => [each['bom-ref'], each]))
  return [...unique.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
}

export function billOfMaterials(lock: unknown, platform: Platform) {
  const all = packagesOf(lock)
  const needs = walked(all, platform)
  const node = `pkg:generic/node@${platform.node}`
  const refOf = (path: string) => purlOf(path, all.get(path) ?? { version: '' })
  const parts = [...needs.keys()].flatMap((path) => {
    const own = all.get(path)
    return own === undefined ? [] : [componentOf(path, own)]
  })
  const [program, ...packages] = parts
  const runtime = { type: 'platform', 'bom-ref': node, name: 'node', version: platform.node }
  const dependsOn = new Map<string, string[]>([[node, []]])
  for (const [path, paths] of needs) {
    const refs = paths.map(refOf)
    dependsOn.set(refOf(path), path === PROGRAM ? [...refs, node] : refs)
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: program },
    components: [{ ...runtime, purl: node }, ...byRef(packages)],
    dependencies: Array.from(dependsOn, ([ref, refs]) => ({ ref, dependsOn: refs.sort() })),
  }
}
