// The nodes of a cluster, which share a log, as an operator sees and steers them.

import { DataFolderError } from '../../../persistence/folder-error.ts'
import { LOG_SYNC } from '../../../persistence/log/thread/log-thread.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import {
  boolean,
  integer,
  means,
  nullable,
  number,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { message } from '../shapes.ts'
import type { AdminServices } from './services.ts'

const LEADER = { node: 'a', url: 'http://10.0.0.1:3000' }

const nodeName = () => means(text(63), 'Name of a node.')

const nodeShape = () =>
  object({
    node: nodeName(),
    url: means(text(), 'Address at which other nodes reach it.'),
    seq: means(integer(0), 'Newest command of its last report.'),
    version: means(text(), 'Version of its program.'),
    rules: means(integer(1), 'Newest rules that it knows.'),
    seenMs: means(number(), 'Milliseconds since its last report.'),
  })

export const showCluster = route({
  method: 'GET',
  path: '/admin/cluster',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns which node leads, and where every node is.',
  reply: object({
    node: means(nodeName(), 'The node that answers.'),
    role: means(oneOf('leader', 'standby'), 'Whether it decides, or follows the one that does.'),
    epoch: means(integer(0), 'Number of leaders so far; it rises with each.'),
    leader: means(nullable(text()), 'The node that leads; null while none does.'),
    leaderUrl: means(nullable(text()), 'Address of that node for the others; null without it.'),
    seq: means(integer(0), 'Newest command that this node has applied.'),
    confirmedSeq: means(integer(0), 'Newest acknowledged command that it knows of.'),
    rules: means(integer(0), 'Rules by which the exchange decides; 0 before a first leader.'),
    sync: means(oneOf(...LOG_SYNC), 'Whether a leader needs a synchronous standby.'),
    synchronous: means(boolean(), 'Whether each commit is on two disks before it is acknowledged.'),
    nodes: means(list(nodeShape()), 'Every node that ever reported itself, by name.'),
  }),
  means: 'The cluster as this node knows it.',
  rejects: ['NOT_A_CLUSTER'],
  example: {
    reply: {
      node: 'b',
      role: 'standby',
      epoch: 3,
      leader: LEADER.node,
      leaderUrl: LEADER.url,
      seq: 431,
      confirmedSeq: 431,
      rules: 1,
      sync: 'required',
      synchronous: true,
      nodes: [{ ...LEADER, seq: 431, version: '0.1.0', rules: 1, seenMs: 412 }],
    },
  },
  handle: (_input, { cluster }: AdminServices) => {
    return cluster === null ? refuse('NOT_A_CLUSTER') : cluster.view()
  },
})

export const handOver = route({
  method: 'POST',
  path: '/admin/cluster/hand-over',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Lets the leader finish its commands and end its lease, so that another node leads.',
  status: 202,
  reply: object({ node: means(nodeName(), 'The node that stops to lead; it starts again.') }),
  means: 'The leader stops, and another node leads within a second.',
  rejects: ['NOT_A_CLUSTER', 'NO_OTHER_NODE'],
  example: { reply: { node: 'a' } },
  handle: (_input, { cluster }: AdminServices) => {
    if (cluster === null) return refuse('NOT_A_CLUSTER')
    return cluster.handOver() ? { node: cluster.view().node } : refuse('NO_OTHER_NODE')
  },
})

export const removeNode = route({
  method: 'DELETE',
  path: '/admin/cluster/nodes/:node',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes a node that does not come back: the log is then trimmed without it.',
  params: { node: nodeName() },
  reply: message(),
  means: 'The node is no longer listed, until it reports itself again.',
  rejects: ['NOT_A_CLUSTER', 'NODE_NOT_FOUND', 'OVERLOADED'],
  example: { params: { node: 'c' }, reply: { message: 'Node removed' } },
  handle: async ({ params }, { cluster }: AdminServices) => {
    if (cluster === null) return refuse('NOT_A_CLUSTER')
    if (!cluster.view().nodes.some(({ node }) => node === params.node)) {
      return refuse('NODE_NOT_FOUND')
    }
    return (await cluster.removeNode(params.node))
      ? { message: 'Node removed' }
      : refuse('OVERLOADED')
  },
})

// A copy of a node's folder, from which a new node starts (outcomex join).

const FILE_BYTES_MAX = 4 << 20

export const copyNode = route({
  method: 'GET',
  path: '/admin/cluster/copy',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Returns the copy of the data folder of this node, and makes one if there is none.',
  reply: object({
    isReady: means(boolean(), 'False while the copy is being made; ask again after a second.'),
    seq: means(integer(0), 'Newest command of its journal; 0 until it is ready.'),
    files: means(
      list(
        object({
          name: means(text(), 'Path within the folder.'),
          bytes: means(integer(1), 'Length of the file.'),
        }),
      ),
      'Its files; none until it is ready.',
    ),
  }),
  means: 'The copy, which is removed when nobody reads it for ten minutes.',
  rejects: ['NOT_A_CLUSTER', 'COPY_FAILED'],
  example: {
    reply: { isReady: true, seq: 431, files: [{ name: 'journal.db', bytes: 122_880 }] },
  },
  handle: async (_input, { cluster }: AdminServices) => {
    if (cluster === null) return refuse('NOT_A_CLUSTER')
    try {
      const copy = await cluster.copies.find()
      return { isReady: copy !== null, ...(copy ?? { seq: 0, files: [] }) }
    } catch (error) {
      if (!(error instanceof DataFolderError)) throw error
      return refuse('COPY_FAILED')
    }
  },
})

export const readCopy = route({
  method: 'GET',
  path: '/admin/cluster/copy/file',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Returns bytes of a file of the copy.',
  query: {
    name: means(text(200), 'Path of the file within the folder.'),
    offset: means(integer(0), 'The first byte.'),
  },
  reply: text(),
  means: `Up to ${FILE_BYTES_MAX} bytes from there; fewer at the end of the file.`,
  produces: 'application/octet-stream',
  rejects: ['NOT_A_CLUSTER', 'COPY_NOT_FOUND'],
  example: { query: { name: 'journal.db', offset: 0 }, reply: '…' },
  handle: async ({ query }, { cluster }: AdminServices) => {
    if (cluster === null) return refuse('NOT_A_CLUSTER')
    const found = await cluster.copies.read(query.name, query.offset, FILE_BYTES_MAX)
    return found === null ? refuse('COPY_NOT_FOUND') : bytes(found, 'application/octet-stream')
  },
})
