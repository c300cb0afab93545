import { type CommandContext, printJson } from '../command-context.ts';
import { withService } from '../service.ts';
import { followRun } from './follow-run.ts';
import { reportText } from './report-text.ts';
import { requireMethodology } from './require-methodology.ts';
import { startRun } from './start-run.ts';

interface PreviewRequest {
  readonly number: number;
  readonly wait: boolean;
  readonly json?: boolean;
}

/** Prints the changes of rank under a methodology; the public boards do not change. */
export async function previewMethodology(context: CommandContext, request: PreviewRequest): Promise<void> {
  const { number, wait, json } = request;
  requireMethodology(number);
  await withService(context, async (service) => {
    const run = await startRun(service, { kind: 'preview', methodology: number });
    const status = wait ? await followRun(service, context, run) : null;
    if (json === true) {
      printJson(context, { run, state: status?.state ?? 'running', report: status?.report ?? null });
    } else if (status === null) context.print(`Run ${run} has started. Follow it: methodology status.\n`);
    else context.print(reportText(status));
  });
}
