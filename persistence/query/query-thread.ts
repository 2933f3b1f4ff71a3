// What main and the query thread tell each other. A question and its answer are typed where they
// are asked (`Query`); between the threads they are of the query that is named.

/** Main → query thread. */
export type QueryRequest =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly kind: 'stop' }

/** The same, as the query of that name takes it. */
export type TakenRequest =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly asked: never }
  | { readonly kind: 'stop' }

/** What a question broke at; trouble is no fault, and the question may be asked again. */
interface Failed {
  readonly reason: string
  readonly isTrouble: boolean
}

/** Query thread → main. */
export type QueryMessage =
  | 'ready'
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: Failed }

/** The same, as whoever asked takes it. */
export type TakenMessage =
  | 'ready'
  | { readonly id: number; readonly answer: never; readonly failed?: undefined }
  | { readonly id: number; readonly failed: Failed }

export interface QueryThreadData {
  readonly dataDir: string
  /** One shared word: the id of the question the thread is at and one more, 0 for none. */
  readonly working: Int32Array
}
