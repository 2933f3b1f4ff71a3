// The first module of a test process. It runs from the folder of the transpiled files.

import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./hooks.mjs', import.meta.url, { data: JSON.parse(process.env.TEST_TRANSPILED ?? '') })
