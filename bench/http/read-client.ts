// Repeats one GET over keep-alive connections: each sends it again as soon as its last reply is
// whole. A client that parses replies would cost more than the server that it measures, so this one
// counts bytes: all replies of one server to one request have one length.

import { connect, type Socket } from 'node:net'
import { assert } from '../../engine/domain/assert.ts'
import { serve, type Task } from '../harness/child.ts'

const BUFFER_BYTES = 1 << 16

export interface ReadPlan {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly replies: number
}

function requestOf({ path, headers }: ReadPlan): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}\r\n`)
}

/** Bytes of one whole reply with its head. */
async function replyBytes({ port }: ReadPlan, request: Buffer): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  let got = Buffer.alloc(0)
  for await (const chunk of socket) {
    got = Buffer.concat([got, chunk])
    const head = got.indexOf('\r\n\r\n')
    if (head === -1) continue
    const text = got.subarray(0, head).toString('latin1')
    assert(/^HTTP\/1.1 (?:200|304) /.test(text), 'the read is answered')
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (got.length >= head + 4 + length) break
  }
  return got.length
}

/** Returns replies a second. */
export async function readsPerSecond(plan: ReadPlan): Promise<number> {
  const request = requestOf(plan)
  const wholeBytes = await replyBytes(plan, request)
  let left = plan.replies
  let open = plan.connections
  const sockets: Socket[] = []
  const startMs = performance.now()
  await new Promise<void>((resolve, reject) => {
    for (let index = 0; index < plan.connections; index++) {
      let got = 0
      const onread = {
        buffer: Buffer.alloc(BUFFER_BYTES),
        callback: (bytes: number) => {
          got += bytes
          if (got < wholeBytes) return true
          assert(got === wholeBytes, 'all replies have one length')
          got = 0
          left--
          if (left >= plan.connections) socket.write(request)
          else if (--open === 0) resolve()
          return true
        },
      }
      const socket = connect({ port: plan.port, host: '127.0.0.1', onread, noDelay: true })
      socket.on('error', reject)
      socket.write(request)
      sockets.push(socket)
    }
  })
  const seconds = (performance.now() - startMs) / 1000
  for (const socket of sockets) socket.destroy()
  return (plan.replies - left) / seconds
}

/** A service: each request repeats the plan; the reply is replies a second. */
export const READS: Task = { module: new URL(import.meta.url), name: serveReads.name }

export function serveReads(plan: ReadPlan): void {
  serve(null, () => readsPerSecond(plan))
}
