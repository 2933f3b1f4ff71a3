import type { CommandSpec, Commands } from '../command-line.ts'
import type { AnySetting } from '../settings/flags.ts'
import { EXIT } from '../shell.ts'

// Completion of the command line, as a script for a shell, made from what each command takes.

const FILES = new Set(['DIR', 'FILE'])

/** A command or a sub-command, with all flags that may stand behind its name. */
interface Node {
  readonly name: string
  readonly about: string
  readonly flags: readonly AnySetting[]
  /** The words that may come first; empty when they are no list. */
  readonly words: readonly string[]
  readonly nodes: readonly Node[]
}

async function nodesOf(known: Commands): Promise<Node[]> {
  const loaded = Object.entries(known).map(async ([name, { about, load }]) => {
    const { flags = [], words = [], commands = {} } = await load()
    const nodes = Object.entries(commands).map(([sub, { about: of, flags: own = [] }]) => {
      return { name: sub, about: of, flags: [...own, ...flags], words: [], nodes: [] }
    })
    const choices = [...(words[0]?.choices ?? []), ...nodes.map((each) => each.name)]
    return { name, about, flags, words: choices, nodes }
  })
  return await Promise.all(loaded)
}

/** The words that a flag takes; null for a value that has no list. */
function choicesOf({ kind }: AnySetting): readonly string[] | null {
  return /^[a-z0-9_-]+([|][a-z0-9_-]+)+$/.test(kind.shape) ? kind.shape.split('|') : null
}

const isSwitch = ({ kind }: AnySetting) => kind.shape === ''
const takesFile = ({ kind }: AnySetting) => FILES.has(kind.shape)

/** What may follow a flag, whatever the command. A value without a list may be a file. */
function bashValues(known: readonly Node[]): string[] {
  const all = known.flatMap(({ flags, nodes }) => [...flags, ...nodes.flatMap((sub) => sub.flags)])
  const rows = new Map(all.filter((row) => !isSwitch(row)).map((row) => [row.flag, row]))
  const open = [...rows.values()].filter((row) => choicesOf(row) === null)
  return [
    `    ${open.map(({ flag }) => `--${flag}`).join('|')}) return ;;`,
    ...[...rows.values()].flatMap((row) => {
      const words = choicesOf(row)?.join(' ')
      if (words === undefined) return []
      return [`    --${row.flag}) COMPREPLY=($(compgen -W '${words}' -- "$word")); return ;;`]
    }),
  ]
}

function bashCase(pattern: string, { flags, words }: Node): string {
  const all = [...words, ...flags.map(({ flag }) => `--${flag}`), '--help']
  return `    ${pattern}) words='${all.join(' ')}' ;;`
}

function bashScript(known: readonly Node[]): string {
  const names = known.map(({ name }) => name)
  return [
    '_outcomex() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  local word=${COMP_WORDS[COMP_CWORD]} path=${COMP_WORDS[1]}. words=',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W '${names.join(' ')} --help --version' -- "$word"))`,
    '    return',
    '  fi',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  case ${COMP_WORDS[COMP_CWORD-1]} in',
    ...bashValues(known),
    '  esac',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  if [ "$COMP_CWORD" -gt 2 ]; then path=$path${COMP_WORDS[2]}; fi',
    '  case $path in',
    ...known.flatMap((each) => [
      ...each.nodes.map((sub) => bashCase(`${each.name}.${sub.name}`, sub)),
      bashCase(`${each.name}.*`, each),
    ]),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _outcomex outcomex',
  ].join('\n')
}

const zshText = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&')

function zshFlag(row: AnySetting): string {
  const help = `[${zshText(row.help)}]`
  if (isSwitch(row)) return `'--${row.flag}${help}'`
  const choices = choicesOf(row)
  const action = choices === null ? ' ' : `(${choices.join(' ')})`
  return `'--${row.flag}${help}:${zshText(row.kind.shape)}:${takesFile(row) ? '_files' : action}'`
}

/** Completes one of the names, and what follows it. */
function zshLines(known: readonly Node[]): string[] {
  const names = known.map(({ name, about }) => `'${name}:${zshText(about)}'`)
  return [
    'if (( CURRENT == 2 )); then',
    `  local -a names=(${names.join(' ')})`,
    '  _describe command names',
    '  return',
    'fi',
    'shift words; (( CURRENT-- ))',
    'case $words[1] in',
    ...known.flatMap(({ name, flags, words, nodes }) => {
      if (nodes.length > 0) return [`${name})`, ...zshLines(nodes), ';;']
      const first = words.length === 0 ? [] : [`'1:word:(${words.join(' ')})'`]
      return [
        `${name}) _arguments ${[...first, ...flags.map(zshFlag), "'*: :_files'"].join(' ')} ;;`,
      ]
    }),
    'esac',
  ]
}

function zshScript(known: readonly Node[]): string {
  const lines = zshLines(known).map((line) => `  ${line}`)
  return ['#compdef outcomex', '_outcomex() {', ...lines, '}', 'compdef _outcomex outcomex'].join(
    '\n',
  )
}

const fishText = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`

function fishFlag(row: AnySetting): string {
  const choices = choicesOf(row)
  const list = choices === null ? '' : ` -a ${fishText(choices.join(' '))}`
  const value = takesFile(row) ? ' -r -F' : ` -x${list}`
  return `-l ${row.flag}${isSwitch(row) ? '' : value} -d ${fishText(row.help)}`
}

/** Completes one of the names behind a condition, and what follows it. */
function fishLines(known: readonly Node[], before = ''): string[] {
  const names = known.map(({ name }) => name).join(' ')
  const isNext =
    before === '' ? '__fish_use_subcommand' : `${before}not __fish_seen_subcommand_from ${names}`
  return known.flatMap(({ name, about, flags, words, nodes }) => {
    const isSeen = `${before}__fish_seen_subcommand_from ${name}`
    const list = nodes.length > 0 ? [] : words
    const complete = `complete -c outcomex -n ${fishText(isSeen)}`
    return [
      `complete -c outcomex -n ${fishText(isNext)} -f -a ${name} -d ${fishText(about)}`,
      ...list.map((word) => `${complete} -f -a ${word}`),
      ...flags.map((row) => `${complete} ${fishFlag(row)}`),
      ...fishLines(nodes, `${isSeen}; and `),
    ]
  })
}

const SCRIPTS: Readonly<Record<string, (known: readonly Node[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: (known) => fishLines(known).join('\n'),
}
const SHELLS = Object.keys(SCRIPTS)

/** Completes the words of `known`, which holds this command too. */
export function completionCommand(known: Commands): CommandSpec {
  return {
    words: [{ shape: '<SHELL>', about: 'The shell that reads the script.', choices: SHELLS }],
    notes: [
      '  source <(outcomex completion bash)       in ~/.bashrc',
      '  source <(outcomex completion zsh)        in ~/.zshrc, behind compinit',
      '  outcomex completion fish | source        in ~/.config/fish/config.fish',
    ].join('\n'),
    work: async ({ words: [name] }, shell) => {
      shell.say(SCRIPTS[name](await nodesOf(known)))
      return EXIT.OK
    },
  }
}
