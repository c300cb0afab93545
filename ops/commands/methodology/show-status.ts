import type { RerankStatus, RunStatus } from '../../../engine/ranking/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { withService } from '../service.ts';

/** Prints the active methodology, the current and last runs, and the possible rollback. */
export async function showStatus(context: CommandContext, { json }: { readonly json?: boolean }): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const status = await ranking.rerank.status();
    if (json === true) printJson(context, status);
    else context.print(`${linesOf(status).join('\n')}\n`);
  });
}

function linesOf({ methodology, version, underWay, ended, rollback }: RerankStatus): string[] {
  return [
    `The boards use methodology ${methodology} (version ${version}).`,
    underWay === null ? 'No run is in progress.' : `In progress: ${runText(underWay)}`,
    rollback === null
      ? 'There is nothing to roll back to.'
      : `A rollback returns to methodology ${rollback.methodology}, until ${timeText(rollback.until)}.`,
    ...ended.map((run) => `Ended: ${runText(run)}`),
  ];
}

function runText(run: RunStatus): string {
  const { kind, from, methodology, state, scored, ranges, startedAt, endedAt, error } = run;
  const progress = endedAt === null ? `, ${scored} of ${ranges} ranges scored` : `, ended ${timeText(endedAt)}`;
  const reason = error === null ? '' : ` (${error})`;
  return `${run.run}, ${kind} ${methodology} from ${from}, ${state}${reason}, started ${timeText(startedAt)}${progress}`;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
