/** Limits of the work that main does for reads. The code that checks a limit defines the effect. */
export const WORK_LIMITS = {
  /**
   * Time that main spends on long replies and costly calls together in one tick of its event loop.
   */
  sliceMs: 4,
  /**
   * Waiting work of this kind. Above it the newest job of the largest group of callers is dropped.
   */
  slicedJobsMax: 1024,
  /** `POST /mcp` requests at the MCP thread, and its time limit for one. */
  mcpRequestsMax: 512,
  mcpDeadlineMs: 30_000,
} as const
