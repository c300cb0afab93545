import { type Command, InvalidArgumentError } from 'commander';
import { type CommandContext, printJson } from './command-context.ts';
import { requireOperator } from './operator/require-operator.ts';
import { withService } from './service.ts';
import { voidSnapshots } from './snapshots/void-snapshots.ts';

interface VoidOptions {
  readonly jti?: string;
  readonly key?: string;
  readonly since?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `snapshots rejudge | void | refold`. */
export function addSnapshotCommands(program: Command, context: CommandContext): void {
  const snapshots = program.command('snapshots').description('Repair the verdicts and totals of logged snapshots.');

  snapshots
    .command('rejudge')
    .description('Process the snapshots again that were refused as entry_poisoned.')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) => rejudge(context, options.json === true));

  snapshots
    .command('void')
    .description("Void snapshots and recompute the operator's totals without them. Safe to repeat.")
    .argument('<codename>')
    .option('--jti <jti>', 'one snapshot')
    .option('--key <kid>', 'all snapshots that this key signed; the key is revoked')
    .option('--since <time>', 'with --key: received at or after this time, such as 2031-05-07T10:30Z', parseMoment)
    .option('--yes', 'confirm: this changes the public boards')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: VoidOptions) => voidSnapshots(context, { codename, ...options }));

  snapshots
    .command('refold')
    .description("Recompute an operator's totals from the log and its rollup.")
    .argument('<codename>')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: { json?: boolean }) => refold(context, codename, options.json === true));
}

function parseMoment(text: string): number {
  const moment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  throw new InvalidArgumentError('Give a date or a time in UTC, such as 2031-05-07 or 2031-05-07T10:30Z.');
}

async function refold(context: CommandContext, codename: string, json: boolean): Promise<void> {
  await withService(context, async (service) => {
    const { operator } = await requireOperator(service, codename);
    const refolded = await service.ranking.repair.recompute(operator.operator);
    if (json) printJson(context, { codename: operator.codename, refolded });
    else context.print(`Recomputed ${operator.codename} from the log.\n`);
  });
}

async function rejudge(context: CommandContext, json: boolean): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const reprocessed = await ranking.reprocessPoisoned();
    const failed = reprocessed.flatMap((one) =>
      one.kind === 'failed' ? [{ operator: one.operator, jti: one.jti, error: String(one.error) }] : [],
    );
    const processed = reprocessed.length - failed.length;
    if (json) {
      printJson(context, { processed, failed });
      return;
    }
    context.print(`Processed: ${processed}. Still failing: ${failed.length}.\n`);
    for (const { operator, jti, error } of failed) context.print(`  operator ${operator}, ${jti}: ${error}\n`);
  });
}
