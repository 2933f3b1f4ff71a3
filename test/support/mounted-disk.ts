import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { owner } from './postgres-folder.ts'

// A small disk in memory, for what happens when a disk is full. Only some machines allow it.

function mount(folder: string, bytes: number): boolean {
  const own = owner === null ? '' : `,uid=${owner.uid},gid=${owner.gid}`
  const options = `size=${bytes},mode=700${own}`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

/** The reason why this machine cannot mount a disk; false when it can. */
export function mountSkip(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-disk-'))
  const isMounted = mount(folder, 1024 ** 2)
  if (isMounted) unmount(folder)
  rmSync(folder, { recursive: true })
  return isMounted ? false : 'this machine does not let the tests mount a disk'
}

/** Makes a folder that is a disk of its own until this process ends. It is the log server's. */
export function mountDisk(folder: string, bytes: number): void {
  mkdirSync(folder, { mode: 0o700 })
  assert.ok(mount(folder, bytes), `a disk is mounted at ${folder}`)
  process.once('exit', () => unmount(folder))
}
