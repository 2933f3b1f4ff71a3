// Finds what breaks the rules of the Prometheus text format and of its names, as `promtool check
// metrics` has them. It also finds what no scraper forgives: a family in two pieces, a series that
// comes twice, a histogram that does not add up.

const NAME = /^[a-z][a-z0-9_]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const NOT_BASE = /_(milli|micro|nano)?(ms|us|ns|millis|micros|minutes|hours|kb|mb|kilobytes)(_|$)/
const ABBREVIATED = /_(sec|secs|min|hrs|b|pct)(_|$)/
const TYPES = ['counter', 'gauge', 'histogram'] as const

interface Family {
  readonly name: string
  type: string
  help: string
  readonly samples: { suffix: string; labels: Map<string, string>; value: number }[]
}

function labelsOf(text: string): Map<string, string> | null {
  const labels = new Map<string, string>()
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text)
    if (found === null || labels.has(found[1])) return null
    labels.set(found[1], found[2])
  }
  return labels
}

function keyOf(labels: ReadonlyMap<string, string>, without = ''): string {
  const pairs = [...labels].filter(([name]) => name !== without).sort()
  return JSON.stringify(pairs)
}

/** The broken rules of a family's name and of its samples' suffixes. */
function namesBroken({ name, type, help, samples }: Family): string[] {
  const found: string[] = []
  const say = (isBroken: boolean, what: string) => isBroken && found.push(`${name}: ${what}`)
  say(!NAME.test(name), 'a name is lower case')
  say(!TYPES.some((each) => each === type), 'a type is known')
  say(help.trim() === '', 'it has a help text')
  say((type === 'counter') !== name.endsWith('_total'), 'counters, and they alone, end in _total')
  say(/_(count|sum|bucket)$/.test(name), 'the suffixes of a histogram end no name')
  say(NOT_BASE.test(name) || ABBREVIATED.test(name), 'units are seconds and bytes, written out')
  say(/_(counter|gauge|histogram)(_|$)/.test(name), 'a type is no part of a name')
  for (const { suffix, labels } of samples) {
    say(labels.has('quantile'), 'a quantile is a label of summaries')
    say(type !== 'histogram' && labels.has('le'), 'le is a label of buckets')
    say(type !== 'histogram' && suffix !== '', 'it has a suffix of histograms')
  }
  return found
}

/** The series of a histogram that do not add up. */
function sumsBroken({ name, type, samples }: Family): string[] {
  if (type !== 'histogram') return []
  const found: string[] = []
  const series = new Map<string, Family['samples']>()
  for (const sample of samples) {
    const key = keyOf(sample.labels, 'le')
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  for (const [key, all] of series) {
    const of = (suffix: string) => all.filter((sample) => sample.suffix === suffix)
    const buckets = of('_bucket')
    const bounds = buckets.map(({ labels }) =>
      Number((labels.get('le') ?? '').replace('+Inf', 'Infinity')),
    )
    const isRising = bounds.every((bound, index) => index === 0 || bound > bounds[index - 1])
    const isAdding = buckets.every(({ value }, at) => at === 0 || value >= buckets[at - 1].value)
    const isWhole = of('_sum').length === 1 && of('_count').length === 1
    if (!isRising || bounds.at(-1) !== Infinity) found.push(`${name} ${key}: bounds rise to +Inf`)
    if (!isAdding) found.push(`${name} ${key}: buckets are cumulative`)
    if (!isWhole || buckets.at(-1)?.value !== of('_count')[0]?.value) {
      found.push(`${name} ${key}: a sum, and a count that is the last bucket`)
    }
  }
  return found
}

function suffixOf(sample: string, family: Family | undefined): string | null {
  if (family === undefined || !sample.startsWith(family.name)) return null
  const suffix = sample.slice(family.name.length)
  return ['', '_bucket', '_sum', '_count'].includes(suffix) ? suffix : null
}

export function rulesBroken(text: string): string[] {
  const found: string[] = []
  const families: Family[] = []
  const seen = new Set<string>()
  if (!text.endsWith('\n')) found.push('the last line ends')
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') continue
    const [, word, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    let family = families.at(-1)
    if (word !== undefined) {
      if (family?.name !== name) {
        if (families.some((each) => each.name === name)) found.push(`${name}: in two pieces`)
        family = { name, type: '', help: '', samples: [] }
        families.push(family)
      }
      const field = word === 'HELP' ? 'help' : 'type'
      if (family[field] !== '' || family.samples.length > 0)
        found.push(`${name}: one ${word}, first`)
      family[field] = rest
      continue
    }
    const [, sample, labelText = '', value] = SAMPLE.exec(line) ?? []
    const suffix = sample === undefined ? null : suffixOf(sample, family)
    const labels = labelsOf(labelText)
    if (suffix === null || family === undefined || labels === null || Number.isNaN(Number(value))) {
      found.push(`no sample of its family: ${line}`)
      continue
    }
    const key = `${sample}${keyOf(labels)}`
    if (seen.has(key)) found.push(`twice: ${line}`)
    seen.add(key)
    family.samples.push({ suffix, labels, value: Number(value) })
  }
  return [...found, ...families.flatMap((each) => [...namesBroken(each), ...sumsBroken(each)])]
}
