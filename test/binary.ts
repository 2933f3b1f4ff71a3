// Drives the binary as a stranger would: `make binary-test`. It runs from an empty folder with an
// empty environment, so nothing but the one file can help it.

import { askExchange, complete, useFolder } from './binary/commands.ts'
import { checkBareStart, checkCache, checkFiles } from './binary/files.ts'
import { end, serve, step } from './binary/stranger.ts'
import { seePages, seeTrade, walk } from './binary/walk.ts'

checkFiles()
checkCache()
complete()
await checkBareStart()
step('demo')
const first = await serve()
const traded = await walk(first.baseUrl)
await askExchange(first.baseUrl)
await seePages(first.baseUrl)
step('kill -9')
await end(first, 'SIGKILL')
useFolder()
step('restart')
const second = await serve()
await seeTrade(second.baseUrl, traded)
await walk(second.baseUrl)
await end(second, 'SIGTERM')
const answers = [first, second].map(({ firstAnswerMs }) => firstAnswerMs.toFixed(0)).join(' and ')
step(`ok; from the start to the first answer it took ${answers} ms`)
