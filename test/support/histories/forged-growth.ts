import {
  altered,
  CLAUDE,
  CODEX,
  type Forge,
  type Forgeries,
  type Forgery,
  type Four,
  forgery,
  growing,
  times,
} from './forge.ts';

type Beyond = Forgery['beyond'];
type Growth = (step: number, forge: Forge) => Four;

/** An hour of one agent at 150 tokens a second, on a source that writes. */
const AGENT_HOUR: Four = [4_000, 540_000, 4e7, 2e6];
/** An hour with a Yield that wins, for little. */
const PERFECT_HOUR: Four = [10, 2e4, 8e6, 1e5];
/** An honest hour or day of little work on a source that writes nothing. */
const MODEST: Four = [3e4, 1e4, 4e5, 0];
const NOTHING: Four = [0, 0, 0, 0];

const hours = (beyond: Beyond, growth: Growth, platform = CLAUDE): Forgery =>
  forgery(beyond, (forge) => forge.send(growing(8, 1 / 24, (step) => growth(step, forge))), platform);
const days = (beyond: Beyond, growth: Growth, platform = CLAUDE): Forgery =>
  forgery(beyond, (forge) => forge.send(growing(60, 1, (step) => growth(step, forge))), platform);

const agents = (count: number): Growth => {
  return (_, { roughly }) => roughly(times(AGENT_HOUR, count));
};

/** An honest series of a source that writes nothing, with its counts multiplied. */
const multiplied = (kind: string, ...factors: Four): Forgery =>
  forgery(null, ({ honest }) => altered(honest(kind).submissions, (counts) => times(counts, ...factors)), CODEX);

/** Leverage that grows by a factor each day, from 10, while input stays. */
const rising = (factor: number, beyond: Beyond): Forgery =>
  days(beyond, (day) => [1_000, 2_000, Math.round(1e4 * factor ** day), 0], CODEX);

/** Forgeries that show in how totals grow. */
export const FORGED_GROWTH: Forgeries = {
  'hour-beyond-output': hours('physics', (hour) => (hour === 150 ? [1e8, 1e10, 1e11, 0] : MODEST), CODEX),
  'hour-beyond-reads': hours('physics', (hour) => (hour === 150 ? [1e7, 1e7, 1e13, 1e10] : AGENT_HOUR)),
  'day-beyond-output': days('physics', (day) => (day === 58 ? [1e9, 1e12, 1e13, 0] : MODEST), CODEX),
  'every-hour-of-1000-agents': hours('physics', agents(1_000)),
  'every-hour-of-64-agents': hours(null, agents(64)),
  'every-hour-of-8-agents': hours(null, agents(8)),
  'newcomer-of-a-billion': hours(null, (hour) => (hour === 180 ? [5e5, 6e7, 5e10, 1e9] : NOTHING)),
  'input-divided-by-3': multiplied('past-days-then-daily', 1 / 3, 1, 1, 1),
  'input-divided-by-10': multiplied('past-days-then-daily', 1 / 10, 1, 1, 1),
  'input-divided-by-100': multiplied('hourly', 1 / 100, 1, 1, 1),
  'input-divided-by-1000': multiplied('hourly', 1 / 1_000, 1, 1, 1),
  'reads-times-10': multiplied('past-days-then-daily', 1, 1, 10, 1),
  'reads-times-100': multiplied('hourly', 1, 1, 100, 1),
  'output-times-10': multiplied('past-days-then-daily', 1, 10, 1, 1),
  'output-times-50': multiplied('hourly', 1, 50, 1, 1),
  'everything-times-20-input-not': multiplied('past-days-then-daily', 1, 20, 20, 1),
  'drip-of-better-hours': hours(null, (_, { roughly }) => roughly(PERFECT_HOUR)),
  'drip-of-better-days': days(null, (_, { roughly }) => roughly(times(PERFECT_HOUR, 20))),
  'leverage-rises-to-100k': rising(1.17, null),
  'leverage-rises-to-1m': rising(1.22, null),
  'leverage-rises-beyond': rising(1.4, 'physics'),
  'velocity-rises': days(null, (day) => [1_000, Math.round(100 * 1.15 ** day), 1e5, 0], CODEX),
  'growth-doubles-daily': days(null, (day) => times([1, 50, 40_000, 0], 2 ** Math.min(day, 25)), CODEX),
  'same-growth-every-hour': hours(null, () => [137, 50_021, 9_214_337, 311_009]),
  'same-growth-every-day': days(null, () => [913, 409_117, 80_112_731, 2_717_113]),
  'two-growths-in-turn': hours(null, (hour) => (hour % 2 ? [31, 9_001, 2_000_003, 7] : [29, 8_999, 1e6, 11])),
  'exact-ratios': hours(null, (_, { random }) => times([1, 500, 90_000, 2_000], random.integer(5, 90))),
  'rounded-ratios': hours(null, (_, { random }) => {
    const input = 20 + 400 * random.next();
    return times([input, 31.7 * input, 5_012.3 * input, 211.9 * input], 1);
  }),
  'rounded-ratios-of-days': days(
    null,
    (_, { random }) => {
      const input = 2e4 + 4e5 * random.next();
      return times([input, 0.031 * input, 4.7 * input, 0], 1);
    },
    CODEX,
  ),
  'round-thousands': hours(null, (_, { random }) => times([1_000, 1e6, 8e7, 3e6], random.integer(1, 3))),
  'just-below-a-million-an-hour': hours(null, () => [99, 99_999, 999_999, 99_999]),
  'just-below-a-billion-a-day': days(null, () => [9_999, 9_999_999, 999_999_999, 99_999_999]),
  'uniform-random-hours': hours(null, (_, { random }) => {
    return [random.integer(5, 9), random.integer(0, 9e5), random.integer(0, 9e6), random.integer(0, 9e6)];
  }),
  'reads-grow-output-stands': hours(null, (hour) => [1, hour === 0 ? 1e5 : 0, 1e6, 0]),
  'reads-grow-input-stands': days('arithmetic', (day) => (day === 0 ? [5e4, 5e6, 1e8, 1e7] : [0, 100, 9e7, 1e5])),
  'output-grows-input-stands': days('arithmetic', (day) => (day === 0 ? [5e4, 5e6, 1e8, 1e7] : [0, 4e6, 100, 0])),
  'only-input-stands': hours('arithmetic', (hour) => (hour === 0 ? MODEST : [0, 1e5, 2e7, 0]), CODEX),
  'input-stands-in-last-7-days': days('arithmetic', (day) => [day < 53 ? 3e5 : 0, 1e5 + day, 4e6 + day, 0], CODEX),
  'one-input-a-day': days('physics', () => [1, 1e6, 5e8, 1e6]),
  'one-input-an-hour': hours(null, (_, { random }) => [1, random.integer(500, 3_000), 1.9e6, 0]),
  'largest-context-each-request': hours(null, (_, { random }) => times([1, 400, 2e6, 0], random.integer(20, 90))),
  'each-hour-a-little-better': hours(null, (hour) => [20, 1e4, Math.round(2e6 * 1.01 ** hour), 5e4]),
  'input-and-reads-in-turn': hours(null, (hour) => (hour % 2 ? [0, 5e4, 8e6, 0] : [20, 0, 0, 1e5])),
  'honest-then-perfect-week': days(null, (day, { roughly }) => roughly(day < 53 ? MODEST : times(PERFECT_HOUR, 20))),
  'one-input-a-request': hours(null, (_, { random }) => {
    return times([1, random.integer(300, 500), random.integer(3e5, 5e5), 900], random.integer(20, 200));
  }),
};
