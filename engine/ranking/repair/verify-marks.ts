import { isDeepStrictEqual } from 'node:util';
import type { RankingContext } from '../context.ts';
import { hourOf, type Standing, type Stream, standingAt } from '../core/standing/index.ts';
import type { Finding } from './findings.ts';
import { CarryDamaged, standingFromLog } from './refold-operator.ts';

/** Numbers read by one command. */
const OPERATORS_A_READ = 1_000;
/** Comparisons of one operator before it counts as different: a fold may come between two reads. */
const MAX_TRIES = 5;

/** Compares every operator's marks and totals with what the log and its carry mark make of it. */
export async function verifyMarks(context: RankingContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let from = 0; ; ) {
    const numbers = await context.stores.operators.numbersFrom(from, OPERATORS_A_READ);
    for (const operator of numbers) findings.push(...(await verifyOperator(context, operator)));
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < OPERATORS_A_READ) return findings;
    from = last + 1;
  }
}

async function verifyOperator(context: RankingContext, operator: number): Promise<Finding[]> {
  const { stores } = context;
  let problem: string | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stamp = await stores.operators.stamp(operator);
    if (stamp === null) return [];
    try {
      problem = await differenceOf(context, operator, stamp.hour);
    } catch (error) {
      if (!(error instanceof CarryDamaged)) throw error;
      return [{ part: 'carry', name: `carry of ${operator}`, problem: 'has another checksum', operator }];
    }
    if (problem === null) return [];
    // A group that is being judged has its entries in the log before its fold.
    const after = await stores.operators.stamp(operator);
    if (after?.revision === stamp.revision && tries > 0) break;
  }
  return [{ part: 'mark', name: `operator ${operator}`, problem: problem ?? '', operator }];
}

/**
 * How an operator's record differs from the log; null when it does not. Both are looked at from one hour, none earlier than
 * any fold's: a record keeps its marks as they were when it was folded last.
 */
async function differenceOf(context: RankingContext, operator: number, hour: number): Promise<string | null> {
  const atHour = Math.max(hour, hourOf(context.clock()));
  let stored: Standing | undefined;
  try {
    stored = (await context.stores.operators.standings([operator])).get(operator)?.standing;
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (stored === undefined) return null;
  stored = standingAt(stored, atHour);
  const told = standingAt(await standingFromLog(context, operator, atHour), atHour);
  const streams = differingStreams(stored, told);
  if (streams.length > 0) return `marks of ${streams.join(', ')} differ from the log`;
  if (!isDeepStrictEqual(stored.totals, told.totals)) return 'window totals differ from the marks';
  if (!isDeepStrictEqual(stored.platforms, told.platforms)) return 'platforms differ from the marks';
  return null;
}

function differingStreams(stored: Standing, told: Standing): string[] {
  const [a, b] = [streamsByName(stored), streamsByName(told)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name))).sort();
}

function streamsByName({ streams }: Standing): ReadonlyMap<string, Stream> {
  return new Map(streams.map((stream) => [`${stream.ledger}/${stream.platform}`, stream]));
}
