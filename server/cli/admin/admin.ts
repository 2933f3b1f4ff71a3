import type { CommandSpec, Line } from '../../command-line.ts'
import { WrongUse } from '../../settings/flags.ts'
import { EXIT, type Shell } from '../../shell.ts'
import { accepted, DEFAULT_URL, send } from '../client.ts'
import { demoAt, findDemo } from '../demo-file.ts'
import { type AdminLines, adminLines } from './admin-lines.ts'
import { adminRoutes } from './admin-routes.ts'

/** The list of a reply; null when it has none. */
function rowsOf(body: unknown, name: string): readonly object[] | null {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return null
  const list: unknown = Reflect.get(body, name)
  return Array.isArray(list) ? list : null
}

/** Columns under the names of the fields; a line that says so when there are no rows. */
export function tableText(rows: readonly object[]): string {
  if (rows.length === 0) return 'none'
  const heads = Object.keys(rows[0])
  const cells = rows.map((row) => heads.map((head) => String(Reflect.get(row, head) ?? '-')))
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column].length)),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  return [heads, ...cells].map(line).join('\n')
}

async function work({ read }: AdminLines, line: Line, shell: Shell): Promise<number> {
  const { call, fields, url, token, dataDir, table, isJson } = read(line)
  const demo = findDemo(dataDir)
  const baseUrl = url ?? demo?.operatorsUrl ?? demo?.baseUrl ?? DEFAULT_URL
  const adminToken = token ?? demoAt(baseUrl, demo)?.adminToken
  if (adminToken === undefined) {
    throw new WrongUse(
      'The admin token is missing: give --admin-token or OUTCOMEX_ADMIN_TOKEN; the first start ' +
        'of the server printed it. (A demo keeps it in demo.json, ' +
        'for its own address alone: name its folder with --data.)',
    )
  }
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(call.body === '' ? {} : { 'content-type': 'application/json' }),
  }
  const reply = await send(baseUrl, { ...call, headers })
  const body = accepted(reply, fields)
  const rows = table === null || isJson ? null : rowsOf(body, table)
  if (rows !== null) shell.say(tableText(rows))
  else if (isJson) shell.say(JSON.stringify(body))
  else shell.say(typeof body === 'string' ? body : JSON.stringify(body, null, 2))
  return EXIT.OK
}

export async function adminCommand(): Promise<CommandSpec> {
  const lines = adminLines(await adminRoutes())
  return { ...lines.grammar, work: (line, shell) => work(lines, line, shell) }
}
