import { setTimeout as pause } from 'node:timers/promises';
import { WINDOWS } from '../../engine/contract/index.ts';
import { ROW_STATES } from '../../engine/contract/row-states.ts';
import type { NamedComparison, NamedMover, RerankRequest, RunStatus } from '../../engine/ranking/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  numberParser,
  printResult,
  requireConfirmation,
} from './command-context.ts';
import { type Service, withService } from './service.ts';

const POLL_INTERVAL_MS = 500;
/** Polls without progress after which a hint is printed. */
const STALLED_POLLS = 60;

export interface FollowOptions extends CommandOptions {
  readonly wait: boolean;
}

/** Prints the changes of rank under a methodology; the public boards do not change. */
export async function previewMethodology(context: CommandContext, number: number, options: FollowOptions) {
  requireMethodology(number);
  await withService(context, async (service) => {
    const run = await startRun(service, { kind: 'preview', methodology: number });
    const status = options.wait ? await followRun(service, context, run) : null;
    const value = { run, state: status?.state ?? 'running', report: status?.report ?? null };
    printResult(context, options, value, status === null ? startedText(run) : reportText(status));
  });
}

/** Switches all boards to another methodology: workers score every operator, then one write switches. */
export async function activateMethodology(context: CommandContext, number: number, options: FollowOptions) {
  requireMethodology(number);
  await withService(context, async (service) => {
    const { methodology } = await service.ranking.rerank.status();
    if (methodology !== number) {
      requireConfirmation(options, `this switches all public boards from methodology ${methodology} to ${number}`);
    }
    const run = await startRun(service, { kind: 'activate', methodology: number });
    if (options.wait) await followRun(service, context, run);
    const value = { run, state: options.wait ? 'switched' : 'running', methodology: number };
    const switched = `The boards now use methodology ${number}. To return: methodology rollback.\n`;
    printResult(context, options, value, options.wait ? switched : startedText(run));
  });
}

const startedText = (run: string): string => `Run ${run} has started. Follow it: methodology status.\n`;

export const parseNumber = numberParser(/^[1-9][0-9]{0,5}$/, 'Give the number of a methodology, such as 1.');

/** @throws CommandError when there is no methodology of this number. */
export function requireMethodology(number: number): Methodology {
  const found = METHODOLOGIES.get(number);
  if (found !== undefined) return found;
  throw new CommandError(`there is no methodology ${number}`, 'List the methodologies: methodology list.');
}

/** Starts a run and returns its id. @throws CommandError when it cannot start. */
async function startRun({ ranking }: Service, request: RerankRequest): Promise<string> {
  const started = await ranking.rerank.start(request);
  switch (started.kind) {
    case 'started':
      return started.run;
    case 'busy':
      throw new CommandError(
        `run ${started.run} is in progress`,
        'Wait for its end (methodology status), or stop it: methodology cancel.',
      );
    case 'current':
      throw new CommandError(`the boards already use methodology ${request.methodology}`, 'There is nothing to do.');
    case 'unknown':
      throw new CommandError(`there is no methodology ${request.methodology}`, 'See: methodology list.');
  }
}

/**
 * Waits for the end of a run, printing its progress, and returns its final status. The run continues when the command is
 * interrupted.
 * @throws CommandError when it was cancelled or has failed.
 */
async function followRun({ ranking }: Service, { printError }: CommandContext, run: string): Promise<RunStatus> {
  let printed = '';
  for (let quiet = 0; ; quiet++) {
    const { underWay, ended } = await ranking.rerank.status();
    const status = [underWay, ...ended].find((one) => one?.run === run);
    if (status === undefined || status === null)
      throw new CommandError(`run ${run} no longer exists`, 'See: methodology status.');
    if (status.state !== 'running') return endOf(status);
    const progress = `${status.scored} of ${status.ranges} operator ranges scored.\n`;
    if (progress !== printed) {
      printError(progress);
      printed = progress;
      quiet = 0;
    }
    if (quiet === STALLED_POLLS) printError('No progress: check that workers are running. The run waits for them.\n');
    await pause(POLL_INTERVAL_MS);
  }
}

function endOf(status: RunStatus): RunStatus {
  if (status.state === 'switched' || status.state === 'previewed') return status;
  const reason = status.error === null ? '' : `: ${status.error}`;
  throw new CommandError(`run ${status.run} was ${status.state}${reason}`, 'The boards are unchanged.');
}

/** Least rank change in a bucket of `movedBy`. */
const minPlaces = (bucket: number): number => (bucket === 0 ? 0 : 10 ** (bucket - 1));

/** Formats a preview's report for people. */
function reportText({ report, from, methodology }: RunStatus): string {
  if (report === null) return 'There is no report.\n';
  const head = `Under methodology ${methodology} instead of ${from}:`;
  return `${[head, ...WINDOWS.flatMap((window) => ['', window, ...windowLines(report[window])])].join('\n')}\n`;
}

function windowLines(report: NamedComparison): string[] {
  const { rankedBefore, rankedAfter, newlyUnranked, newlyRanked, moved, movedBy, tierChanges } = report;
  const distribution = movedBy.map((operators, bucket) => `${operators} by ${placesOf(bucket)}`);
  return [
    `  ranked: ${rankedBefore} before, ${rankedAfter} after; ${newlyUnranked} no longer, ${newlyRanked} newly`,
    `  another rank: ${moved}${movedBy.length === 0 ? '' : ` (of those ranked in both: ${distribution.join(', ')})`}`,
    ...tierChanges.map(({ from, to, operators }) => `  tier ${from} to ${to}: ${operators}`),
    ...moverLines('climbs most', report.climbers),
    ...moverLines('falls most', report.fallers),
    ...moverLines('no longer ranked', report.unranked),
    `  rows: ${ROW_STATES.map((state) => `${report.rows[state]} ${state}`).join(', ')}`,
  ];
}

function placesOf(bucket: number): string {
  if (bucket === 0) return '0 places';
  return bucket === 1 ? '1 to 9' : `${minPlaces(bucket)} and more`;
}

function moverLines(what: string, movers: readonly NamedMover[]): string[] {
  return movers.map(
    ({ codename, before, after }) =>
      `  ${what}: ${codename ?? '(erased)'}, rank ${before ?? 'none'} to ${after ?? 'none'}`,
  );
}
