import type { VoidSelection } from '../../../engine/ranking/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { withQueues } from '../jobs/with-queues.ts';
import { requireOperator } from '../operator/require-operator.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';

interface VoidRequest {
  readonly codename: string;
  readonly jti?: string;
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Voids snapshots of an operator: one by its `jti`, or all that a key signed since a time. */
export async function voidSnapshots(context: CommandContext, request: VoidRequest): Promise<void> {
  const { codename, yes, json } = request;
  const selection = selectionOf(request);
  await withService(context, async (service) => {
    const { operator } = await requireOperator(service, codename);
    const { repair } = service.ranking;
    requireConfirmation(yes, `this removes snapshots of ${operator.codename} from the public boards`);
    // First, so that no more snapshots arrive under this key.
    if ('kid' in selection) await service.accounts.devices.revoke(operator.operator, selection.kid);
    await requireNoJobs(context, await repair.batchesOf(operator.operator, selection));
    const voided = await repair.void(operator.operator, selection);
    switch (voided.kind) {
      case 'none':
        throw new CommandError(
          'there is no such snapshot in the log',
          'A key that was given is revoked; nothing else was changed.',
        );
      case 'gone':
        throw new CommandError(`${operator.codename} was erased in the meantime`, 'There is nothing left to do.');
      case 'undecided':
        throw new CommandError(`the snapshot ${voided.jti} has no verdict yet`, 'Repeat the command in a moment.');
      case 'voided':
        if (json === true) printJson(context, { codename: operator.codename, voided: voided.entries });
        else context.print(`Voided ${voided.entries} snapshots of ${operator.codename} and recomputed its totals.\n`);
    }
  });
}

function selectionOf({ jti, key, since }: VoidRequest): VoidSelection {
  if (jti !== undefined && key === undefined && since === undefined) return { jti };
  if (jti === undefined && key !== undefined && since !== undefined) return { kid: key, since };
  throw new CommandError(
    'give one snapshot, or a key and a time',
    'snapshots void CODENAME --jti JTI, or --key KID --since TIME',
  );
}

/** @throws CommandError while a job could still apply the voided snapshots. */
async function requireNoJobs(context: CommandContext, batches: readonly string[]): Promise<void> {
  await withQueues(context, async (queues) => {
    for (const queue of queues) {
      for (const batch of batches) {
        if (queue.name !== 'ingest' || (await queue.getJob(batch)) === undefined) continue;
        throw new CommandError(
          `the job of the batch ${batch} has not ended`,
          `Repeat the command in a moment; if the job has failed, first: jobs discard ${batch}`,
        );
      }
    }
  });
}
