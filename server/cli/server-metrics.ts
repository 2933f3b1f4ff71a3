// Reads GET /metrics of a running exchange.

import { MS_PER_SEC } from '../../engine/domain/units.ts'
import { type Look, seriesOf } from '../ops/figures.ts'
import { Failure } from '../shell.ts'
import { exchanged } from './client.ts'

/** The clock of all rates: the figures are of the instant at which the server made their text. */
const UPTIME = 'outcomex_uptime_seconds'

export interface MetricsSource {
  readonly url: string
  readonly token: string | undefined
  /** Which flags name the address of operators: the end of a sentence. */
  readonly advice: string
}

/** The likely cause of an unusable answer, by its status. */
function reasonOf(status: number, advice: string): string {
  if (status === 401 || status === 403) return ': is the admin token right?'
  if (status !== 404) return '.'
  return (
    ': metrics are not served there. With --ops-listen they are served at that address alone: ' +
    advice
  )
}

/** The body of a GET that is answered by 2xx. */
export async function fetched(url: string, token?: string, advice = ''): Promise<string> {
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { status, bytes } = await exchanged(url, { method: 'GET', headers, body: '' })
  if (status >= 200 && status < 300) return bytes.toString()
  throw new Failure(`${url} answers ${status}${reasonOf(status, advice)}`)
}

export async function lookAt({ url, token, advice }: MetricsSource): Promise<Look> {
  const series = seriesOf(await fetched(`${url}/metrics`, token, advice))
  const uptime = series.find(({ name }) => name === UPTIME)
  if (uptime === undefined) throw new Failure(`${url}/metrics is not of an exchange.`)
  return { atMs: uptime.value * MS_PER_SEC, series }
}
