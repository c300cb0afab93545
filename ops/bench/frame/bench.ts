import * as z from 'zod';
import type { BenchEngines } from './engines.ts';
import { threeDigits } from './statistics.ts';

/** One measurement: alone, against a limit, or against a peer of the same run. */
export const Figure = z.object({
  name: z.string(),
  /** Null: not measurable. */
  value: z.number().nullable(),
  unit: z.string(),
  /** Relative to the peer, a value above 1 being better for targets of the kind `atLeast`; null without a peer. */
  ratio: z.number().nullable(),
  /** The peer, or what the limit of the value is. */
  against: z.string(),
  /** Bounds of the ratio, or of the value of a figure without one. The aim is stricter than the target. */
  target: z
    .object({ atLeast: z.number().optional(), atMost: z.number().optional(), aim: z.number().optional() })
    .optional(),
});
export type Figure = z.infer<typeof Figure>;

/** A figure of three significant digits, or one that was not measured. Without `against` it has no peer and no limit. */
export function figure(
  name: string,
  value: number | null,
  unit: string,
  ratio: number | null = null,
  against = '',
  target?: Figure['target'],
): Figure {
  const digits = {
    value: value === null ? null : threeDigits(value),
    ratio: ratio === null ? null : threeDigits(ratio),
  };
  return { name, ...digits, unit, against, target };
}

/** The result of a bench: a headline figure, all figures, and details for programs. */
export interface BenchResult extends Figure {
  readonly figures: readonly Figure[];
  /** Plain data: CPU seconds by process, sizes, settings. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Services for a bench. Everything opened through it is closed after the bench, also after an error. */
export interface BenchContext {
  /** `tiny` checks in a few seconds that the bench runs; its figures are meaningless. */
  readonly size: 'full' | 'tiny';
  /** The values of `--name=value`, or the defaults of the full and of the tiny size. */
  options<Name extends string>(
    defaults: Readonly<Record<Name, readonly [full: number, tiny: number]>>,
  ): Readonly<Record<Name, number>>;
  /** Prints progress on standard error. */
  progress(text: string): void;
  /** Prints a table on standard output; the first row has the column names, and numbers are right-aligned. */
  table(title: string, rows: readonly (readonly string[])[]): void;
  /** An empty folder that is removed at the end. */
  readonly dataDir: string;
  /** Both databases, embedded unless MONGODB_URL and REDIS_URL are set; started on first use. */
  engines(): Promise<BenchEngines>;
  /** Registers what to close, in reverse order, when the bench has ended. */
  onClose(close: () => Promise<unknown> | void): void;
}

/** One bench: `npm run bench -- NAME`. */
export interface Bench {
  readonly name: string;
  /** What it measures and against which peer, in one line. */
  readonly summary: string;
  /** @throws when something does not work; slowness is not an error. */
  run(context: BenchContext): Promise<BenchResult>;
}
