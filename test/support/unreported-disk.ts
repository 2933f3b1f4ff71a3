import type { Pipeline } from '../../server/exchange/pipeline.ts'

/** From now on the pipeline does not learn what is durable, until it is notified. */
export class UnreportedDisk {
  readonly #pipeline: Pipeline
  readonly #advance: (seq: number) => void

  constructor(pipeline: Pipeline) {
    const { publisher } = pipeline
    this.#pipeline = pipeline
    this.#advance = publisher.advance.bind(publisher)
    publisher.advance = () => {}
  }

  report(seq: number): void {
    this.#advance(seq)
    this.#pipeline.drain()
  }

  /** Reports all that is durable, and what will be from now on. */
  reportAll(): void {
    const { publisher, journal } = this.#pipeline
    publisher.advance = this.#advance
    this.report(journal.durableSeq)
  }
}
