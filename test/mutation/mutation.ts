/** One broken rule: `find` stands once in the file and becomes `replace`. */
export type Change = readonly [rule: string, find: string, replace: string]

export interface FileChanges {
  readonly file: string
  /** Tests that must notice, the quickest first. */
  readonly tests: readonly string[]
  readonly changes: readonly Change[]
}
