import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isUnfinished } from '../../../persistence/backup/copy-folder.ts'
import { markCopy, unmarkCopy } from '../../../persistence/copy-mark.ts'
import { DataFolderError, makeFolder, syncFolder } from '../../../persistence/folder-error.ts'
import { readSeal } from '../../../persistence/folder-key.ts'
import { SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import type { CommandSpec } from '../../command-line.ts'
import { SETTINGS } from '../../config.ts'
import { boolean, integer, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../edge/http/schema/schema.ts'
import { readSetting, WrongUse } from '../../settings/flags.ts'
import { EXIT, Failure, type Shell } from '../../shell.ts'
import { accepted, type Request, send, sendRaw } from '../client.ts'
import { folderOf, OFFLINE_ROWS } from './verify.ts'

// Makes the data folder of a new node from a copy that another node makes of its own.

const LOOK_MS = 1000
const REPORT_MS = 2000

const copyShape = compile(
  openObject({
    isReady: boolean(),
    seq: integer(0),
    files: list(openObject({ name: text(), bytes: integer(1) })),
  }),
)

interface Source {
  readonly url: string
  readonly token: string
}

function callOf(token: string, path: string): Request {
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` }, body: '' }
}

/** The copy, once the node has made it. */
async function copyOf(source: Source, shell: Shell) {
  for (let isFirst = true; ; isFirst = false) {
    const body = accepted(await send(source.url, callOf(source.token, '/admin/cluster/copy')))
    if (!copyShape.holds(body)) throw new Failure(`${source.url} is not a node of this version.`)
    if (body.isReady) return body
    if (isFirst) shell.warn('The node copies its data folder; this may take a while.')
    await pause(LOOK_MS)
  }
}

async function bytesAt({ url, token }: Source, name: string, offset: number): Promise<Buffer> {
  const query = new URLSearchParams({ name, offset: String(offset) })
  const path = `/admin/cluster/copy/file?${query}`
  const { status, bytes } = await sendRaw(url, callOf(token, path))
  if (status !== 200) throw new Failure(`The node refused ${name}: ${bytes.toString()}`)
  return bytes
}

/** Names come from another machine, and may only lead into the folder. */
function isPlain(name: string): boolean {
  return /^(?:(?:snapshots|archive)\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)
}

async function takeFile(
  source: Source,
  { name, bytes }: { readonly name: string; readonly bytes: number },
  path: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  makeFolder(dirname(path))
  const file = openSync(path, 'w', 0o600)
  try {
    for (let offset = 0; offset < bytes; ) {
      const part = await bytesAt(source, name, offset)
      if (part.length === 0) throw new Failure(`${name} ended after ${offset} of ${bytes} bytes.`)
      writeSync(file, part)
      offset += part.length
      onProgress(part.length)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}

/** Refuses a copy that the key of this machine does not open, or whose chain does not hold. */
function checkCopy(dataDir: string, keyFile: string | undefined): void {
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) return
  const reader = new SqliteJournalReader(seal.keyed(dataDir))
  try {
    reader.checkEnd()
    reader.checkSegments(() => {})
  } finally {
    reader.close()
  }
}

export const joinCommand: CommandSpec = {
  flags: [...OFFLINE_ROWS, SETTINGS.adminToken],
  words: [{ shape: '<URL>', about: 'A node of the cluster.' }],
  notes: 'Give the server key of the cluster with --key-file.',
  isKnown: (error) => error instanceof DataFolderError,
  async work(line, shell) {
    const { dataDir, keyFile } = folderOf(line)
    const token = readSetting(SETTINGS.adminToken, line.given)
    if (token === undefined) {
      throw new WrongUse('The admin token is missing: give --admin-token or OUTCOMEX_ADMIN_TOKEN')
    }
    if (!isUnfinished(dataDir)) {
      throw new DataFolderError(
        `${dataDir}: it is not empty, and a join never overwrites; choose an empty folder.`,
      )
    }
    const source = { url: line.words[0], token }
    const { seq, files } = await copyOf(source, shell)
    const odd = files.find(({ name }) => !isPlain(name))
    if (odd !== undefined) throw new Failure(`The node offers a file named ${odd.name}.`)
    makeFolder(dataDir)
    markCopy(dataDir)
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    let [taken, shownMs] = [0, shell.nowMs()]
    for (const file of files) {
      await takeFile(source, file, join(dataDir, file.name), (bytes) => {
        taken += bytes
        if (shell.nowMs() - shownMs < REPORT_MS) return
        shownMs = shell.nowMs()
        shell.warn(`copied ${Math.round(taken / 1e6)} of ${Math.round(total / 1e6)} MB`)
      })
    }
    syncFolder(dataDir)
    unmarkCopy(dataDir)
    try {
      checkCopy(dataDir, keyFile)
    } catch (error) {
      for (const { name } of files) rmSync(join(dataDir, name), { force: true })
      throw error
    }
    shell.say(
      [
        `seq ${seq}, ${files.length} files, ${total} bytes`,
        `The folder is whole. Start it with: outcomex serve --data ${dataDir} --journal URL ` +
          '--node NAME --advertise URL, and the server key of the cluster.',
      ].join('\n'),
    )
    return EXIT.OK
  },
}
