import { readFile } from 'node:fs/promises';
import * as z from 'zod';

/** A figure of a bench; null: not measurable. */
const StoredFigure = z.object({
  name: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  ratio: z.number().nullable(),
  against: z.string(),
});
export type StoredFigure = z.infer<typeof StoredFigure>;

const Run = z.object({
  /** The command line. */
  command: z.string(),
  date: z.string(),
  seconds: z.number(),
  commit: z.string(),
});

/** Result of one part of the proof, or the reason of its failure. */
const PartResult = z.discriminatedUnion('status', [
  Run.extend({
    status: z.literal('measured'),
    figures: z.array(StoredFigure),
    /** The part's output for people. */
    text: z.string(),
    /** Data of the curves. */
    details: z.unknown(),
  }),
  Run.extend({ status: z.literal('failed'), error: z.string() }),
]);
export type PartResult = z.infer<typeof PartResult>;

const Machine = z.object({ cpu: z.string(), cores: z.number(), memoryGiB: z.number(), node: z.string() });
export type Machine = z.infer<typeof Machine>;

/** All results, by part. */
const Results = z.object({ machine: Machine, parts: z.record(z.string(), PartResult) });
export type Results = z.infer<typeof Results>;

/** A long run of seeded fault schedules: `test/faults` writes it when `FAULT_PROOF` is set. */
const FaultRuns = z.object({
  count: z.number(),
  whole: z.number(),
  acknowledged: z.number(),
  verdicts: z.number(),
  wholeAfterMs: z.object({ p50: z.number().nullable(), p95: z.number().nullable(), worst: z.number().nullable() }),
  faults: z.record(z.string(), z.number()),
  portions: z.array(z.object({ date: z.string(), commit: z.string() })),
});
export type FaultRuns = z.infer<typeof FaultRuns>;

export const readResults = (path: string): Promise<Results | null> => readJson(path, Results);
export const readFaultRuns = (path: string): Promise<FaultRuns | null> => readJson(path, FaultRuns);

/** Returns null when the file does not exist. @throws when it is malformed. */
async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : schema.parse(JSON.parse(text));
}

/** The figure of a measured part by its name or its beginning; undefined when there is none. */
export function figureOf(results: Results, part: string, name: string): StoredFigure | undefined {
  const found = results.parts[part];
  if (found?.status !== 'measured') return undefined;
  return found.figures.find((figure) => figure.name === name) ?? found.figures.find((one) => one.name.startsWith(name));
}
