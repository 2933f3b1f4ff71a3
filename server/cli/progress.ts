import type { Seq } from '../../engine/domain/ids.ts'
import type { Shell } from '../shell.ts'

const EVERY_MS = 1000

/** Says where a long read of the journal is, once a second; a short one stays silent. */
export function progressLines(what: string, shell: Shell): (seq: Seq, total: number) => void {
  let saidMs = shell.nowMs()
  return (seq, total) => {
    const nowMs = shell.nowMs()
    if (nowMs - saidMs < EVERY_MS) return
    saidMs = nowMs
    shell.warn(`${what}: seq ${seq} of ${total}`)
  }
}
