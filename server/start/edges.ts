import type { ServeConfig } from '../config.ts'
import type { Limits } from '../edge/http/access/rate-limit.ts'
import type { ConnectionBounds } from '../edge/http/gateway/connections.ts'
import { EdgeListener, type EdgeListenerOptions } from '../edge/threads/edge-listener.ts'

type Reports = Pick<EdgeListenerOptions, 'onFault' | 'onFatal' | 'onReplaced'>

/** Starts the threads that have the connections; undefined when this thread has them. */
export function openEdges(
  config: ServeConfig,
  bounds: ConnectionBounds,
  limits: Limits | null,
  reports: Reports,
  cluster?: SharedArrayBuffer,
): EdgeListener | undefined {
  const { edgeThreads: threads, tls, domain, orderSkewMs, headerPrefixes, addressHeader } = config
  if (threads === 0) return undefined
  const regionHeader = config.regions?.header
  const rates = limits === null ? null : config.rates
  const addresses = limits === null ? null : limits.shared
  const headers = { headerPrefixes, addressHeader, regionHeader }
  const checks = { threads, rates, cluster, ...headers }
  const about = { bounds, tls, domain, orderSkewMs, checks, addresses }
  return new EdgeListener({ threads, ...about, ...reports })
}
