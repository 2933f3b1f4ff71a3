import type { Seq } from '../../../engine/domain/ids.ts'
import type { Shell } from '../../shell.ts'

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

const CHARS_AT_ONCE = 1 << 16

/** Writes lines as fast as their reader takes them, so that few of them are in memory. */
export async function pour(shell: Shell, lines: Iterable<string>): Promise<void> {
  let page: string[] = []
  let chars = 0
  for (const line of lines) {
    page.push(line)
    chars += line.length
    if (chars < CHARS_AT_ONCE) continue
    shell.say(page.join('\n'))
    await shell.taken?.()
    page = []
    chars = 0
  }
  if (page.length > 0) shell.say(page.join('\n'))
}
