import { ROW_STATES } from '../contract/row-states.ts';
import { MEASURES, type Measure } from './measures.ts';
import type { Quantiles, Reference, RuleSet } from './rule-sets.ts';
import { bitOf, EXCLUDING, maskOf, RULES, ruleNamed } from './rules.ts';
import { PLACE_OF, SOURCES } from './window-numbers.ts';

/** The rules that a moderator can clear, in the order of a record's waivers: of the first, the Yield is accepted. */
export const WAIVABLE = ['extraordinary-yield', 'no-input', 'reads-beyond-context', 'output-beyond-response'] as const;

export const WAIVERS = WAIVABLE.length;

/** A decision covers up to this many times the value that it was made for. */
export const WAIVED_TIMES = 2;

/** What a record asserts. */
export interface Assertions {
  /** Mask of the rules that a comparison or a review found. */
  readonly findings: number;
  /** For each of WAIVABLE the greatest value that counts as accepted; 0 for none. */
  readonly waived: Float64Array;
}

export const NO_ASSERTIONS: Assertions = { findings: 0, waived: new Float64Array(WAIVERS) };

/** What a Yield needs to be numbered. */
export interface Need {
  /** Witnessed days that vouch for it. */
  readonly days: number;
  /** Whether a moderator has to accept it as well. */
  readonly acceptance: boolean;
}

/** A Yield beyond so many times the 99th percentile has to be accepted. */
const BEYOND_TIMES = 3;

/** The days that a Yield needs, by how many limits it exceeds, with the limit up to which so many are enough, for people. */
export const NEED_STEPS = [
  { days: 0, upTo: 'the 75th percentile' },
  { days: 3, upTo: 'the 90th' },
  { days: 7, upTo: 'the 99th' },
  { days: 14, upTo: `${BEYOND_TIMES} times the 99th` },
  { days: 30, upTo: null },
] as const;
/** From so many days up the reference of all platforms counts as well. */
const ALL_FROM_DAYS = 7;

/** A window of a record: where its numbers begin in `totals`, and what its record asserts. */
export interface JudgedWindow {
  readonly totals: Float64Array;
  readonly at: number;
  readonly findings: number;
  /** Of many records: those of this one begin at `waivedAt`. */
  readonly waived: Float64Array;
  readonly waivedAt: number;
}

/** What judges the windows of records under a rule set. `yield_`: NaN where the window has none. */
export interface Judge {
  /** The rules that a window crosses, as a mask. */
  readonly maskOf: (window: JudgedWindow, yield_: number) => number;
  /** How a window with this Yield stands, as its place in ROW_STATES. */
  readonly stateOf: (window: JudgedWindow, yield_: number) => number;
  readonly needOf: (yield_: number, source: number) => Need;
  /** The bound of a measure for a source; null without one. */
  readonly boundOf: (measure: Measure, source: number) => number | null;
}

const FINDINGS = maskOf(({ measure }) => measure === null);
const EXTRAORDINARY = bitOf(ruleNamed('extraordinary-yield'));
const SETTLED = ROW_STATES.indexOf('settled');
const HELD = ROW_STATES.indexOf('held');
const EXCLUDED = ROW_STATES.indexOf('excluded');
const NO_NEED: Need = { days: 0, acceptance: false };

/** The judge of a rule set; of null: only what the record asserts. */
export function judgeUnder(set: RuleSet | null): Judge {
  const bounds = RULES.flatMap(({ name, measure, id }) => {
    if (measure === null || measure === 'yield' || set === null) return [];
    return [{ read: MEASURES[measure].of, bit: bitOf({ id }), above: set.bounds[measure], waiver: waiverOf(name) }];
  });
  const reference = set?.reference ?? null;
  const needOf = needUnder(reference);
  const crossed = ({ totals, at, findings, waived, waivedAt }: JudgedWindow, yield_: number): number => {
    let mask = findings & FINDINGS;
    for (const { read, bit, above, waiver } of bounds) {
      const value = read(totals, at);
      if (value > above && value > waived[waivedAt + waiver]!) mask |= bit;
    }
    const { days, acceptance } = needOf(yield_, totals[at + PLACE_OF.source]!);
    const isWanted = acceptance && totals[at + PLACE_OF.vouching]! >= days && !(yield_ <= waived[waivedAt]!);
    return isWanted ? mask | EXTRAORDINARY : mask;
  };
  return {
    maskOf: crossed,
    stateOf(window, yield_) {
      const mask = crossed(window, yield_);
      if (mask !== 0) return (mask & EXCLUDING) === 0 ? HELD : EXCLUDED;
      const { totals, at } = window;
      return totals[at + PLACE_OF.vouching]! < needOf(yield_, totals[at + PLACE_OF.source]!).days ? HELD : SETTLED;
    },
    needOf,
    boundOf(measure, source) {
      if (set === null) return null;
      if (measure !== 'yield') return set.bounds[measure];
      return reference && BEYOND_TIMES * Math.min(quantilesOf(reference, source).p99, reference.all.p99);
    },
  };
}

/** The place of a waiver by the name of what it waives; −1 for what cannot be waived. */
export function waiverOf(name: string): number {
  return WAIVABLE.findIndex((each) => each === name);
}

/** What Yields need, by source: each need is made once. */
function needUnder(reference: Reference | null): Judge['needOf'] {
  if (reference === null) return () => NO_NEED;
  const needs = NEED_STEPS.map(
    ({ days }, exceeded): Need => ({ days, acceptance: exceeded === NEED_STEPS.length - 1 }),
  );
  const all = limitsOf(reference.all);
  const own = SOURCES.map((_, source) => limitsOf(quantilesOf(reference, source)));
  return (yield_, source) => {
    const exceeded = exceededOf(own[source]!, yield_);
    const ofAll = exceededOf(all, yield_);
    return needs[NEED_STEPS[ofAll]!.days >= ALL_FROM_DAYS ? Math.max(exceeded, ofAll) : exceeded]!;
  };
}

function quantilesOf({ platforms, all }: Reference, source: number): Quantiles {
  return platforms[SOURCES[source]!] ?? all;
}

function limitsOf({ p75, p90, p99 }: Quantiles): readonly number[] {
  return [p75, p90, p99, BEYOND_TIMES * p99];
}

function exceededOf(limits: readonly number[], yield_: number): number {
  let exceeded = 0;
  while (exceeded < limits.length && yield_ > limits[exceeded]!) exceeded++;
  return exceeded;
}
