import type { CommandSpec } from '../command-line.ts'
import { SETTINGS } from '../config.ts'
import { readSetting, WrongUse } from '../settings/flags.ts'
import { EXIT } from '../shell.ts'
import { tableText } from './admin/admin.ts'
import { accepted, DEFAULT_URL, send } from './client.ts'
import { urlFlag } from './common-flags.ts'

const URL_FLAG = urlFlag('url', 'Any node of the cluster; else http://127.0.0.1:3000.')

interface ClusterCall {
  readonly method: string
  readonly path: string
}

function callOf(action: string, node: string | undefined): ClusterCall {
  if (action === 'remove') {
    if (node === undefined) throw new WrongUse('remove needs the name of a node')
    return { method: 'DELETE', path: `/admin/cluster/nodes/${encodeURIComponent(node)}` }
  }
  if (node !== undefined) throw new WrongUse(`${action} takes no name of a node`)
  if (action === 'status') return { method: 'GET', path: '/admin/cluster' }
  return { method: 'POST', path: '/admin/cluster/hand-over' }
}

/** The fields line by line, and the nodes as a table. */
function statusText(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body)
  const { nodes, ...fields } = { nodes: [], ...body }
  const lines = Object.entries(fields).map(([name, value]) => `${name} ${value ?? '-'}`)
  return [...lines, '', tableText(nodes)].join('\n')
}

export const clusterCommand: CommandSpec = {
  flags: [URL_FLAG, SETTINGS.adminToken],
  words: [
    {
      shape: '<ACTION>',
      about: 'Show the nodes, let the leader end its lease, or remove a node.',
      choices: ['status', 'hand-over', 'remove'],
    },
    { shape: '[NODE]', about: 'The node to remove.' },
  ],
  notes: 'Any node answers; the leader executes what changes something.',
  async work({ words: [action, node], given }, shell) {
    const { method, path } = callOf(action, node)
    const baseUrl = readSetting(URL_FLAG, given) ?? DEFAULT_URL
    const token = readSetting(SETTINGS.adminToken, given)
    if (token === undefined) {
      throw new WrongUse('The admin token is missing: give --admin-token or OUTCOMEX_ADMIN_TOKEN')
    }
    const headers = { authorization: `Bearer ${token}` }
    const body = accepted(await send(baseUrl, { method, path, headers, body: '' }))
    shell.say(action === 'status' ? statusText(body) : JSON.stringify(body, null, 2))
    return EXIT.OK
  },
}
