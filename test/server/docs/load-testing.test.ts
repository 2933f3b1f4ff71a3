import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { newFolder } from '../../support/data-folder.ts'
import { at } from '../../support/json-path.ts'
import { ADMIN_TOKEN, runProgram, ServerProcess } from '../../support/server-process.ts'

// The commands of load-testing.md, as printed but for their addresses and their length.

const page = readFileSync(new URL('../../../server/docs/load-testing.md', import.meta.url), 'utf8')
const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon')
const PUBLIC = 'http://127.0.0.1:3000'

/** The lines of the code blocks below a heading. */
function linesOf(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
  assert.ok(blocks.length > 0, `the page has commands under ${heading}`)
  return blocks.flatMap(([, block]) => block.trim().split('\n'))
}

const words = (line: string) => line.split(' ')

/** The flags of the command that starts the exchange. */
const [, serving] = linesOf('The exchange to measure')
const flags = words(serving).slice(words(serving).indexOf('--no-rate-limit'))
const server = await ServerProcess.start({ dataDir: newFolder(), args: flags })
after(() => server.stop())

/** Runs `outcomex load` of a line, shorter; returns its output. */
async function load(line: string, ...more: string[]): Promise<string> {
  const [program, ...args] = words(line.replace(/--duration 10/, '--duration 1'))
  assert.equal(program, 'outcomex')
  const own = ['--url', server.baseUrl, '--admin-token', ADMIN_TOKEN, '--markets', '1']
  const { code, stdout, stderr } = await runProgram([...args, ...own, ...more])
  assert.equal(code, 0, stderr)
  return stdout
}

async function autocannon(line: string, folder = ''): Promise<unknown> {
  const [npx, name, ...args] = words(line.replace(PUBLIC, server.baseUrl).replace('-d 10', '-d 1'))
  assert.deepEqual([npx, name], ['npx', 'autocannon'])
  const child = spawn(process.execPath, [AUTOCANNON, '--json', ...args], { cwd: folder || '.' })
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(stdout)
}

test('a load at a rate', async () => {
  const [line] = linesOf('Orders at a constant rate')
  assert.match(await load(line.replace('1000', '100')), /^all +[1-9]/m)
})

test('the highest rate', async () => {
  const [line] = linesOf('The highest rate')
  assert.match(await load(line.replace('128', '8')), /^all +[1-9]/m)
})

test('reads with autocannon', async () => {
  const [line] = linesOf('Reads with autocannon')
  const result = await autocannon(line)
  assert.ok(Number(at(result, '2xx')) > 0)
  assert.deepEqual([at(result, 'non2xx'), at(result, 'errors')], [0, 0])
})

test('signed orders with autocannon, from a file', async () => {
  const folder = newFolder()
  const [emit, repeat] = linesOf('Signed orders with autocannon')
  const file = join(folder, 'orders.har')
  const printed = await load(emit.replace('orders.har', file).replace('1000', '100'))
  assert.equal(printed, `100 signed requests are in ${file}.\n`)
  const result = await autocannon(repeat.replace('10000', '100'), folder)
  assert.deepEqual([at(result, '2xx'), at(result, 'non2xx')], [100, 0], JSON.stringify(result))
})
