import type { Seq } from '../../engine/domain/ids.ts'
import type { Shell } from '../shell.ts'

const EVERY_MS = 1000

/** Shows the progress of a long read once a second; a short read shows nothing. */
export function progressLines(what: string, shell: Shell): (seq: Seq, total: number) => void {
  let statedMs = shell.nowMs()
  return (seq, total) => {
    const nowMs = shell.nowMs()
    if (nowMs - statedMs < EVERY_MS) return
    statedMs = nowMs
    shell.warn(`${what}: seq ${seq} of ${total}`)
  }
}
