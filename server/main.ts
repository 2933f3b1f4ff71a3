#!/usr/bin/env -S node --v8-pool-size=1
import { earlyDoor } from './start/early-door.ts'

const argv = process.argv.slice(2)
const door = await earlyDoor(argv)
const { runLine } = await import('./all-commands.ts')
process.exitCode = await runLine(argv, door)
