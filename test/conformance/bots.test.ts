import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkTypes } from '../support/checked-types.ts'
import { newFolder } from '../support/data-folder.ts'
import { ServerProcess } from '../support/server-process.ts'

// The bots of trading.md, exactly as the page shows them, against the demo.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'server', 'docs', 'trading.md'), 'utf8')
/** Far more than a bot needs: a bot that hangs fails. */
const BOT_MS = 60_000

const dataDir = newFolder()
const server = await ServerProcess.start({ dataDir, demo: true })
after(() => server.signal('SIGKILL'))

/** The only block in that language, as a file in its own folder. */
function botFile(language: string, name: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))]
  assert.equal(blocks.length, 1, `one block of ${language}`)
  const folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, name), blocks[0][1])
  return folder
}

async function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  const bot = spawn(program, [...args, join(dataDir, 'demo.json'), 'rain-tomorrow'], {
    cwd: folder,
    timeout: BOT_MS,
  })
  const stated = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    bot[name].setEncoding('utf8').on('data', (text: string) => {
      stated[name] += text
    })
  }
  const [code] = await once(bot, 'close')
  assert.equal(code, 0, stated.stdout + stated.stderr)
  return stated.stdout
}

const ID = '[0-9a-f]{8}-[0-9a-f-]{27}'

test('the bot in TypeScript has right types', () => {
  const folder = botFile('ts', 'bot.ts')
  const { status, stdout } = checkTypes(folder, ['bot.ts'])
  assert.equal(status, 0, stdout)
})

test('the bot in TypeScript sees its order live and reduced, buys and cancels', async () => {
  const folder = botFile('ts', 'bot.ts')
  const stated = await run(folder, process.execPath, ['--import', 'tsx', 'bot.ts'])
  const [live, reduced, bought, canceled, ...rest] = stated.trimEnd().split('\n')
  const [, id] = new RegExp(`^live (${ID})$`).exec(live) ?? []
  assert.ok(id !== undefined, stated)
  assert.equal(reduced, `reduced ${id}`)
  assert.match(bought, /^bought 2000000 (MATCHED|MINED)$/)
  assert.deepEqual([canceled, rest], [`canceled ${id}`, []])
})

const python = spawnSync('python3', ['--version'], { encoding: 'utf8' })
const why = python.status === 0 ? false : 'python3 is not installed'

test('the bot in Python sees its order live, moves it, cancels and buys', {
  skip: why,
}, async () => {
  const stated = await run(botFile('python', 'bot.py'), 'python3', ['bot.py'])
  const [placed, live, moved, canceled, refused, bought, ...rest] = stated.trimEnd().split('\n')
  const [, id] = new RegExp(`^placed (${ID})$`).exec(placed) ?? []
  assert.equal(moved, `REPLACED ${id}`)
  assert.equal(live, 'live 1')
  assert.equal(canceled, 'Order canceled successfully')
  assert.equal(refused, 'refused POST_ONLY_WOULD_MATCH')
  assert.match(bought, /^bought 2000000 for [1-9][0-9]{5,6} fee [1-9][0-9]*$/)
  assert.deepEqual(rest, ['group OPEN 2000000'])
})
