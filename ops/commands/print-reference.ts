import type { Quantiles } from '../../engine/integrity/index.ts';
import { MEASURED_DAYS, type MeasuredQuantiles } from '../../engine/ranking/index.ts';
import { type CommandContext, CommandError, type CommandOptions, printResult } from './command-context.ts';
import { requireMethodology } from './methodology-runs.ts';
import { withService } from './service.ts';

/** Of fewer rows the 99th percentile is one of the highest, by chance. */
const MIN_ROWS = 30;

export interface ReferenceOptions extends CommandOptions {
  readonly methodology?: number;
  readonly all?: boolean;
}

/** `integrity reference`. */
export async function printReference(context: CommandContext, options: ReferenceOptions): Promise<void> {
  const methodology = options.methodology === undefined ? undefined : requireMethodology(options.methodology);
  const all = options.all === true;
  await withService(context, async ({ ranking }) => {
    const found = await ranking.measureReference({ methodology, all });
    if (found === null) throw new CommandError('there is no board yet', 'Start a worker first.');
    const { boardVersion: board_version, methodology: number, ruleSet: rule_set } = found;
    const rows = found.rows.map((row) => ({ ...row, too_few: row.rows < MIN_ROWS }));
    const of = all ? 'all rows above the floors' : `settled rows with at least ${MEASURED_DAYS} witnessed days`;
    const set = rule_set === null ? 'no rule set' : `rule set ${rule_set}`;
    const head = `All-time Yield of ${of}, board version ${board_version}, judged by methodology ${number}; in brackets the reference of ${set}.`;
    const text = `${head}\n${tableOf(rows)}${NEXT}`;
    printResult(context, options, { board_version, methodology: number, rule_set, all, rows }, text);
  });
}

const NEXT =
  'To make it the next reference: add a rule set in engine/integrity/rule-sets.ts and a methodology that names it (CONTRIBUTING.md), then methodology preview and activate.\n';

const HEADS = ['platform', 'rows', '75th percentile', '90th', '99th', ''] as const;

function tableOf(rows: readonly (MeasuredQuantiles & { readonly too_few: boolean })[]): string {
  const lines = rows.map(({ platform, rows: count, measured, reference, too_few }) => [
    platform ?? 'all together',
    String(count),
    ...(['p75', 'p90', 'p99'] as const).map((name) => pairOf(measured, reference, name)),
    too_few ? `too few: fewer than ${MIN_ROWS}` : '',
  ]);
  const table = [HEADS, ...lines];
  const widths = HEADS.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  return table
    .map(
      (line) =>
        `${line
          .map((cell, at) => cell.padEnd(widths[at]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function pairOf(measured: Quantiles | null, reference: Quantiles | null, name: keyof Quantiles): string {
  return `${measured === null ? '-' : short(measured[name])} [${reference === null ? '-' : short(reference[name])}]`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
