import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleScript } from '../../server/build/bundle.ts'

// The parent's side of soak-probe.ts: makes the script that the server preloads.

/** What all threads of the server hold after each of them collected its garbage. */
export interface HeldMemory {
  readonly heapBytes: number
  /** Of buffers and other memory that objects of the heap keep alive. */
  readonly externalBytes: number
  readonly threads: number
}

export function isHeldMemory(message: unknown): message is HeldMemory {
  return typeof message === 'object' && message !== null && 'heapBytes' in message
}

export interface SoakProbe {
  readonly script: string
  /** Bytes that each signed call leaves in memory on purpose; 0 for none. */
  readonly leakBytes: number
}

/** The script is removed when this process ends. */
export async function compileProbe(leakBytes: number): Promise<SoakProbe> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-probe-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'soak-probe.cjs')
  await bundleScript(fileURLToPath(new URL('./soak-probe.ts', import.meta.url)), script)
  return { script, leakBytes }
}
