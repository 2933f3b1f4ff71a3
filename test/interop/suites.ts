import { join } from 'node:path'
import type { Command } from './program.ts'
import type { Suite, Workspace } from './suite.ts'

// The suites, with the versions of the clients. A new one is a row here and a folder of its own
// with the driver; the runner does the rest.

const SECOND_MS = 1_000
export const TOOL_MS = 20 * SECOND_MS
export const FETCH_MS = 240 * SECOND_MS
export const DRIVE_MS = 120 * SECOND_MS
const FUZZ_MS = 1_800 * SECOND_MS

export const PYTHON: Suite['tools'] = [
  {
    for: 'Python 3.10 or newer with venv',
    command: {
      program: 'python3',
      args: ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'],
      limitMs: TOOL_MS,
    },
  },
]

/** Makes a virtual environment in the folder and installs packages there. */
export function pip({ folder }: Workspace, ...packages: readonly string[]): Command[] {
  const python = join(folder, 'venv', 'bin', 'python')
  return [
    { program: 'python3', args: ['-m', 'venv', join(folder, 'venv')], limitMs: FETCH_MS },
    {
      program: python,
      args: ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
      limitMs: FETCH_MS,
    },
  ]
}

function python({ folder, drivers }: Workspace, ...driver: readonly string[]): Command[] {
  const program = join(folder, 'venv', 'bin', 'python')
  return [{ program, args: [join(drivers, ...driver)], cwd: folder, limitMs: DRIVE_MS }]
}

/** What a client does that trades. */
export const TRADES = ['place', 'refused', 'cancel', 'list', 'positions', 'history']

export const frames = (names: string): string[] => names.split(' ').map((name) => `frames ${name}`)

export const SUITES: readonly Suite[] = [
  {
    name: 'python-sdk',
    isShort: true,
    tools: PYTHON,
    fetch: (workspace) => pip(workspace, 'limitless-sdk==1.3.0'),
    drive: (workspace) => python(workspace, 'python-sdk', 'driver.py'),
    steps: [
      ...TRADES,
      'browse',
      'partner',
      'packs',
      'pool',
      ...frames('orderbookUpdate newPriceData oraclePriceData orderEvent positions tx'),
      ...frames('marketCreated marketResolved live_sports_update live_esports_update system'),
    ],
  },
  {
    name: 'ccxt',
    isShort: true,
    tools: PYTHON,
    fetch: (workspace) => pip(workspace, 'ccxt==4.5.90'),
    drive: (workspace) => python(workspace, 'ccxt', 'driver.py'),
    steps: [...TRADES, 'browse', 'redeem'],
  },
  {
    name: 'schemathesis',
    isShort: true,
    tools: PYTHON,
    fetch: (workspace) => pip(workspace, 'schemathesis==4.32.5'),
    drive: (workspace) =>
      ['user', 'operator'].flatMap((role) => {
        const driver = python(workspace, 'schemathesis', 'driver.py')
        const env = { INTEROP_FULL: workspace.isFull ? '1' : '' }
        return driver.map((each) => {
          return { ...each, args: [...each.args, role], env, limitMs: FUZZ_MS }
        })
      }),
    steps: ['user', 'operator'],
  },
]
