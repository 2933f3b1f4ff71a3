// What main and the query thread tell each other. A question and its answer are typed where they
// are asked (`Query`). The sender of one gives a value of unknown type. The receiver knows that it
// is of the query that is named, and says so with `never`.

/** One question; `name` is that of its query. */
export interface Question<Asked = unknown> {
  readonly kind: 'ask'
  readonly id: number
  readonly name: string
  readonly asked: Asked
}

/** Main → query thread. */
export type QueryRequest<Asked = unknown> = Question<Asked> | { readonly kind: 'stop' }

/** What a question broke at; trouble is no fault, and the question may be asked again. */
interface Failed {
  readonly reason: string
  readonly isTrouble: boolean
}

/** Query thread → main. */
export type QueryMessage<Answer = unknown> =
  | 'ready'
  | { readonly id: number; readonly answer: Answer; readonly failed?: undefined }
  | { readonly id: number; readonly failed: Failed }

export interface QueryThreadData {
  readonly dataDir: string
  /** One shared word: the id of the question the thread is at and one more, 0 for none. */
  readonly working: Int32Array
}
