import type { Command } from 'commander';
import type { VoidSelection } from '../../engine/ranking/index.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  numberParser,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { requireOperator } from './require-operator.ts';
import { withQueues, withService } from './service.ts';

interface VoidOptions extends CommandOptions {
  readonly jti?: string;
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
}

/** `snapshots reprocess | void | recompute`. */
export function addSnapshotCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'snapshots', 'Repair the verdicts and totals of logged snapshots.');

  add('reprocess', 'Process the snapshots again that were refused as entry_poisoned.').action(
    (options: CommandOptions) => reprocess(context, options),
  );

  add('void <codename>', "Void snapshots and recompute the operator's totals without them. Safe to repeat.")
    .option('--jti <jti>', 'one snapshot')
    .option('--key <kid>', 'all snapshots that this key signed since a time; the key is revoked')
    .option(
      '--since <time>',
      'required with --key: received at or after this time, such as 2031-05-07T10:30Z',
      parseMoment,
    )
    .option('--yes', 'confirm: this changes the public boards')
    .action((codename: string, options: VoidOptions) => voidSnapshots(context, codename, options));

  add('recompute <codename>', "Recompute an operator's totals from the log and its rollup.").action(
    (wanted: string, options: CommandOptions) =>
      withService(context, async (service) => {
        const { operator, codename } = (await requireOperator(service, wanted)).operator;
        const recomputed = await service.ranking.repair.recompute(operator);
        printResult(context, options, { codename, recomputed }, `Recomputed ${codename} from the log.\n`);
      }),
  );
}

const parseMoment = numberParser(
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/,
  'Give a date or a time in UTC, such as 2031-05-07 or 2031-05-07T10:30Z.',
  { read: Date.parse },
);

async function reprocess(context: CommandContext, options: CommandOptions): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const reprocessed = await ranking.reprocessPoisoned();
    const failed = reprocessed.flatMap((one) =>
      one.kind === 'failed' ? [{ operator: one.operator, jti: one.jti, error: String(one.error) }] : [],
    );
    const processed = reprocessed.length - failed.length;
    const lines = failed.map(({ operator, jti, error }) => `  operator ${operator}, ${jti}: ${error}\n`);
    const text = `Processed: ${processed}. Still failing: ${failed.length}.\n${lines.join('')}`;
    printResult(context, options, { processed, failed }, text);
  });
}

/** Voids snapshots of an operator: one by its `jti`, or all that a key signed since a time. */
async function voidSnapshots(context: CommandContext, wanted: string, options: VoidOptions): Promise<void> {
  const selection = selectionOf(options);
  await withService(context, async (service) => {
    const { operator, codename } = (await requireOperator(service, wanted)).operator;
    const { repair } = service.ranking;
    requireConfirmation(options, `this removes snapshots of ${codename} from the public boards`);
    // First, so that no more snapshots arrive under this key.
    if ('kid' in selection) await service.accounts.devices.revoke(operator, selection.kid);
    await requireNoJobs(context, await repair.batchesOf(operator, selection));
    const voided = await repair.void(operator, selection);
    switch (voided.kind) {
      case 'none':
        throw new CommandError(
          'there is no such snapshot in the log',
          'A key that was given is revoked; nothing else was changed.',
        );
      case 'gone':
        throw new CommandError(`${codename} was erased in the meantime`, 'There is nothing left to do.');
      case 'undecided':
        throw new CommandError(`the snapshot ${voided.jti} has no verdict yet`, 'Repeat the command in a moment.');
      case 'voided': {
        const text = `Voided ${voided.entries} snapshots of ${codename} and recomputed its totals.\n`;
        printResult(context, options, { codename, voided: voided.entries }, text);
      }
    }
  });
}

function selectionOf({ jti, key, since }: VoidOptions): VoidSelection {
  if (jti !== undefined && key === undefined && since === undefined) return { jti };
  if (jti === undefined && key !== undefined && since !== undefined) return { kid: key, since };
  const next = 'snapshots void CODENAME --jti JTI, or --key KID --since TIME';
  throw new CommandError('give one snapshot, or a key and a time', next);
}

/** @throws CommandError while a job could still apply the voided snapshots. */
async function requireNoJobs(context: CommandContext, batches: readonly string[]): Promise<void> {
  await withQueues(context, async (queues) => {
    for (const queue of queues) {
      for (const batch of batches) {
        if (queue.name !== 'ingest' || (await queue.getJob(batch)) === undefined) continue;
        const next = `Repeat the command in a moment; if the job has failed, first: jobs discard ${batch}`;
        throw new CommandError(`the job of the batch ${batch} has not ended`, next);
      }
    }
  });
}
