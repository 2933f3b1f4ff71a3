/** Bounds on what main does for reads. The code that checks a bound says what happens. */
export const WORK_LIMITS = {
  /** What main does in one turn of its loop for long replies and costly calls, all together. */
  sliceMs: 4,
  /** Such work that waits. Above it the newest of the largest group of callers makes way. */
  slicedJobsMax: 1024,
  /** Requests of `POST /mcp` that are with its thread, and how long it may take for one. */
  mcpRequestsMax: 512,
  mcpDeadlineMs: 30_000,
} as const
