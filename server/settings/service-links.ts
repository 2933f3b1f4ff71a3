// Kubernetes sets variables in every container for each Service of its namespace, named after it.
// Those of a Service `outcomex`, `outcomex-ops` or the like begin as the settings do.

const ADDRESS_LINK = /^OUTCOMEX_(?:[A-Z0-9_]+_)?PORT(?:_[0-9]+_(?:TCP|UDP|SCTP))?$/
const ADDRESS = /^(?:tcp|udp|sctp):\/\/\S+:[0-9]+$/
const SERVICE_PART = /^OUTCOMEX_(?:[A-Z0-9_]+_)?SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/
const PORT_PART = /^OUTCOMEX_(?:[A-Z0-9_]+_)?PORT_[0-9]+_(?:TCP|UDP|SCTP)_(?:PROTO|PORT|ADDR)$/

/** Whether the variable describes a Service. `OUTCOMEX_PORT` is one when it holds an address. */
export function isServiceLink(name: string, text: string): boolean {
  if (SERVICE_PART.test(name) || PORT_PART.test(name)) return true
  return ADDRESS_LINK.test(name) && ADDRESS.test(text)
}

/** Says in one sentence which variables are ignored; null when there are none. */
export function serviceLinkWarning(
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const names = Object.keys(env).filter((name) => isServiceLink(name, env[name] ?? ''))
  if (names.length === 0) return null
  return (
    `${names.length} variables that Kubernetes sets for a Service are ignored: ` +
    `${names.join(', ')}; enableServiceLinks: false in the pod removes them`
  )
}
