import { isDeepStrictEqual } from 'node:util';
import type { RankingContext } from '../context.ts';
import { hourOf, type OperatorState, type Stream, stateAt } from '../core/operator-state/index.ts';
import type { Finding } from './findings.ts';
import { DamagedRollupError, statesFromLog } from './states-from-log.ts';

/** Comparisons of one operator before it counts as different: a fold may come between two reads. */
const MAX_TRIES = 5;

/** Operators compared before the next progress is told: what is held in memory at a time. */
const OPERATORS_A_ROUND = 500;

/**
 * Compares every operator's marks and totals with what the log and its carry mark make of it. Tells after each round how many
 * operators were looked at. Costs a few commands a round; who seems to differ is looked at again alone.
 */
export async function verifySamples(
  context: RankingContext,
  onDone: (operators: number) => void = () => undefined,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  for (let from = 0; ; ) {
    const numbers = await context.stores.operators.numbersFrom(from, OPERATORS_A_ROUND);
    findings.push(...(await compareRound(context, numbers)));
    onDone((done += numbers.length));
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < OPERATORS_A_ROUND) return findings;
    from = last + 1;
  }
}

/** An operator whose record differs from the log, in the state in which it was read. */
interface Difference {
  readonly revision: string;
  readonly problem: string;
}

/** Looks at operators together, and again at those that differ: something may have been folded between two reads. */
async function compareRound(context: RankingContext, numbers: readonly number[]): Promise<Finding[]> {
  const first = await differencesOf(context, numbers);
  const second = first === null ? null : await differencesOf(context, [...first.keys()]);
  // A record that cannot be read keeps all from being read together.
  const open = second === null ? numbers : [...second.keys()];
  const findings: Finding[] = [];
  for (const operator of open) {
    const found = second?.get(operator);
    if (found !== undefined && found.problem !== '' && found.revision === first?.get(operator)?.revision)
      findings.push(sampleFinding(operator, found.problem));
    else findings.push(...(await verifyOperator(context, operator)));
  }
  return findings;
}

/** Who differs at first sight; null when a record cannot be read. That of a damaged carry mark is empty. */
async function differencesOf(
  context: RankingContext,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Difference> | null> {
  if (numbers.length === 0) return new Map();
  const records = await context.stores.operators.operatorStates(numbers).catch(() => null);
  if (records === null) return null;
  const now = hourOf(context.clock());
  const hours = new Map(
    [...records].map(([operator, { operatorState }]) => [operator, Math.max(operatorState.hour, now)]),
  );
  const told = await statesFromLog(context, hours);
  const differences = new Map<number, Difference>();
  for (const [operator, { revision, operatorState }] of records) {
    const own = told.get(operator);
    const problem = own === undefined ? '' : differenceBetween(operatorState, own, hours.get(operator)!);
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

async function verifyOperator(context: RankingContext, operator: number): Promise<Finding[]> {
  const { stores } = context;
  let problem: string | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stamp = await stores.operators.recordRevision(operator);
    if (stamp === null) return [];
    try {
      problem = await differenceOf(context, operator, stamp.hour);
    } catch (error) {
      if (!(error instanceof DamagedRollupError)) throw error;
      return [{ part: 'rollup', name: `carry of ${operator}`, problem: 'has another checksum', operator }];
    }
    if (problem === null) return [];
    // A group that is being judged has its entries in the log before its fold.
    const after = await stores.operators.recordRevision(operator);
    if (after?.revision === stamp.revision && tries > 0) break;
  }
  return [sampleFinding(operator, problem ?? '')];
}

/**
 * How an operator's record differs from the log; null when it does not. Both are looked at from one hour, none earlier than
 * any fold's: a record keeps its marks as they were when it was folded last.
 */
async function differenceOf(context: RankingContext, operator: number, hour: number): Promise<string | null> {
  const atHour = Math.max(hour, hourOf(context.clock()));
  let stored: OperatorState | undefined;
  try {
    stored = (await context.stores.operators.operatorStates([operator])).get(operator)?.operatorState;
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (stored === undefined) return null;
  const told = (await statesFromLog(context, new Map([[operator, atHour]]))).get(operator);
  if (told === undefined) throw new DamagedRollupError(operator);
  return differenceBetween(stored, told, atHour);
}

function differenceBetween(record: OperatorState, fromLog: OperatorState, atHour: number): string | null {
  const [stored, told] = [stateAt(record, atHour), stateAt(fromLog, atHour)];
  const streams = differingStreams(stored, told);
  if (streams.length > 0) return `marks of ${streams.join(', ')} differ from the log`;
  if (!isDeepStrictEqual(stored.totals, told.totals)) return 'window totals differ from the marks';
  if (!isDeepStrictEqual(stored.platforms, told.platforms)) return 'platforms differ from the marks';
  return null;
}

function differingStreams(stored: OperatorState, told: OperatorState): string[] {
  const [a, b] = [streamsByName(stored), streamsByName(told)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name))).sort();
}

function streamsByName({ streams }: OperatorState): ReadonlyMap<string, Stream> {
  return new Map(streams.map((stream) => [`${stream.ledger}/${stream.platform}`, stream]));
}
