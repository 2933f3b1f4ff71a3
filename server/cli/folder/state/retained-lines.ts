import { openTemporary } from '../../../../persistence/database.ts'
import type { Line } from './state-line.ts'

// The lines of one state while another is read. They lie in a temporary file: a thread holds one
// state at a time, and the text of it is several times as large as the state.

const SCHEMA =
  'CREATE TABLE lines (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID'
const PUT = 'INSERT INTO lines (name, text) VALUES (?, ?)'
const TAKE = 'DELETE FROM lines WHERE name = ? RETURNING text'
const LEFT = 'SELECT text FROM lines ORDER BY name'

interface Text {
  readonly text: string
}

export class KeptLines {
  readonly #connection = openTemporary(SCHEMA)
  readonly #take = this.#connection.prepare<[string], Text>(TAKE)

  keep(lines: Iterable<Line>): void {
    const put = this.#connection.prepare<[string, string]>(PUT)
    const putAll = this.#connection.transaction(() => {
      for (const [name, text] of lines) put.run(name, text)
    })
    putAll()
  }

  /** What is no more, and what was not; a changed line is both. It takes the kept lines. */
  *changedTo(lines: Iterable<Line>): Generator<string, void> {
    for (const [name, text] of lines) {
      const before = this.#take.get(name)?.text
      if (before === text) continue
      if (before !== undefined) yield `- ${before}`
      yield `+ ${text}`
    }
    for (const { text } of this.#connection.prepare<[], Text>(LEFT).iterate()) yield `- ${text}`
  }

  close(): void {
    this.#connection.close()
  }
}
