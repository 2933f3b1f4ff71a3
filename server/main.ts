#!/usr/bin/env -S node --v8-pool-size=1
import { readFileSync } from 'node:fs'
import { codeOf } from '../engine/domain/error-code.ts'
import { readConfig } from './config.ts'
import { Door } from './http/gateway/listening/door.ts'

/** What a shell reports of a tool that SIGPIPE ended. */
const BROKEN_PIPE = 128 + 13

const argv = process.argv.slice(2)
const isServe = argv[0] === 'serve'
if (!isServe) {
  // The reader of the output may stop, as in `outcomex export --csv trades | head`. Other tools end
  // by SIGPIPE then, which Node ignores.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error
    process.exit(BROKEN_PIPE)
  })
}

/** What is wrong with the line, the start itself says. A port that it picks nobody knows yet. */
async function doorOf(args: readonly string[]): Promise<Door | null> {
  if (args.includes('--help')) return null
  const reading = readConfig(args, process.env, (path) => readFileSync(path, 'utf8'))
  if (!reading.ok || reading.config.tls !== undefined || reading.config.port === 0) return null
  return await Door.open(reading.config.host, reading.config.port)
}

// The rest of the program takes longer to load than all that is needed for an answer.
const door = isServe ? await doorOf(argv.slice(1)) : null
const { runLine } = await import('./all-commands.ts')
process.exitCode = await runLine(argv, door)
