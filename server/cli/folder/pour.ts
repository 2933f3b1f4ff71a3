import type { Shell } from '../../shell.ts'

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
