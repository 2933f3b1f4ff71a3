// Commands as values, and the only importer of commander: the library splits lines into flags and
// words, suggests what was meant, refuses wrong lines and lays out the help. What a flag's value
// must be is checked later (`readSetting`), alike for flags, the environment and the config file.

import { Argument, Command, CommanderError, Option } from 'commander'
import {
  type AnySetting,
  type Environment,
  type Given,
  readSetting,
  scanEnvironment,
  WrongUse,
} from './settings/flags.ts'
import { EXIT, Failure, processShell, type Shell } from './shell.ts'

/** A word of a line that is neither a flag nor the value of a flag. */
export interface Word {
  /** `<SLUG>` is needed, `[JSON]` may be absent, `<MARKET...>` is one or more. */
  readonly shape: string
  readonly about: string
  /** The words that it may be; absent when they are no list. */
  readonly choices?: readonly string[]
}

/** What a command takes. */
export interface Usage {
  readonly flags?: readonly AnySetting[]
  readonly words?: readonly Word[]
  /** Lines below the flags in the help. */
  readonly notes?: string
}

export interface SubCommand extends Usage {
  readonly about: string
  /** Another name of it. */
  readonly alias?: string
  /** The heading above it in the help. */
  readonly group?: string
}

/** By name. */
export type SubCommands = Readonly<Record<string, SubCommand>>

export interface Grammar extends Usage {
  /** The flags of the command stand before and after those of its sub-command. */
  readonly commands?: SubCommands
}

/** One line as it was split. */
export interface Line {
  /** The name of the sub-command; that of the command when it has none. */
  readonly name: string
  readonly given: readonly Given[]
  readonly words: readonly string[]
}

export interface CommandSpec extends Grammar {
  /** Resolves with the exit code; an expected error is a WrongUse, a Failure or `isKnown`. */
  readonly work: (line: Line, shell: Shell) => Promise<number>
  readonly isKnown?: (error: unknown) => boolean
}

/** A command before it is needed: what it imports loads when it runs or explains itself. */
export interface LazyCommand {
  /** One line for the list of commands. */
  readonly about: string
  readonly load: () => Promise<CommandSpec>
}

/** By name. */
export type Commands = Readonly<Record<string, LazyCommand>>

const isSwitch = ({ kind }: AnySetting) => kind.shape === ''

function optionOf(row: AnySetting): Option {
  const { flag, kind, fallback, help, isRequired = false } = row
  const about = isRequired ? `${help} (required)` : help
  const option = new Option(isSwitch(row) ? `--${flag}` : `--${flag} <${kind.shape}>`, about)
  option.makeOptionMandatory(isRequired)
  if (isRequired || fallback === undefined || fallback === false || fallback === '') return option
  const list = Array.isArray(fallback) ? fallback.join(',') : String(fallback)
  return option.default(fallback, kind.show?.(fallback) ?? list)
}

/** All commands of one line share what was given to them. */
class LineCommand extends Command {
  readonly #rows: AnySetting[]
  readonly #given: Given[]
  readonly #own: AnySetting[] = []

  constructor(name: string, rows: AnySetting[] = [], given: Given[] = []) {
    super(name)
    this.#rows = rows
    this.#given = given
    this.exitOverride()
  }

  override createCommand(name = ''): LineCommand {
    return new LineCommand(name, this.#rows, this.#given)
  }

  /** Adds what the command takes; `reached` gets a line that names it. */
  take({ flags = [], words = [], notes, commands = {} }: Grammar, reached: Reached): this {
    for (const row of flags) this.#takeFlag(row)
    for (const { shape, about, choices } of words) {
      const argument = new Argument(shape, about)
      this.addArgument(choices === undefined ? argument : argument.choices(choices))
    }
    if (notes !== undefined) this.addHelpText('after', `\n${notes}`)
    // The list of many commands is one of names; each says in its own help what it takes.
    if (Object.keys(commands).length > 0)
      this.configureHelp({ subcommandTerm: (each) => each.name() })
    for (const [name, { about, alias, group, ...usage }] of Object.entries(commands)) {
      const command = this.command(name).description(about).take(usage, reached)
      command.summary(about.split(/(?<=[.]) /)[0])
      command.configureHelp({
        showGlobalOptions: true,
        visibleGlobalOptions: () => this.#visible(),
      })
      if (alias !== undefined) command.alias(alias)
      if (group !== undefined) command.helpGroup(group)
    }
    if (Object.keys(commands).length > 0) return this
    return this.action(() => {
      return reached({ name: this.name(), words: this.args }, this.#rows, this.#given)
    })
  }

  #visible(): Option[] {
    return this.options.filter(({ hidden }) => !hidden)
  }

  #takeFlag(row: AnySetting): void {
    const give = (text: string) =>
      this.#given.push({ flag: row.flag, text, where: `--${row.flag}` })
    this.#rows.push(row)
    this.#own.push(row)
    this.addOption(optionOf(row))
    this.on(`option:${row.flag}`, (text?: string) => give(text ?? 'true'))
    if (!isSwitch(row)) return
    this.addOption(new Option(`--no-${row.flag}`).hideHelp())
    this.on(`option:no-${row.flag}`, () => give('false'))
  }

  /** The library takes a flag as the value of the flag before it, and no `--demo=false`. */
  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const end = args.indexOf('--')
    const flags = end === -1 ? args : args.slice(0, end)
    const bare = flags.findIndex((arg, at) => {
      const takesValue = this.#own.some((row) => !isSwitch(row) && arg === `--${row.flag}`)
      return takesValue && args[at + 1]?.startsWith('--')
    })
    if (bare !== -1) return super.parseOptions(args.slice(0, bare + 1))
    return super.parseOptions([
      ...flags.map((arg) => this.#plain(arg)),
      ...args.slice(flags.length),
    ])
  }

  #plain(arg: string): string {
    const row = this.#own.find((each) => isSwitch(each) && arg.startsWith(`--${each.flag}=`))
    if (row === undefined) return arg
    const where = `--${row.flag}`
    const isOn = readSetting(row, [{ flag: row.flag, text: arg.slice(where.length + 1), where }])
    return isOn === true ? where : `--no-${row.flag}`
  }
}

type Reached = (
  line: Omit<Line, 'given'>,
  rows: readonly AnySetting[],
  given: readonly Given[],
) => void | Promise<void>

/** What was given, with the variables of the flags that were not. */
function withEnvironment(
  env: Environment,
  rows: readonly AnySetting[],
  given: readonly Given[],
): Given[] {
  return [...scanEnvironment(env, rows, given), ...given]
}

/** The sentence of the library, on one line. */
function sentenceOf({ message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return text.endsWith('?)') ? text : `${text.replace(/\.$/, '')}; see --help`
}

/** Splits the line of one command; a wrong one throws a sentence. */
export function splitLine(grammar: Grammar, args: readonly string[], env: Environment): Line {
  let line: Line | undefined
  const command = new LineCommand('')
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .take(grammar, (split, rows, given) => {
      line = { ...split, given: withEnvironment(env, rows, given) }
    })
  try {
    command.parse(args, { from: 'user' })
  } catch (error) {
    throw error instanceof CommanderError ? new WrongUse(sentenceOf(error)) : error
  }
  if (line !== undefined) return line
  throw new WrongUse('see --help')
}

/** `help NAME` is `NAME --help`, because a command loads when a line names it. */
function plainHelp([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return []
  return first === 'help' ? [...rest, '--help'] : [first, ...rest]
}

/** Runs the command that `argv` (without node and script) names; resolves with the exit code. */
export async function runCommand(
  known: Commands,
  argv: readonly string[],
  version: string,
  shell: Shell = processShell,
): Promise<number> {
  let code: number = EXIT.OK
  let isKnown = (_error: unknown) => false
  const program = new LineCommand('outcomex')
    .description('A self-hosted prediction-market exchange.')
    .version(version, '-v, --version', 'Prints the version.')
    .helpOption('-h, --help', 'Prints this text.')
    .helpCommand('help [command]', 'Explains a command.')
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => shell.say(text.trimEnd()),
      writeErr: (text) => shell.warn(text.trimEnd()),
      outputError: () => {},
    })
  for (const [name, { about }] of Object.entries(known)) {
    program.command(name).description(about).enablePositionalOptions(false)
  }
  program.hook('preSubcommand', async (_program, command) => {
    const spec = await known[command.name()].load()
    isKnown = spec.isKnown ?? isKnown
    if (!(command instanceof LineCommand)) return
    command.take(spec, async (split, rows, given) => {
      code = await spec.work({ ...split, given: withEnvironment(shell.env, rows, given) }, shell)
    })
  })
  try {
    await program.parseAsync(plainHelp(argv), { from: 'user' })
    return code
  } catch (error) {
    return codeOf(error, isKnown, shell)
  }
}

/** Prints an expected error; any other is a fault. */
function codeOf(error: unknown, isKnown: (error: unknown) => boolean, shell: Shell): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.OK
    if (error.code !== 'commander.help') shell.warn(sentenceOf(error))
    return EXIT.WRONG_USE
  }
  const isSentence = error instanceof WrongUse || error instanceof Failure || isKnown(error)
  if (!isSentence || !(error instanceof Error)) throw error
  shell.warn(error.message)
  return error instanceof WrongUse ? EXIT.WRONG_USE : EXIT.FAILED
}
