import { PROP_TYPES, SPORT_TYPES, type SportType } from '../../../../engine/domain/sports/match.ts'
import {
  type Given,
  type Kind,
  readSetting,
  type Setting,
  WrongUse,
} from '../../../settings/flags.ts'
import { count, onOff, optional, words } from '../../../settings/kinds.ts'
import { bare, type Form, own, post, put, wordAs } from '../admin-form.ts'

// The forms of `outcomex admin` for matches of sports and esports, and for their scores.

const sport: Kind<SportType> = {
  shape: 'SPORT',
  wants: SPORT_TYPES.join(', '),
  read: (text) => SPORT_TYPES.find((each) => each === text),
}

interface MarketWord {
  readonly slug: string
  readonly esportsPropType?: string
}

const market: Kind<MarketWord> = {
  shape: 'MARKET',
  wants: `the slug of a market, or slug=WHAT with ${PROP_TYPES.join(', ')}`,
  read(text) {
    const [slug, what, more] = text.split('=')
    if (what === undefined) return { slug }
    const esportsPropType = PROP_TYPES.find((each) => each === what)
    const isWhole = esportsPropType !== undefined && more === undefined
    return isWhole ? { slug, esportsPropType } : undefined
  },
}

const POINTS = /^(\d{1,4}):(\d{1,4})$/
const points: Kind<{ readonly home: number; readonly away: number }> = {
  shape: 'HOME:AWAY',
  wants: 'two numbers like 2:1',
  read(text) {
    const parts = POINTS.exec(text)
    return parts === null ? undefined : { home: Number(parts[1]), away: Number(parts[2]) }
  },
}

const NUMBER = count(1, Number.MAX_SAFE_INTEGER)

const FLAGS = {
  sport: own('sport', optional(sport), undefined, 'match: the sport; esports for any game.'),
  game: own(
    'game',
    optional(words('GAME', 'a game like cs2')),
    undefined,
    'match: the game of a match of esports.',
  ),
  fixture: own('fixture', optional(NUMBER), undefined, 'match: its number where scores come from.'),
  starts: own(
    'starts',
    optional(words('TIME', 'a time like 2027-01-01T12:00Z')),
    undefined,
    'match: when it is to start.',
  ),
  home: own('home', optional(words('NAME', 'a name')), undefined, 'match: the home side.'),
  away: own('away', optional(words('NAME', 'a name')), undefined, 'match: the away side.'),
  sequence: own(
    'sequence',
    optional(NUMBER),
    undefined,
    'score: number of the event; it rises with each event of its match.',
  ),
  event: own(
    'event',
    optional(words('ID', 'an id')),
    undefined,
    'score: id of the event; else the word shell and its sequence.',
  ),
  status: own(
    'status',
    optional(words('TEXT', 'a text')),
    undefined,
    'score: where the match stands.',
  ),
  finished: own('finished', onOff, false, 'score: the match is over.'),
} as const

function needed<T>(setting: Setting<T | undefined>, given: readonly Given[], example: string): T {
  const value = readSetting(setting, given)
  if (value === undefined) throw new WrongUse(`Say it: --${setting.flag} ${example}`)
  return value
}

/** What an event of the sport calls the points of both sides. */
function pointFields(of: SportType, text: string): Readonly<Record<string, unknown>> {
  const { home, away } = wordAs(points, text)
  if (of === 'esports') return { matchScore: { home, away } }
  return of === 'cricket'
    ? { homeRuns: home, awayRuns: away }
    : { homeScore: home, awayScore: away }
}

const matchPath = (slug: string) => `/admin/sports/matches/${encodeURIComponent(slug)}`

export const SPORT_FORMS: Readonly<Record<string, Form>> = {
  match: {
    use:
      'admin match SLUG "Title" MARKET... --sport SPORT --fixture N --starts TIME --home NAME ' +
      '--away NAME [--game GAME]',
    flags: [FLAGS.sport, FLAGS.game, FLAGS.fixture, FLAGS.starts, FLAGS.home, FLAGS.away],
    words: 3,
    more: true,
    fields: {
      ...{ slug: 'SLUG', title: 'the title', markets: 'MARKET', sportType: '--sport' },
      ...{ esportType: '--game', fixtureId: '--fixture', startsAt: '--starts' },
      ...{ 'home.name': '--home', 'away.name': '--away' },
    },
    call([slug, title, ...markets], given) {
      const game = readSetting(FLAGS.game, given)
      return put(matchPath(slug), {
        title,
        sportType: needed(FLAGS.sport, given, sport.wants),
        ...(game === undefined ? {} : { esportType: game }),
        fixtureId: needed(FLAGS.fixture, given, '1204711'),
        startsAt: needed(FLAGS.starts, given, '2027-01-01T12:00Z'),
        home: { name: needed(FLAGS.home, given, 'Reds') },
        away: { name: needed(FLAGS.away, given, 'Blues') },
        markets: markets.map((word) => wordAs(market, word)),
      })
    },
  },
  'remove-match': {
    use: 'admin remove-match SLUG',
    flags: [],
    words: 1,
    fields: { slug: 'SLUG' },
    call: ([slug]) => bare('DELETE', matchPath(slug)),
  },
  score: {
    use:
      'admin score SPORT FIXTURE_ID HOME:AWAY --sequence N [--event ID] [--status TEXT] ' +
      '[--finished]',
    flags: [FLAGS.sequence, FLAGS.event, FLAGS.status, FLAGS.finished],
    words: 3,
    fields: {
      ...{ 'events.0.fixtureId': 'FIXTURE_ID', 'events.0.sequence': '--sequence' },
      ...{ 'events.0.eventId': '--event', 'events.0.status': '--status', events: 'the score' },
    },
    call([ofSport, fixture, text], given) {
      const sportType = wordAs(sport, ofSport)
      const sequence = needed(FLAGS.sequence, given, '7')
      const eventId = readSetting(FLAGS.event, given) ?? `shell-${sequence}`
      const status = readSetting(FLAGS.status, given)
      const event = {
        ...{ eventId, fixtureId: wordAs(NUMBER, fixture), sequence, sportType },
        ...(status === undefined ? {} : { status }),
        ...(readSetting(FLAGS.finished, given) ? { isFinished: true } : {}),
        ...pointFields(sportType, text),
      }
      return post('/admin/sports/scores', { events: [event] })
    },
  },
}
