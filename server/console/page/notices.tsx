// Sentences about what became of an act. A screen reader says them; each goes after a while.
// Several calls may fail for one reason, so a sentence that is repeated is shown once.

import { messageOf } from '../exchange/api.ts'
import { Button } from './blocks.tsx'
import { signal } from './preact.ts'

const SHOWN_MS = 8000
const NOTICES_MAX = 4

interface Notice {
  readonly number: number
  readonly sentence: string
  readonly kind: 'good' | 'bad'
}

export class Notices {
  /** The oldest first. */
  readonly shown = signal<readonly Notice[]>([])
  #count = 0

  good(sentence: string): void {
    this.#show(sentence, 'good')
  }

  bad(sentence: string): void {
    this.#show(sentence, 'bad')
  }

  /** What a failed call says. */
  failure(error: unknown): void {
    this.bad(messageOf(error))
  }

  close(notice: Notice): void {
    this.shown.value = this.shown.peek().filter((each) => each !== notice)
  }

  #show(sentence: string, kind: Notice['kind']): void {
    const notice = { number: ++this.#count, sentence, kind }
    const others = this.shown.peek().filter((each) => each.sentence !== sentence)
    this.shown.value = [...others, notice].slice(-NOTICES_MAX)
    setTimeout(() => this.close(notice), SHOWN_MS)
  }
}

export function NoticeList({ notices }: { readonly notices: Notices }) {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.shown.value.map((notice) => (
        <div key={notice.number} class={`notice ${notice.kind}`}>
          <span>{notice.sentence}</span>
          <Button
            label="×"
            class="quiet"
            aria-label="Close this notice"
            onClick={() => notices.close(notice)}
          />
        </div>
      ))}
    </div>
  )
}
