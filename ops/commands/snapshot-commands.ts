import type { Command } from 'commander';
import { withService } from './service.ts';
import { printJson, type Surroundings } from './surroundings.ts';

/** `snapshots rejudge`. */
export function addSnapshotCommands(program: Command, surroundings: Surroundings): void {
  const snapshots = program.command('snapshots').description('Repair what became of logged snapshots.');

  snapshots
    .command('rejudge')
    .description('Judge again the snapshots that were refused because they could not be processed (entry_poisoned).')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) => rejudge(surroundings, options.json === true));
}

async function rejudge(surroundings: Surroundings, json: boolean): Promise<void> {
  await withService(surroundings, async ({ ranking }) => {
    const rejudged = await ranking.rejudgePoisoned();
    const failed = rejudged.flatMap((one) =>
      one.kind === 'failed' ? [{ operator: one.operator, jti: one.jti, error: String(one.error) }] : [],
    );
    const judged = rejudged.length - failed.length;
    if (json) {
      printJson(surroundings, { judged, failed });
      return;
    }
    surroundings.print(`Judged again: ${judged}. Still failing: ${failed.length}.\n`);
    for (const { operator, jti, error } of failed) surroundings.print(`  operator ${operator}, ${jti}: ${error}\n`);
  });
}
