import type { Seq } from '../../engine/domain/ids.ts'
import type { Shell } from '../shell.ts'

const EVERY_MS = 1000

/** Shows the progress of a long read once a second; a short read shows nothing. */
export function progressLines(what: string, shell: Shell): (seq: Seq, total: number) => void {
  let shownMs = shell.nowMs()
  return (seq, total) => {
    const nowMs = shell.nowMs()
    if (nowMs - shownMs < EVERY_MS) return
    shownMs = nowMs
    shell.warn(`${what}: seq ${seq} of ${total}`)
  }
}
