import type { SeededRandom } from '../seeded-random.ts';
import type { CacheStyle, SourceModel } from './source-models.ts';

/** How an operator's agents work with a model, drawn once and kept. Tokens and seconds. */
export interface AgentModel {
  readonly style: CacheStyle;
  /** Output tokens a second. */
  readonly speed: number;
  readonly contextLimit: number;
  /** System prompt and tools, the same in every session. */
  readonly base: number;
  readonly uncached: number;
  readonly hits: number;
  /** Medians for a request. */
  readonly output: number;
  readonly toolResult: number;
  readonly prompt: number;
  /** Requests between two prompts of a person. */
  readonly loop: number;
  /** Median seconds between the end of a loop and the next prompt. */
  readonly thinking: number;
  /** Seconds after which the cache forgets. */
  readonly ttl: number;
  /** Share of requests with a small helper request of another model, without a cache. */
  readonly helpers: number;
  /** Share of `explicit` records with 0 or 1 in place of the input, and too little output. */
  readonly placeholders: number;
}

/** A session by requests: seconds since its start, and the counts up to each request, four numbers each. */
export interface Tape {
  readonly seconds: Float64Array;
  readonly counts: Float64Array;
  readonly style: CacheStyle;
}

const MAX_OUTPUT = 32_000;
const CACHE_BLOCK = 128;

/** A number with this median whose logarithm is normal. */
export function around(random: SeededRandom, median: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return median * Math.exp(spread * normal);
}

const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));

export function drawModel(random: SeededRandom, source: SourceModel, fixed: Partial<AgentModel> = {}): AgentModel {
  return {
    style: random.pick(source.styles),
    speed: 30 + 120 * random.next(),
    contextLimit: random.pick(source.contexts),
    base: within(around(random, 14_000, 0.4), 3_000, 40_000),
    uncached: random.pick(source.uncached),
    hits: random.pick(source.hits),
    output: around(random, 260, 0.4),
    toolResult: around(random, 700, 0.5),
    prompt: around(random, 120, 0.8),
    loop: within(around(random, 8, 0.7), 1, 80),
    thinking: around(random, 80, 0.5),
    ttl: random.pick([300, 300, 3_600]),
    helpers: source.platform === 'claude-code' ? random.pick([0, 0, 0.05, 0.3]) : 0,
    placeholders: source.platform === 'claude-code' ? random.pick([0, 0, 0, 0.75]) : 0,
    ...fixed,
  };
}

const blocks = (tokens: number): number => Math.floor(tokens / CACHE_BLOCK) * CACHE_BLOCK;

/** A session of so many requests. Its first record is never a placeholder. */
export function recordSession(random: SeededRandom, model: AgentModel, requests: number): Tape {
  const seconds = new Float64Array(requests);
  const counts = new Float64Array(requests * 4);
  const summary = 8_000 * (0.5 + random.next());
  let [time, input, output, reads, writes] = [0, 0, 0, 0, 0];
  let context = model.base;
  let cached = random.next() < 0.6 ? model.base : 0;
  for (let index = 0; index < requests; index++) {
    const prompted = index === 0 || random.next() * model.loop < 1;
    const pause = around(random, prompted ? model.thinking : 3, 1.1);
    const fresh = within(around(random, prompted ? model.prompt : model.toolResult, 1.2), 1, 30_000);
    const compacts = context + fresh > model.contextLimit;
    if (!compacts) context += fresh;
    if (pause > model.ttl) cached = Math.min(cached, random.next() < 0.5 ? model.base : 0);
    const made = compacts ? within(summary, 500, 16_000) : within(around(random, model.output, 1.1), 1, MAX_OUTPUT);
    const left = random.integer(1, model.uncached);
    const hit =
      random.next() < model.hits ? blocks(cached) : random.next() < 0.5 ? blocks(Math.min(cached, model.base)) : 0;
    const isPlaceholder = index > 0 && model.placeholders > 0 && random.next() < model.placeholders;
    if (model.style === 'explicit') {
      const read = Math.min(cached, context - left);
      input += isPlaceholder ? random.integer(0, 1) : left;
      reads += read;
      writes += context - left - read;
    } else if (model.style === 'none') input += context;
    else {
      input += model.style === 'inclusive' ? context : context - hit;
      reads += hit;
    }
    output += isPlaceholder && model.style === 'explicit' ? Math.ceil(made / random.integer(10, 17)) : made;
    cached = context;
    if (random.next() < model.helpers) {
      input += within(around(random, 500, 0.8), 20, 20_000);
      output += random.integer(5, 60);
    }
    time += (index === 0 ? 0 : pause) + 1 + 4 * random.next() + made / model.speed;
    seconds[index] = time;
    counts.set([input, output, reads, writes], index * 4);
    context = compacts ? model.base + made : context + made;
    if (compacts) cached = model.base;
  }
  return { seconds, counts, style: model.style };
}
