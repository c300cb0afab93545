import { isDeepStrictEqual } from 'node:util';
import type { RankingContext } from '../context.ts';
import {
  differingNumbers,
  hourOf,
  isCurrent,
  type OperatorState,
  type Stream,
  stateAt,
} from '../core/operator-state/index.ts';
import type { Finding } from './findings.ts';
import { statesFromLog } from './states-from-log.ts';

/** Comparisons of one operator before a difference counts: a batch may be applied between two reads. */
const MAX_TRIES = 5;

/** Operators per round: bounds the memory. */
const OPERATORS_A_ROUND = 500;

/**
 * Compares every operator's samples and totals with those computed from the log and its rollup. Operators with entries that no
 * verdict decides yet are added to `undecided` and left out: their record may be of before or after them. A round costs a few commands; operators that seem to differ are checked
 * again one by one.
 */
export async function verifySamples(
  context: RankingContext,
  undecided: Set<number>,
  onDone: (operators: number) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  for await (const numbers of context.stores.operators.liveNumbers(OPERATORS_A_ROUND)) {
    findings.push(...(await compareRound(context, numbers, undecided)));
    onDone((done += numbers.length));
  }
  return findings;
}

/** Compares operators together, and those that differ again: a batch may be applied between two reads. */
async function compareRound(
  context: RankingContext,
  numbers: readonly number[],
  undecided: Set<number>,
): Promise<Finding[]> {
  const first = await differencesOf(context, numbers, undecided);
  // One unreadable record fails the joint read; then compare one by one.
  const second = typeof first === 'string' ? first : await differencesOf(context, [...first.keys()], undecided);
  const isJoint = typeof first !== 'string' && typeof second !== 'string';
  const findings: Finding[] = [];
  for (const operator of isJoint ? second.keys() : numbers) {
    const found = isJoint ? second.get(operator) : undefined;
    if (isJoint && found !== undefined && found.problem !== '' && found.revision === first.get(operator)?.revision)
      findings.push(sampleFinding(operator, found.problem));
    else findings.push(...(await verifyOperator(context, operator, undecided)));
  }
  return findings;
}

/**
 * Differences found by one joint read, with the revisions that were compared; the problem as text when a record is unreadable. The problem is empty for a damaged
 * rollup. Records and log are compared at one hour not earlier than the record's: samples are stored as of that hour.
 */
async function differencesOf(
  context: RankingContext,
  numbers: readonly number[],
  undecided: Set<number>,
): Promise<ReadonlyMap<number, { readonly revision: string; readonly problem: string }> | string> {
  if (numbers.length === 0) return new Map();
  const records = await context.stores.operators
    .operatorStates(numbers)
    .catch((error: unknown) => `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  if (typeof records === 'string') return records;
  const now = hourOf(context.clock());
  const hours = new Map(
    [...records].map(([operator, { operatorState }]) => [operator, Math.max(operatorState.hour, now)]),
  );
  const states = await statesFromLog(context, hours, undecided);
  const differences = new Map<number, { revision: string; problem: string }>();
  for (const [operator, { revision, operatorState }] of records) {
    if (undecided.has(operator)) continue;
    const fromLog = states.get(operator);
    const problem = fromLog === undefined ? '' : differenceBetween(operatorState, fromLog, hours.get(operator)!);
    if (problem !== null) differences.set(operator, { revision, problem });
  }
  return differences;
}

const sampleFinding = (operator: number, problem: string): Finding => ({
  part: 'sample',
  name: `operator ${operator}`,
  problem,
  operator,
});

async function verifyOperator(context: RankingContext, operator: number, undecided: Set<number>): Promise<Finding[]> {
  const { stores } = context;
  let problem: string | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await stores.operators.recordRevision(operator);
    if (before === null) return [];
    const found = await differencesOf(context, [operator], undecided);
    problem = typeof found === 'string' ? found : (found.get(operator)?.problem ?? null);
    if (problem === null) return [];
    if (problem === '') {
      return [{ part: 'rollup', name: `rollup of ${operator}`, problem: 'has a wrong checksum', operator }];
    }
    // The entries of a batch are in the log before its states are written.
    const after = await stores.operators.recordRevision(operator);
    if (after?.revision === before.revision && tries > 0) break;
  }
  return [sampleFinding(operator, problem ?? '')];
}

function differenceBetween(record: OperatorState, fromLog: OperatorState, atHour: number): string | null {
  const [stored, expected] = [stateAt(record, atHour), stateAt(fromLog, atHour)];
  const streams = differingStreams(stored, expected);
  if (streams.length > 0) return `samples of ${streams.join(', ')} differ from the log`;
  if (!isDeepStrictEqual(stored.older, expected.older)) return 'older witnessed days differ from the log';
  // Samples that expired are subtracted when the hour advances.
  const numbers = isCurrent(record) ? differingNumbers(record) : [];
  if (numbers.length > 0) return `${numbers.join(', ')} differ from the samples`;
  return null;
}

function differingStreams(stored: OperatorState, expected: OperatorState): string[] {
  const [a, b] = [streamsByName(stored), streamsByName(expected)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name))).sort();
}

function streamsByName({ streams }: OperatorState): ReadonlyMap<string, Stream> {
  return new Map(streams.map((stream) => [`${stream.ledger}/${stream.platform}`, stream]));
}
