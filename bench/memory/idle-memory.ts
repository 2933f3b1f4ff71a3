// Memory of the real program on a fresh folder when nothing is under way, as the kernel counts it.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { assert } from '../../engine/domain/assert.ts'
import { compileProgram, ServerProcess } from '../../test/support/server-process.ts'
import { withFolder } from '../passes/folder.ts'

/** Threads give the garbage of their start back ten seconds into their rest, V8 a bit later. */
const REST_MS = 30_000
const SMOKE_REST_MS = 100
const KIBIBYTES_PER_MEBIBYTE = 1024

/** What stands in memory of a process, file pages that it shares included. */
function residentMebibytes(pid: number): number {
  const [, kibibytes] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+)/m) ?? []
  assert(kibibytes !== undefined, 'the kernel tells the memory of a process')
  return Number(kibibytes) / KIBIBYTES_PER_MEBIBYTE
}

export async function idleMebibytes(smoke: boolean): Promise<number> {
  await compileProgram()
  return withFolder(async (dataDir) => {
    const server = await ServerProcess.start({ dataDir })
    await pause(smoke ? SMOKE_REST_MS : REST_MS)
    const mebibytes = residentMebibytes(server.pid)
    await server.stop()
    return mebibytes
  })
}
