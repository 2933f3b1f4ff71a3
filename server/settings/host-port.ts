import type { Kind } from './flags.ts'

// A host and a port to listen on, as one text.

export interface HostPort {
  readonly host: string
  readonly port: number
}

const HOST_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(0|[1-9][0-9]{0,4})$/
const PORT_MAX = 65_535

/** An IPv6 address is in brackets, as in a URL. */
export const hostPort: Kind<HostPort> = {
  shape: 'HOST:PORT',
  wants: 'a host and a port, like 127.0.0.1:9100 or [::1]:9100',
  read(text) {
    const [, address, name, digits] = HOST_PORT.exec(text) ?? []
    const port = Number(digits)
    return port <= PORT_MAX ? { host: address ?? name, port } : undefined
  },
}
