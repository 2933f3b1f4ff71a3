// What the matching thread of the published benchmark sends to the thread that takes its reports.

export const REPORTS = 1
export const END = 2

export interface ReportsData {
  readonly ring: SharedArrayBuffer
  /** One i32: the trades among the reports. */
  readonly counts: SharedArrayBuffer
}
