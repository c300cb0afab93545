import type { BenchEngines } from './frame/engines.ts';

/** One measurement against a limit or a peer of the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** `value` over the peer's (or limit's) value; null when there is none, as for a curve's single point. */
  readonly ratio: number | null;
  /** What the ratio is to. */
  readonly against: string;
  /** The ratio that is asked for: at least this, or at most this. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

/** What a bench found: the figure that stands for it, whatever else a machine may want to read, and all figures. */
export interface BenchResult extends Figure {
  readonly figures: readonly Figure[];
  /** Plain data: CPU seconds by process, sizes, settings. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a bench works with. Everything opened through it is closed after the bench, whatever happens. */
export interface BenchContext {
  /** `tiny` proves in a few seconds that the bench runs; its figures mean nothing. */
  readonly size: 'full' | 'tiny';
  /** The number given as `--name=value`, or else the one for this size. */
  option(name: string, bySize: { readonly full: number; readonly tiny: number }): number;
  /** Tells people how it goes, on standard error. */
  say(text: string): void;
  /** Prints a table on standard output; the first row has the column names, and numbers are right-aligned. */
  table(title: string, rows: readonly (readonly string[])[]): void;
  /** A folder that is empty at first and removed at the end. */
  readonly dataDir: string;
  /** Both databases, embedded unless MONGODB_URL and REDIS_URL are set; started on first use. */
  engines(): Promise<BenchEngines>;
  /** Registers what to close, in reverse order, when the bench has ended. */
  onClose(close: () => Promise<unknown> | void): void;
}

/** One bench: `npm run bench -- NAME`. */
export interface Bench {
  readonly name: string;
  /** What it measures against what, in one line. */
  readonly summary: string;
  /** Throws when something does not work; being slow is no error. */
  run(context: BenchContext): Promise<BenchResult>;
}
