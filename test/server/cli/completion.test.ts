import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allCommands } from '../../../server/cli/commands.ts'
import { runCommand } from '../../../server/command-line.ts'
import { SERVE_ROWS } from '../../../server/config.ts'
import { serveCommand } from '../../../server/start/serve-command.ts'
import { newFolder } from '../../support/data-folder.ts'

const known = allCommands(serveCommand(null))

async function run(...argv: string[]): Promise<{ code: number; output: string; warned: string }> {
  const output: string[] = []
  const warned: string[] = []
  const code = await runCommand(known, argv, '1', {
    env: {},
    say: (text) => output.push(text),
    warn: (text) => warned.push(text),
    nowMs: () => 0,
  })
  return { code, output: output.join('\n'), warned: warned.join('\n') }
}

/** Runs the script of a shell between two others, and gives what it prints; null without one. */
async function shellSays(shell: string, options: string[], after: string, before = '') {
  const path = join(newFolder(), `completion.${shell}`)
  writeFileSync(path, (await run('completion', shell)).output)
  const ran = spawnSync(shell, [...options, '-c', `${before}source ${path}; ${after}`], {
    encoding: 'utf8',
  })
  if (ran.error !== undefined) return null
  assert.deepEqual([ran.status, ran.stderr], [0, ''], shell)
  return ran.stdout
}

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const list = words.map((word) => `'${word}'`).join(' ')
  const requested = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _outcomex`
  const output = await shellSays('bash', ['--norc'], `${requested}; echo "\${COMPREPLY[@]}"`)
  return (output ?? '').split(/\s+/).filter(Boolean)
}

test('bash completes commands, flags, values that have a list, and admin lines', async () => {
  assert.deepEqual(await offered('outcomex', 'ver'), ['verify', 'verify-proof'])
  assert.deepEqual(await offered('outcomex', 'verify', '--to'), ['--tokens'])
  assert.deepEqual(await offered('outcomex', 'verify', '--po'), [], 'a flag of serve alone')
  assert.deepEqual(await offered('outcomex', 'serve', '--durability', 'n'), ['normal'])
  assert.deepEqual(await offered('outcomex', 'serve', '--port', ''), [], 'any number')
  assert.deepEqual(await offered('outcomex', 'admin', 'fund-h'), ['fund-house'])
  assert.deepEqual(await offered('outcomex', 'admin', 'market', '--k'), ['--kind'])
  assert.deepEqual(await offered('outcomex', 'admin', 'market', '--ur'), ['--url'])
  assert.deepEqual(await offered('outcomex', 'admin', 'lock', '--k'), [], 'of another line')
  assert.deepEqual(await offered('outcomex', 'completion', 'z'), ['zsh'])
  const flags = await offered('outcomex', 'serve', '--')
  for (const { flag } of SERVE_ROWS) assert.ok(flags.includes(`--${flag}`), flag)
})

test('the scripts of zsh and fish name every command and flag, and run', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { output, code } = await run('completion', shell)
    assert.equal(code, 0)
    for (const name of Object.keys(known)) assert.ok(output.includes(name), `${shell}: ${name}`)
    for (const { flag } of SERVE_ROWS) assert.ok(output.includes(flag), `${shell}: ${flag}`)
    assert.doesNotMatch(output, /undefined|null/)
  }
  // Not every machine has these shells.
  await shellSays('zsh', ['-f'], 'true', 'autoload -Uz compinit; compinit -u -D; ')
  const found = await shellSays('fish', ['-N'], 'complete -C "outcomex serve --durability "')
  if (found !== null) assert.match(found, /^full\t[\s\S]*^normal\t/m)
})

test('another shell, or none, gets a sentence', async () => {
  const rows: [string[], RegExp][] = [
    [[], /^missing required argument 'SHELL'; see --help$/],
    [['tcsh'], /Allowed choices are bash, zsh, fish; see --help$/],
    [['bash', 'zsh'], /^too many arguments for 'completion'/],
  ]
  for (const [words, sentence] of rows) {
    const { code, warned } = await run('completion', ...words)
    assert.equal(code, 2)
    assert.match(warned, sentence)
  }
  const { code, output } = await run('completion', '--help')
  assert.equal(code, 0)
  assert.match(output, /bashrc/)
})
