import { type AnySetting, WrongUse } from '../settings/flags.ts'
import { type Command, type Commands, command, EXIT } from '../shell.ts'

// Completion of the command line, as a script for a shell, made from the tables of the flags.

const SHELLS = ['bash', 'zsh', 'fish'] as const
type ShellName = (typeof SHELLS)[number]

const ABOUT = 'Prints a script that completes the command line: bash, zsh or fish.'
const FILES = new Set(['DIR', 'FILE'])

/** The words that a flag takes; null for a value that has no list. */
function choicesOf({ kind }: AnySetting): readonly string[] | null {
  return /^[a-z0-9-]+([|][a-z0-9-]+)+$/.test(kind.shape) ? kind.shape.split('|') : null
}

const isSwitch = ({ kind }: AnySetting) => kind.shape === ''
const takesFile = ({ kind }: AnySetting) => FILES.has(kind.shape)

/** What may follow a flag, whatever the command. A value without a list may be a file. */
function bashValues(known: Commands): string[] {
  const all = Object.values(known).flatMap(({ flags }) => flags)
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

function wordsOf({ flags, words }: Command): string {
  return [...words, ...flags.map(({ flag }) => `--${flag}`), '--help'].join(' ')
}

function bashScript(known: Commands): string {
  return [
    '_outcomex() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  local word=${COMP_WORDS[COMP_CWORD]} words=',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W '${Object.keys(known).join(' ')} --help --version' -- "$word"))`,
    '    return',
    '  fi',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  case ${COMP_WORDS[COMP_CWORD-1]} in',
    ...bashValues(known),
    '  esac',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it
    '  case ${COMP_WORDS[1]} in',
    ...Object.entries(known).map(([name, each]) => `    ${name}) words='${wordsOf(each)}' ;;`),
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

function zshScript(known: Commands): string {
  const cases = Object.entries(known).map(([name, { flags, words }]) => {
    const first = words.length === 0 ? [] : [`'1:word:(${words.join(' ')})'`]
    const specs = [...first, ...flags.map(zshFlag), "'*: :_files'"]
    return `    ${name}) _arguments ${specs.join(' ')} ;;`
  })
  const names = Object.entries(known).map(([name, { about }]) => `'${name}:${zshText(about)}'`)
  return [
    '#compdef outcomex',
    '_outcomex() {',
    '  if (( CURRENT == 2 )); then',
    `    local -a names=(${names.join(' ')})`,
    '    _describe command names',
    '    return',
    '  fi',
    '  shift words; (( CURRENT-- ))',
    '  case $words[1] in',
    ...cases,
    '  esac',
    '}',
    'compdef _outcomex outcomex',
  ].join('\n')
}

const fishText = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`

function fishScript(known: Commands): string {
  const lines = Object.entries(known).flatMap(([name, { about, flags, words }]) => {
    const seen = `complete -c outcomex -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c outcomex -n __fish_use_subcommand -f -a ${name} -d ${fishText(about)}`,
      ...(words.length === 0 ? [] : [`${seen} -f -a ${fishText(words.join(' '))}`]),
      ...flags.map((row) => {
        const choices = choicesOf(row)
        const list = choices === null ? '' : ` -a ${fishText(choices.join(' '))}`
        const value = takesFile(row) ? ' -r -F' : ` -x${list}`
        return `${seen} -l ${row.flag}${isSwitch(row) ? '' : value} -d ${fishText(row.help)}`
      }),
    ]
  })
  return lines.join('\n')
}

const SCRIPTS: Readonly<Record<ShellName, (known: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

function help(): string {
  return [
    `outcomex completion ${SHELLS.join('|')}`,
    ABOUT,
    '',
    '  source <(outcomex completion bash)       in ~/.bashrc',
    '  source <(outcomex completion zsh)        in ~/.zshrc, behind compinit',
    '  outcomex completion fish | source        in ~/.config/fish/config.fish',
  ].join('\n')
}

/** Completes the words of `known()`, which holds this command too. */
export function completionCommand(known: () => Commands): Command {
  return command({
    about: ABOUT,
    help,
    words: SHELLS,
    work: async ([requested, ...rest], shell) => {
      const name = SHELLS.find((each) => each === requested)
      if (name === undefined || rest.length > 0) {
        throw new WrongUse(`Write: outcomex completion ${SHELLS.join('|')}`)
      }
      shell.say(SCRIPTS[name](known()))
      return EXIT.OK
    },
  })
}
