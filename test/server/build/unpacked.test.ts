import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundleScript } from '../../../server/build/bundle.ts'
import { Archive, packed } from '../../../server/build/unpacking/archive.ts'
import { unpacked } from '../../../server/build/unpacking/unpacked.ts'
import { newFolder } from '../../support/data-folder.ts'

// Where the files of the one binary lie, and who may touch them.

const FILES = [
  { name: 'main.js', bytes: Buffer.from('console.log(1)') },
  { name: 'empty.md', bytes: Buffer.alloc(0) },
  { name: 'addon.node', bytes: Buffer.from(Array.from({ length: 5000 }, (_each, at) => at % 251)) },
]
const archive = new Archive(packed(FILES))
/** Enough for starts at once to meet. */
const MANY = Array.from({ length: 40 }, (_each, at) => {
  return { name: `part-${at}.js`, bytes: Buffer.alloc(20_000, `${at}`) }
})
const ROUNDS = fileURLToPath(new URL('../../support/unpacking-rounds.ts', import.meta.url))
const into = (cache: string) => unpacked(archive, { XDG_CACHE_HOME: cache })
const modeOf = (path: string) => statSync(path).mode & 0o777

/** A process that starts once for each request. */
class Starter {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(entry: string, args: readonly string[]) {
    this.#process = spawn(process.execPath, [entry, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    assert.ok(this.#process.stdout !== null)
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  async start(): Promise<string> {
    this.#process.stdin?.write('\n')
    return (await this.#lines.next()).value ?? 'the process ended'
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.stdin?.end()
    await ended
  }
}

function holds(folder: string): void {
  assert.deepEqual(readdirSync(folder).sort(), FILES.map(({ name }) => name).sort())
  for (const { name, bytes } of FILES) assert.deepEqual(readFileSync(join(folder, name)), bytes)
}

test('the files are unpacked once, for their user alone', () => {
  const cache = newFolder()
  const folder = into(cache)
  holds(folder)
  assert.equal(folder, join(cache, 'outcomex', archive.digest.slice(0, 32)))
  for (const path of [folder, join(cache, 'outcomex')]) assert.equal(modeOf(path), 0o700)
  for (const { name } of FILES) {
    assert.equal(modeOf(join(folder, name)), name === 'addon.node' ? 0o700 : 0o600)
  }
  const inodes = () => FILES.map(({ name }) => statSync(join(folder, name)).ino)
  const before = inodes()
  assert.equal(into(cache), folder)
  assert.deepEqual(inodes(), before, 'a second start only looks')
})

test('what is not as it was built is unpacked again', () => {
  const cache = newFolder()
  const folder = into(cache)
  const harms = [
    () => writeFileSync(join(folder, 'main.js'), 'evil()'),
    () => writeFileSync(join(folder, 'empty.md'), 'x'),
    () => chmodSync(folder, 0o777),
    () => chmodSync(join(folder, 'main.js'), 0o666),
    () => rmSync(join(folder, 'addon.node')),
    () => {
      rmSync(join(folder, 'main.js'))
      symlinkSync('empty.md', join(folder, 'main.js'))
    },
    () => {
      rmSync(join(folder, 'main.js'))
      mkdirSync(join(folder, 'main.js', 'deep'), { recursive: true })
    },
  ]
  for (const harm of harms) {
    harm()
    assert.equal(into(cache), folder)
    holds(folder)
    assert.equal(modeOf(folder), 0o700)
  }
  assert.deepEqual(readdirSync(join(cache, 'outcomex')).length, 1, 'nothing is left over')
})

test('another content has another folder', () => {
  const cache = newFolder()
  const other = new Archive(packed([{ name: 'main.js', bytes: Buffer.from('2') }]))
  assert.notEqual(into(cache), unpacked(other, { XDG_CACHE_HOME: cache }))
})

test('a cache that is no folder is passed over for one of the temporary files', () => {
  const cache = newFolder()
  mkdirSync(join(cache, 'there'))
  symlinkSync(join(cache, 'there'), join(cache, 'outcomex'))
  const folder = into(cache)
  assert.ok(folder.startsWith(join(tmpdir(), 'outcomex-')), folder)
  holds(folder)
  assert.deepEqual(readdirSync(join(cache, 'there')), [], 'no link is followed')
})

test('first starts at once, and starts behind damage, do not break each other', async () => {
  const cache = newFolder()
  const entry = join(newFolder(), 'entry.cjs')
  const archiveFile = join(newFolder(), 'archive')
  writeFileSync(archiveFile, packed(MANY))
  await bundleScript(ROUNDS, entry)
  const starters = Array.from({ length: 4 }, () => new Starter(entry, [cache, archiveFile]))
  after(() => Promise.all(starters.map((each) => each.end())))
  for (let round = 0; round < 40; round++) {
    const stated = await Promise.all(starters.map((each) => each.start()))
    assert.deepEqual(new Set(stated).size, 1, stated.join('\n'))
    const [folder] = stated
    assert.ok(folder.startsWith(join(cache, 'outcomex')), folder)
    if (round % 2 === 0) rmSync(folder, { recursive: true })
    else writeFileSync(join(folder, MANY[round % MANY.length].name), 'x')
  }
})

test('a folder that no version used for a week is removed, at the next first start', () => {
  const cache = newFolder()
  const root = join(cache, 'outcomex')
  const names = ['a'.repeat(32), `${'b'.repeat(32)}.x1Y2z3`, 'c'.repeat(32), 'notes']
  const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3600e3)
  for (const name of names) {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 })
    if (name !== 'c'.repeat(32)) utimesSync(join(root, name), eightDaysAgo, eightDaysAgo)
  }
  const folder = into(cache)
  assert.deepEqual(readdirSync(root).sort(), [basename(folder), 'c'.repeat(32), 'notes'].sort())
  utimesSync(folder, eightDaysAgo, eightDaysAgo)
  into(cache)
  assert.ok(statSync(folder).mtimeMs > Date.now() - 3600e3, 'each start says that it uses it')
})

test('a path that is not absolute, or a user without a home, is passed over', () => {
  const home = newFolder()
  const rows: [env: NodeJS.ProcessEnv, root: string][] = [
    [{ XDG_CACHE_HOME: '', HOME: home }, join(home, '.cache', 'outcomex')],
    [{ XDG_CACHE_HOME: 'cache', HOME: home }, join(home, '.cache', 'outcomex')],
    [{ XDG_CACHE_HOME: '/proc/none', HOME: home }, join(tmpdir(), 'outcomex-')],
    [{ HOME: join(home, 'new', 'home') }, join(home, 'new', 'home', '.cache', 'outcomex')],
  ]
  for (const [env, root] of rows) assert.ok(unpacked(archive, env).startsWith(root), root)
})

test('a user without an entry and a home starts in the folder for temporary files', {
  skip: process.getuid?.() === 0 ? false : 'only root can be another user',
}, async () => {
  const [out, tmp] = [newFolder(), newFolder()]
  const [entry, archiveFile] = [join(out, 'entry.cjs'), join(out, 'archive')]
  await bundleScript(ROUNDS, entry)
  writeFileSync(archiveFile, packed(FILES))
  chmodSync(out, 0o755)
  chmodSync(tmp, 0o777)
  const { stdout, stderr } = spawnSync(process.execPath, [entry, '', archiveFile], {
    uid: 54_321,
    gid: 54_321,
    env: { TMPDIR: tmp },
    input: '\n',
    encoding: 'utf8',
  })
  assert.ok(stdout.startsWith(join(tmp, 'outcomex-54321')), stdout + stderr)
})

const inNamespace = (script: string, args: readonly string[]) =>
  spawnSync('unshare', ['-Urm', 'sh', '-ec', script, 'sh', ...args], { encoding: 'utf8' })
const MOUNT = 'mount -t tmpfs -o noexec tmpfs "$1"; '
const mountable = inNamespace(MOUNT, [newFolder()]).status === 0

test('a cache from which no program runs is passed over, and a sentence ends a start without any', {
  skip: mountable ? false : 'this machine lets nobody mount',
}, async () => {
  const [cache, tmp, out] = [newFolder(), newFolder(), newFolder()]
  const entry = join(out, 'entry.cjs')
  const archiveFile = join(out, 'archive')
  writeFileSync(archiveFile, packed(FILES))
  await bundleScript(ROUNDS, entry)
  const start = 'echo | TMPDIR="$2" "$3" "$4" "$1" "$5"'
  const args = [cache, tmp, process.execPath, entry, archiveFile]
  const passed = inNamespace(MOUNT + start, args)
  assert.ok(passed.stdout.startsWith(join(tmp, 'outcomex-')), passed.stdout + passed.stderr)
  const both = inNamespace(`${MOUNT} mount -t tmpfs -o noexec tmpfs "$2"; ${start}`, args)
  assert.match(both.stdout, /^there is no usable folder for.*\(noexec\).*\(noexec\)/)
})
