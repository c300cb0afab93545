import type { Tree } from './trees.ts';

/** Bounds of a figure's ratio, or of its value when it has no ratio. */
export interface Limit {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One measurement: alone, against a limit, or as a ratio to something that was measured in the same run. */
export interface Figure extends Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio: number | null;
  /** What the ratio is; empty without one. */
  readonly peer: string;
}

/** A figure of three significant digits. `compared` has its ratio and bounds, if any. */
export function figure(
  name: string,
  value: number,
  unit: string,
  compared: Limit & { readonly ratio?: number; readonly peer?: string } = {},
): Figure {
  const { ratio, peer = '', ...limit } = compared;
  return {
    name,
    value: threeDigits(value),
    unit,
    ratio: ratio === undefined ? null : threeDigits(ratio),
    peer,
    ...limit,
  };
}

/** Rounds to three significant digits. */
function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

/** Whether a figure is within its bounds; null without bounds. One that could not be measured (NaN) is not. */
export function isMet({ value, ratio, atLeast, atMost }: Figure): boolean | null {
  if (atLeast === undefined && atMost === undefined) return null;
  const measured = ratio ?? value;
  return measured >= (atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (atMost ?? Number.POSITIVE_INFINITY);
}

/** Services for a bench. Everything opened through it is closed after the bench, also after an error. */
export interface BenchContext {
  /** `tiny` checks in a few seconds that the bench runs; its figures are meaningless. */
  readonly size: 'full' | 'tiny';
  /** This tree, and then the commit that it is compared with, if any. */
  readonly trees: readonly [Tree, ...Tree[]];
  /** Prints progress on standard error. */
  progress(text: string): void;
  /** Prints a table on standard output; the first row has the column names, and numbers are right-aligned. */
  table(title: string, rows: readonly (readonly string[])[]): void;
  /** An empty folder that is removed at the end. */
  readonly dataDir: string;
  /** Registers what to close, in reverse order, when the bench has ended. */
  onClose(close: () => Promise<unknown> | void): void;
}

/** One bench: `npm run bench -- NAME`. */
export interface Bench {
  readonly name: string;
  /** What it measures and against which peer, in one line. */
  readonly summary: string;
  /** How it measures, in sentences for the page of the proof. */
  readonly method: string;
  /** The values of its options in a full and in a tiny run. */
  readonly options: Readonly<Record<string, readonly [full: number, tiny: number]>>;
  /** Runs it, with other values for some of its options. @throws for unknown options, and when something does not work. */
  run(context: BenchContext, given: ReadonlyMap<string, number>): Promise<readonly Figure[]>;
}

interface BenchOf<Name extends string> extends Omit<Bench, 'options' | 'run'> {
  readonly options: Readonly<Record<Name, readonly [full: number, tiny: number]>>;
  run(context: BenchContext, options: Readonly<Record<Name, number>>): Promise<readonly Figure[]>;
}

export function defineBench<Name extends string>(bench: BenchOf<Name>): Bench {
  const { name, options: defaults } = bench;
  return {
    ...bench,
    async run(context, given) {
      const unknown = [...given.keys()].filter((option) => !Object.hasOwn(defaults, option));
      if (unknown.length > 0) {
        throw new Error(`${name} has no option ${unknown.join(', ')}, only ${Object.keys(defaults).join(', ')}`);
      }
      const values = Object.entries<readonly [number, number]>(defaults).map(([option, [full, tiny]]) => [
        option,
        given.get(option) ?? (context.size === 'full' ? full : tiny),
      ]);
      return bench.run(context, Object.fromEntries(values));
    },
  };
}
