import { DAY_MS, HOUR_MS } from '../../config/units.ts';

/** Maps values to positions along an axis. */
export interface Scale {
  place(value: number): number;
  /** Values with a grid line and a label, in ascending order. */
  readonly ticks: readonly number[];
  readonly isLogarithmic: boolean;
}

/** Ratio of largest to smallest value from which the scale is logarithmic. */
const LOGARITHMIC_FROM = 20;

/** Minimum span: doubles cannot divide smaller ones. */
const MIN_SPAN = 1e-300;

/** Approximate number of ticks of an axis. */
const TICKS = 4;

/** A scale from the smallest to the largest value: logarithmic when all are above 0 and far apart. */
export function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const least = Math.min(...values);
  const largest = Math.max(...values);
  return (least > 0 && largest / least >= LOGARITHMIC_FROM ? logarithmic : linear)(least, largest, from, to);
}

function linear(least: number, largest: number, from: number, to: number): Scale {
  const step = niceStep(Math.max(largest - least || Math.abs(largest) || 1, MIN_SPAN) / TICKS);
  const low = Math.floor(least / step) * step;
  const high = Math.min(Math.max(Math.ceil(largest / step) * step, low + step), Number.MAX_VALUE);
  const count = Math.round((high - low) / step);
  // Steps are multiplied, not added, so that rounding errors do not accumulate.
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((low + index * step).toPrecision(12))).filter(
    Number.isFinite,
  );
  return { place: (value) => from + ((value - low) / (high - low)) * (to - from), ticks, isLogarithmic: false };
}

function logarithmic(least: number, largest: number, from: number, to: number): Scale {
  const low = Math.floor(Math.log10(least));
  const high = Math.max(Math.ceil(Math.log10(largest)), low + 1);
  const every = Math.max(1, Math.ceil((high - low) / TICKS));
  const powers = Array.from({ length: high - low + 1 }, (_, index) => low + index);
  return {
    place: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
    ticks: powers
      .filter((_, index) => index % every === 0)
      .map((power) => 10 ** power)
      .filter(Number.isFinite),
    isLogarithmic: true,
  };
}

/** 1, 2 or 5 times a power of ten, at least `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Steps of a time axis: hours, days, weeks, about a month. */
const STEPS_MS = [1, 3, 6, 12].map((hours) => hours * HOUR_MS).concat([1, 2, 7, 14, 30].map((days) => days * DAY_MS));

/** Maximum ticks that fit under a chart. */
const MAX_TIME_TICKS = 5;

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** At most `MAX_TIME_TICKS` full hours or days (UTC) between two moments, labelled; the two moments when fewer than two fit. */
export function timeTicks(from: number, until: number) {
  const step = STEPS_MS.find((candidate) => (until - from) / candidate < MAX_TIME_TICKS) ?? stepOfMonths(until - from);
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((until - first) / step) + 1;
  const moments = count >= 2 ? Array.from({ length: count }, (_, index) => first + index * step) : [from, until];
  return moments.map((at) => ({ at, label: at % DAY_MS === 0 ? DAY.format(at) : CLOCK.format(at) }));
}

function stepOfMonths(span: number): number {
  const month = STEPS_MS.at(-1) ?? DAY_MS;
  return month * Math.ceil(span / month / (MAX_TIME_TICKS - 1));
}
