import { join } from 'node:path'
import type { Command } from './program.ts'
import type { Suite, Workspace } from './suite.ts'
import { DRIVE_MS, FETCH_MS, frames, PYTHON, pip, TOOL_MS, TRADES } from './suites.ts'

// Suites that generate a client from the document, or compile one. Everything is built in the
// folder of the suite; package managers keep their downloads where they always do.

const BUILD_MS = 2 * FETCH_MS
const GENERATOR = 'openapi-generator-cli'
const GENERATOR_VERSION = '7.25.0'

const present = (name: string, program: string, ...args: readonly string[]) => ({
  for: name,
  command: { program, args, limitMs: TOOL_MS },
})

const JAVA = [present('Java', 'javac', '-version'), present('Maven', 'mvn', '-version')]
const CARGO = [present('Rust', 'cargo', '--version')]
const GO = [present('Go', 'go', 'version')]

/** Where a suite has its driver and what is built of it. */
const own = ({ folder }: Workspace) => join(folder, 'driver')

function copied(workspace: Workspace, name: string): Command {
  const from = join(workspace.drivers, name)
  return { program: 'cp', args: ['-R', from, own(workspace)], limitMs: TOOL_MS }
}

function command(cwd: string, limitMs: number, words: string, env = {}): Command {
  const [program, ...args] = words.split(' ')
  return { program, args, cwd, limitMs, env }
}

function maven(workspace: Workspace, words: string): Command {
  return command(workspace.folder, FETCH_MS, `mvn -q -B dependency:${words}`)
}

function generator(workspace: Workspace): Command {
  const artifact = `org.openapitools:${GENERATOR}:${GENERATOR_VERSION}`
  return maven(workspace, `copy -Dartifact=${artifact} -DoutputDirectory=generator`)
}

/** Generates a client of this kind; `rest` says into which folder, and how. */
function generated({ folder }: Workspace, kind: string, rest: string): Command {
  const jar = `generator/${GENERATOR}-${GENERATOR_VERSION}.jar`
  return command(folder, BUILD_MS, `java -jar ${jar} generate -i openapi.json -g ${kind} ${rest}`)
}

/** Builds offline: the downloads are done before. */
const OFFLINE_GO = { GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' }

function cargo(workspace: Workspace, words: string): Command {
  const limitMs = words === 'fetch' ? FETCH_MS : BUILD_MS
  return command(own(workspace), limitMs, `cargo ${words}`, {
    CARGO_TARGET_DIR: join(workspace.folder, 'target'),
  })
}

const rustDriver = ({ folder }: Workspace): Command[] => [
  { program: join(folder, 'target', 'debug', 'driver'), args: [], limitMs: DRIVE_MS },
]

export const COMPILED_SUITES: readonly Suite[] = [
  {
    name: 'go-generated',
    isShort: true,
    tools: GO,
    fetch: (workspace) => [
      copied(workspace, 'go'),
      command(own(workspace), FETCH_MS, 'go mod download'),
      command(
        own(workspace),
        BUILD_MS,
        'go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
        { GOBIN: workspace.folder },
      ),
    ],
    build: (workspace) => [
      command(own(workspace), TOOL_MS, 'mkdir exchange'),
      command(
        own(workspace),
        BUILD_MS,
        '../oapi-codegen -generate types,client -package exchange ' +
          '-o exchange/client.gen.go ../openapi.json',
      ),
      command(own(workspace), BUILD_MS, 'go build -o trade .', OFFLINE_GO),
    ],
    drive: (workspace) => [command(own(workspace), DRIVE_MS, './trade')],
    steps: [...TRADES, 'browse'],
  },
  {
    name: 'java-generated',
    isShort: true,
    tools: JAVA,
    fetch: (workspace) => [
      copied(workspace, 'java'),
      generator(workspace),
      maven(workspace, 'copy-dependencies -f driver/pom.xml -DoutputDirectory=../libraries'),
    ],
    build: (workspace) => [
      generated(workspace, 'java', '--library native -o client'),
      command(
        workspace.folder,
        BUILD_MS,
        'javac -nowarn -proc:none -d classes -cp libraries/* ' +
          '-sourcepath client/src/main/java driver/Driver.java',
      ),
    ],
    drive: (workspace) => [
      command(workspace.folder, DRIVE_MS, 'java -cp classes:libraries/* Driver'),
    ],
    steps: [...TRADES, 'browse'],
  },
  {
    name: 'python-generated',
    isShort: true,
    tools: [...PYTHON, ...JAVA],
    fetch: (workspace) => [
      generator(workspace),
      ...pip(workspace, 'pydantic', 'python-dateutil', 'typing-extensions', 'urllib3'),
    ],
    build: (workspace) => [generated(workspace, 'python', '-o client')],
    drive: (workspace) => [
      command(
        workspace.folder,
        DRIVE_MS,
        `venv/bin/python ${join(workspace.drivers, 'python-generated', 'driver.py')}`,
        { PYTHONPATH: `${workspace.drivers}:${join(workspace.folder, 'client')}` },
      ),
    ],
    steps: [...TRADES, 'browse'],
  },
  {
    name: 'rust-generated',
    isShort: false,
    tools: [...CARGO, ...JAVA],
    fetch: (workspace) => [
      copied(workspace, 'rust-generated'),
      generator(workspace),
      cargo(workspace, 'fetch'),
    ],
    build: (workspace) => [
      generated(
        workspace,
        'rust',
        '--additional-properties=packageName=exchange,supportMiddleware=true -o driver/client',
      ),
      cargo(workspace, 'build --offline'),
    ],
    drive: rustDriver,
    steps: [...TRADES, 'browse'],
  },
  {
    name: 'rust-sdk',
    isShort: true,
    tools: CARGO,
    fetch: (workspace) => [copied(workspace, 'rust-sdk'), cargo(workspace, 'fetch')],
    build: (workspace) => [cargo(workspace, 'build --offline')],
    drive: rustDriver,
    steps: [
      ...TRADES,
      'browse',
      ...frames('orderbookUpdate newPriceData oraclePriceData orderEvent positions tx'),
      ...frames('marketCreated marketResolved live_sports_update live_esports_update system'),
    ],
  },
]
