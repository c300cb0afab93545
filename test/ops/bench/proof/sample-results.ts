import type { PartResult, Results } from '../../../../ops/bench/proof/stored-results.ts';

const RUN = { date: '2026-11-22T10:00:00.000Z', seconds: 90, commit: 'abc1234' };

export const MACHINE = { cpu: 'A processor', cores: 2, memoryGiB: 23, node: 'v20.20.2' };

/** A measured part with the ratios of its figures by name. */
export function measured(command: string, ratios: Readonly<Record<string, number>>): PartResult {
  const figures = Object.entries(ratios).map(([name, ratio]) => ({
    name,
    value: ratio * 1_000,
    unit: 'answers/s',
    ratio,
    against: 'a peer',
  }));
  return { status: 'measured', command, ...RUN, figures, text: 'a table', details: null };
}

export function failed(command: string, error: string): PartResult {
  return { status: 'failed', command, ...RUN, error };
}

export function resultsOf(parts: Readonly<Record<string, PartResult>>): Results {
  return { machine: MACHINE, parts: { ...parts } };
}
