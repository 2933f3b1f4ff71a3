import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../server/version.ts'
import { compiledProgram } from './support/compiled.ts'
import { newFolder } from './support/data-folder.ts'
import { LAUNCHER_ENV } from './support/launcher-env.ts'
import { compileProgram } from './support/server-process.ts'

// The command `outcomex` as a shell sees it, in a copy of the top of the repository.

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function topFolder(): string {
  const folder = newFolder()
  for (const name of ['outcomex', 'Makefile']) copyFileSync(join(ROOT, name), join(folder, name))
  return folder
}

interface Ran {
  readonly code: number | null
  readonly stated: string
  readonly warned: string
}

function run(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran {
  const ran = spawnSync(path, [...args], {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE: process.execPath, ...env },
  })
  return { code: ran.status, stated: ran.stdout, warned: ran.stderr }
}

test('outcomex runs the compiled program, also by the link of make install', async () => {
  await compileProgram()
  const compiled = compiledProgram()
  assert.ok(compiled !== null)
  const folder = topFolder()
  symlinkSync(dirname(compiled), join(folder, 'dist'))
  const direct = run(join(folder, 'outcomex'), ['--version'])
  assert.deepEqual(direct, { code: 0, stated: `${VERSION}\n`, warned: '' })
  const prefix = join(folder, 'prefix')
  // The compiled files exist already: make must only link.
  const made = run('make', ['-s', '-o', 'dist/.built', '-C', folder, 'install', `PREFIX=${prefix}`])
  assert.equal(made.code, 0, made.warned)
  assert.deepEqual(run(join(prefix, 'bin', 'outcomex'), ['--version']), direct)
  const wrong = run(join(prefix, 'bin', 'outcomex'), ['sevre'])
  assert.deepEqual([wrong.code, wrong.stated], [2, ''])
  assert.match(wrong.warned, /Did you mean serve/)
})

test('outcomex gives node the flags of npm start, and passes its arguments on unchanged', () => {
  const folder = topFolder()
  const main = join(folder, 'dist', 'main.js')
  mkdirSync(dirname(main), { recursive: true })
  writeFileSync(main, '')
  const shown = join(folder, 'shown')
  writeFileSync(shown, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
  chmodSync(shown, 0o755)
  const { stated } = run(join(folder, 'outcomex'), ['admin', 'a b', ''], { NODE: shown })
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8')
  const [, flags = ''] = /"start": "node (.*) dist\/main\.js"/.exec(manifest) ?? []
  assert.deepEqual(stated.split('\n'), [...flags.split(' '), main, 'admin', 'a b', '', ''])
})

test('the launcher, the image and the unit set what tests and benches set', () => {
  const folder = topFolder()
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist', 'main.js'), 'console.log(JSON.stringify(process.env))')
  const { stated } = run(join(folder, 'outcomex'), [])
  const files = ['Dockerfile', 'server/build/outcomex.service']
  const texts = files.map((name) => readFileSync(join(ROOT, name), 'utf8'))
  for (const [name, value] of Object.entries(LAUNCHER_ENV)) {
    assert.equal(JSON.parse(stated)[name], value)
    for (const text of texts) assert.match(text, new RegExp(`\\b${name}=${value}\\b`))
  }
})

test('outcomex compiles the sources when they are not compiled yet', () => {
  const folder = topFolder()
  const made = 'mkdir -p dist && echo "console.log(6 * 7)" > dist/main.js'
  writeFileSync(join(folder, 'Makefile'), `build:\n\t@${made}\n`)
  const first = run(join(folder, 'outcomex'), [])
  assert.deepEqual([first.code, first.stated], [0, '42\n'], first.warned)
  assert.match(first.warned, /not compiled yet/)
  assert.equal(run(join(folder, 'outcomex'), []).warned, '')
})
