/** The result of one fault, for people and for the check that no fault was left out. */
export interface FaultRow {
  readonly fault: string;
  readonly mode: string;
  /** Times the point was reached. */
  readonly hits: number;
  readonly outcome: string;
}

/** Formats rows as a text table. */
export function faultTable(rows: readonly FaultRow[]): string {
  const header = { fault: 'point', mode: 'mode', hits: 'hit', outcome: 'outcome' };
  const lines = [header, ...rows.map((row) => ({ ...row, hits: String(row.hits) }))];
  const width = (name: keyof typeof header): number => Math.max(...lines.map((line) => line[name].length));
  const [fault, mode, hits] = [width('fault'), width('mode'), width('hits')];
  return lines
    .map(
      (line) =>
        `  ${line.fault.padEnd(fault)}  ${line.mode.padEnd(mode)}  ${line.hits.padStart(hits)}  ${line.outcome}`,
    )
    .join('\n');
}
