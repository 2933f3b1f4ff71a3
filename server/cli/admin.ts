import { ADMIN_ROWS, ADMIN_USES, readAdminLine } from './admin-line.ts'
import { accepted, send } from './client.ts'
import { findDemo } from './demo-file.ts'
import { helpText, WrongUse } from './flags.ts'
import { command, EXIT, type Shell } from './shell.ts'

const ABOUT = 'Calls the admin API.'
const DEFAULT_URL = 'http://127.0.0.1:3000'

function help(): string {
  return [...ADMIN_USES.map((use) => `outcomex ${use}`), ABOUT, '', helpText(ADMIN_ROWS)].join('\n')
}

async function work(args: readonly string[], shell: Shell): Promise<number> {
  const { call, url, token, dataDir } = readAdminLine(args, shell.env)
  const demo = findDemo(dataDir)
  const adminToken = token ?? demo?.adminToken
  if (adminToken === undefined) {
    throw new WrongUse(
      'The admin token is missing: give --admin-token or OUTCOMEX_ADMIN_TOKEN; the first start ' +
        'of the server printed it. (A demo keeps it in demo.json: name its folder with --data.)',
    )
  }
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(call.body === '' ? {} : { 'content-type': 'application/json' }),
  }
  const reply = await send(url ?? demo?.baseUrl ?? DEFAULT_URL, { ...call, headers })
  const body = accepted(reply)
  shell.say(typeof body === 'string' ? body : JSON.stringify(body, null, 2))
  return EXIT.OK
}

export const adminCommand = command({ about: ABOUT, help, work })
