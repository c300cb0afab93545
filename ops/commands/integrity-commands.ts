import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { HOUR_MS } from '../../config/units.ts';
import { MEASURES, type Quantiles, ruleNamed } from '../../engine/integrity/index.ts';
import { type Evidence, explainUsage, MEASURED_DAYS, type MeasuredQuantiles } from '../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { type AcceptOptions, acceptYield, requireExplained } from './accept-yield.ts';
import { type CommandContext, CommandError, type CommandOptions, printResult } from './command-context.ts';
import { parseNumber, requireMethodology } from './methodology-runs.ts';
import { withService } from './service.ts';

/** `integrity explain | accept | reference`. */
export function addIntegrityCommands(program: Command, context: CommandContext): void {
  const integrity = program.command('integrity').description('How rows are judged.');

  integrity
    .command('explain')
    .description('Print the rules that an operator crosses in each window, with measured value, bound and ratio.')
    .argument('<codename or file>', 'a codename, or a file of exported data (.json), which is evaluated again')
    .option('--json', 'print one JSON object')
    .action((from: string, options: CommandOptions) =>
      from.endsWith('.json') ? explainFile(context, from, options) : explainOperator(context, from, options),
    );

  integrity
    .command('accept')
    .description(
      'Accept the highest Yield of an operator that waits for it, and up to twice that, as a moderator would.',
    )
    .argument('<codename>')
    .requiredOption('--reason <text>', 'what the operator reads, about the numbers')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: AcceptOptions) => acceptYield(context, codename, options));

  integrity
    .command('reference')
    .description('Print the measured quantiles of Yield by platform, beside the reference of the board.')
    .option('--methodology <number>', 'judge rows by this methodology; without it by that of the board', parseNumber)
    .option('--all', 'measure all rows above the floors, for a first reference')
    .option('--json', 'print one JSON object')
    .action((options: ReferenceOptions) => printReference(context, options));
}

async function explainOperator(context: CommandContext, wanted: string, options: CommandOptions): Promise<void> {
  await withService(context, async (service) => {
    const { codename, board_version, methodology, evidence } = await requireExplained(service, wanted);
    const head = `${codename}, board version ${board_version}, methodology ${methodology}`;
    printResult(context, options, { codename, board_version, methodology, evidence }, textOf(head, evidence));
  });
}

const count = z.number().min(0);
const hour = z.iso.datetime().transform((at) => Date.parse(at) / HOUR_MS);
const Sample = z
  .object({ stream: z.string(), platform: z.string(), epoch: z.int(), as_of: hour, receipt: z.int().nullable() })
  .extend({ input: count, output: count, cache_read: count, cache_write: count })
  .transform(({ stream: ledger, platform, epoch, as_of, receipt, ...counts }) => {
    return { ledger, platform, epoch, hour: as_of, counts, ...(receipt !== null && { receipt }) };
  });

/** The part of an operator's export that evidence is recomputed from. */
const Exported = z.object({
  operator: z.object({ codename: z.string() }),
  plausibility: z.object({
    methodology: z.int(),
    as_of: hour,
    findings: z.array(z.string()),
    waived: z.array(count),
    older_days: z.array(z.object({ platform: z.string().nullable(), power: z.int().nullable(), days: z.int().min(1) })),
    samples: z.array(Sample),
  }),
});

async function explainFile(context: CommandContext, path: string, options: CommandOptions): Promise<void> {
  const read = Exported.safeParse(await readJson(path));
  if (!read.success) {
    const next = 'Download it on the account page.';
    throw new CommandError(`${path} is not an operator's export: ${z.prettifyError(read.error)}`, next);
  }
  const { codename } = read.data.operator;
  const { methodology: number, as_of, older_days: older, ...usage } = read.data.plausibility;
  const methodology = METHODOLOGIES.get(number);
  if (methodology === undefined)
    throw new CommandError(`methodology ${number} is unknown to this release`, 'Update it.');
  const evidence = explainUsage({ ...usage, hour: as_of, older }, methodology);
  const head = `${codename}, from exported data, methodology ${number}`;
  printResult(context, options, { codename, methodology: number, evidence }, textOf(head, evidence));
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`${path} cannot be read as JSON`, 'Check the name of the file.', { cause: error });
  }
}

function textOf(head: string, evidence: readonly Evidence[]): string {
  if (evidence.length === 0) return `${head}: no rule is crossed.\n`;
  return `${head}:\n${evidence.map(lineOf).join('')}`;
}

function lineOf({ window, rule, severity, measure, measured, bound, ratio }: Evidence): string {
  const value = measured === null ? '' : `${measured} `;
  const numbers =
    ratio === null || measure === null
      ? 'a finding, not measured'
      : `${value}${ratio.toPrecision(3)} times the bound of ${bound} (${MEASURES[measure].words})`;
  return `  ${window} ${rule} (${severity}): ${numbers}. ${ruleNamed(rule).sentence}\n`;
}

/** Of fewer rows the 99th percentile is one of the highest, by chance. */
const MIN_ROWS = 30;

interface ReferenceOptions extends CommandOptions {
  readonly methodology?: number;
  readonly all?: boolean;
}

async function printReference(context: CommandContext, options: ReferenceOptions): Promise<void> {
  const methodology = options.methodology === undefined ? undefined : requireMethodology(options.methodology);
  const all = options.all === true;
  await withService(context, async ({ ranking }) => {
    const found = await ranking.measureReference({ methodology, all });
    if (found === null) throw new CommandError('there is no board yet', 'Start a worker first.');
    const { board_version, methodology: number, rule_set } = found;
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
  const lines = rows.map(({ platform, rows: measuredRows, measured, reference, too_few }) => [
    platform ?? 'all together',
    String(measuredRows),
    ...(['p75', 'p90', 'p99'] as const).map((name) => pairOf(measured, reference, name)),
    too_few ? `too few: fewer than ${MIN_ROWS}` : '',
  ]);
  const table = [HEADS, ...lines];
  const widths = HEADS.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  const padded = (line: readonly string[]): string => line.map((cell, at) => cell.padEnd(widths[at]!)).join('  ');
  return table.map((line) => `${padded(line).trimEnd()}\n`).join('');
}

function pairOf(measured: Quantiles | null, reference: Quantiles | null, name: keyof Quantiles): string {
  return `${measured === null ? '-' : short(measured[name])} [${reference === null ? '-' : short(reference[name])}]`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
