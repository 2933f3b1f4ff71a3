import { statfsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { lowerPriority } from '../../engine/thread/low-priority.ts'
import { Rests } from '../../engine/thread/rests.ts'
import { DataFolderError } from '../folder-error.ts'
import { sealSegment } from '../journal/segments/seal-segment.ts'
import { coveredSeq } from './covered-seq.ts'
import { dropSegments } from './drop-segments.ts'
import type { Sealed, SealingData } from './sealing.ts'

// Deletes old segments of a journal in use, and makes the next one.

assert(parentPort !== null, 'segments are made in a separate thread')
lowerPriority()
const rests = new Rests(LIMITS.sealingShare)
const { folder, afterSeq, dropBeforeMs, ...request }: SealingData = workerData

function seal(): Sealed {
  try {
    if (dropBeforeMs !== null) dropSegments(folder, dropBeforeMs)
    const { bavail, bsize } = statfsSync(folder.dataDir)
    if (bavail * bsize < request.bytesMax + LIMITS.diskFreeBytesMin) {
      return {
        segment: null,
        failure: 'the disk has too little space for another segment; free some',
      }
    }
    const throughSeq = coveredSeq(folder)
    return {
      segment: sealSegment(folder, afterSeq, {
        ...request,
        throughSeq,
        onBatch: () => rests.look(),
      }),
      failure: null,
    }
  } catch (error) {
    if (error instanceof DataFolderError) return { segment: null, failure: error.message }
    throw error
  }
}

parentPort.postMessage(seal())
