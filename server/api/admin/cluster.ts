// The nodes of a cluster, which share a log, as an operator sees and steers them.

import { LOG_SYNC } from '../../../persistence/log/thread/log-thread.ts'
import { admin } from '../../auth/auth-scheme.ts'
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
    leaderUrl: means(nullable(text()), 'Address at which other nodes reach it; null without it.'),
    seq: means(integer(0), 'Newest command that this node has applied.'),
    confirmedSeq: means(integer(0), 'Newest acknowledged command that it knows of.'),
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
