import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawn } from '../../engine/thread/spawn.ts'
import { ifThere } from '../folder-error.ts'
import { archiveFolder } from '../journal/segments/segment-folder.ts'
import type { NodeCopy, NodeCopyData } from './node-copy.ts'

/** A copy that nobody reads for this long is removed. */
const UNREAD_MS = 10 * 60_000

interface Made {
  readonly folder: string
  readonly copy: Promise<NodeCopy>
  isReady: boolean
}

/** The copy of this node's folder that other nodes read, in the folder for temporary files. */
export class NodeCopies {
  readonly #source: Pick<NodeCopyData, 'dataDir' | 'keyFile'>
  #made: Made | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(source: Pick<NodeCopyData, 'dataDir' | 'keyFile'>) {
    this.#source = source
    process.once('exit', () => this.#remove())
  }

  /**
   * The newest copy; it is made if there is none. Null while it is being made. Rejects with the
   * reason if it cannot be made.
   */
  async find(): Promise<NodeCopy | null> {
    this.#made ??= this.#make()
    this.#keep()
    const made = this.#made
    if (!made.isReady) return null
    try {
      return await made.copy
    } catch (error) {
      this.#remove()
      throw error
    }
  }

  /** Bytes of a file of the copy; null if there is no such copy or file. */
  async read(name: string, offset: number, bytesMax: number): Promise<Uint8Array | null> {
    const made = this.#made
    if (made === null || !made.isReady) return null
    const { files } = await made.copy
    const file = files.find((each) => each.name === name)
    if (file === undefined || offset > file.bytes) return null
    this.#keep()
    const bytes = Buffer.alloc(Math.min(bytesMax, file.bytes - offset))
    const isSegment = dirname(name) === archiveFolder('.')
    const folder = isSegment ? this.#source.dataDir : join(made.folder, 'copy')
    // A segment may have been moved away.
    const descriptor = ifThere(name, () => openSync(join(folder, name), 'r'))
    if (descriptor === null) return null
    try {
      const count = readSync(descriptor, bytes, 0, bytes.length, offset)
      return bytes.subarray(0, count)
    } finally {
      closeSync(descriptor)
    }
  }

  #make(): Made {
    const folder = mkdtempSync(join(tmpdir(), 'outcomex-copy-'))
    const workerData: NodeCopyData = { ...this.#source, copyDir: join(folder, 'copy') }
    const entry = new URL('./node-copy.worker.ts', import.meta.url)
    const worker = spawn(entry, { name: 'copy', workerData })
    const made: Made = {
      folder,
      isReady: false,
      copy: once(worker, 'message').then(([copy]) => copy),
    }
    const settled = () => {
      made.isReady = true
    }
    made.copy.then(settled, settled)
    return made
  }

  #keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#remove(), UNREAD_MS).unref()
  }

  #remove(): void {
    clearTimeout(this.#timer)
    if (this.#made !== null) rmSync(this.#made.folder, { recursive: true, force: true })
    this.#made = null
  }
}
