import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { Ring } from '../../engine/wire/ring.ts'
import { Directory, type DirectoryChange, type SigningDomain } from './directory.ts'
import { Intake } from './intake.ts'
import { FROM_INTAKE, TO_INTAKE } from './intake-layout.ts'
import { readRequest } from './intake-request.ts'
import { keccakReady } from './keccak.ts'

// Takes request frames, gives result frames; all thinking is in intake.ts.

interface Given {
  readonly requests: SharedArrayBuffer
  readonly results: SharedArrayBuffer
  readonly domain: SigningDomain
}

const IDLE_WAIT_MS = 1000
const NOTHING = new Uint8Array(0)

const given: Given = workerData
const requests = new Ring(given.requests)
const results = new Ring(given.results)
const directory = new Directory(given.domain)
const intake = new Intake(directory)

function give(tag: number, bytes: Uint8Array): void {
  while (!results.push(tag, bytes)) results.waitForSpace()
  results.publish()
  if (results.takeDoorbell()) parentPort?.postMessage(null)
}

function take(): void {
  if (requests.tag === TO_INTAKE.REQUEST) {
    give(FROM_INTAKE.RESULT, intake.check(readRequest(requests.bytes)))
    return
  }
  assert(requests.tag === TO_INTAKE.CHANGE, 'a frame to the intake has a known tag')
  const { buffer, byteOffset, length } = requests.bytes
  const change: DirectoryChange = JSON.parse(Buffer.from(buffer, byteOffset, length).toString())
  directory.apply(change)
}

function serve(): never {
  give(FROM_INTAKE.READY, NOTHING)
  for (;;) {
    while (requests.next()) {
      take()
      requests.release()
    }
    requests.waitForData(IDLE_WAIT_MS)
  }
}

keccakReady.then(serve)
