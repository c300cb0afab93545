import { DAY_MS } from '../../config/units.ts';
import type { LogEntry } from '../../engine/ranking/index.ts';
import type { NaiveSnapshot } from './naive-usage.ts';
import type { SeededRandom } from './seeded-random.ts';
import { signSnapshot, type TestDeviceKey } from './signing.ts';

const LEDGERS = ['ledger-one', 'ledger-two'] as const;
const PLATFORMS = ['claude-code', 'codex-cli', undefined] as const;
const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** An operator of the simulation: its number, name and device key. */
export interface SimulatedOperator {
  readonly operator: number;
  readonly codename: string;
  readonly key: TestDeviceKey;
}

/** A snapshot that will be sent: when (milliseconds since the epoch), and what the model makes of it. */
export interface SimulatedSnapshot {
  readonly owner: SimulatedOperator;
  readonly jti: string;
  readonly sentAt: number;
  readonly fact: NaiveSnapshot;
  readonly platform: string | undefined;
}

/** Counts of few distinct values make ties; now and then there are extremes and fractions. */
function counts(random: SeededRandom): readonly [number, number, number, number] {
  const kind = random.integer(0, 19);
  if (kind === 0) {
    const output = random.pick([random.integer(0, 9), random.integer(300_000, 1e6)]);
    return [0, output, random.integer(0, 9), 0];
  }
  if (kind === 1) return [MAX_COUNT, MAX_COUNT, MAX_COUNT, MAX_COUNT];
  if (kind === 2) return [random.next() * 10, random.next() * 10, random.next() * 10, random.next()];
  const small = random.integer(0, 2) > 0;
  const most = small ? 6 : 1e6;
  return [random.integer(1, most), random.integer(0, most), random.integer(0, most), random.integer(0, most)];
}

/** Snapshots of one operator over `days` days from `start`: each sent at or some days after its `as_of`. */
export function simulateSnapshots(
  random: SeededRandom,
  owner: SimulatedOperator,
  { start, days, snapshots }: { start: number; days: number; snapshots: number },
): SimulatedSnapshot[] {
  return Array.from({ length: snapshots }, (_, index) => {
    const asOf = start + Math.floor((random.next() * days * DAY_MS) / 1_000) * 1_000;
    const late = random.integer(0, 3) === 0 ? random.next() * 20 * DAY_MS : 0;
    const platform = random.pick(PLATFORMS);
    const epoch = random.integer(0, 24) === 0 ? 1 : 0;
    const fact = {
      ledger: random.pick(LEDGERS),
      platform: platform ?? 'unspecified',
      epoch,
      asOf,
      counts: counts(random),
    };
    return { owner, jti: `snapshot-${owner.operator}-${index}`, sentAt: asOf + late, fact, platform };
  });
}

/** Output and cache reads of daily operators, in fifths of the input: Yields that need different numbers of days. */
const PACES = [
  [3, 3],
  [3, 9],
  [30, 30],
  [1, 1],
  [9, 9],
] as const;

/** Snapshots of the n-th operator that works every day at one pace, each sent at its `as_of`. */
export function dailySnapshots(
  random: SeededRandom,
  owner: SimulatedOperator,
  { nth, start, days }: { nth: number; start: number; days: number },
): SimulatedSnapshot[] {
  const platform = PLATFORMS[nth % PLATFORMS.length];
  const input = random.integer(500, 3_000);
  const [output, reads] = PACES[nth % PACES.length]!.map((fifths) => Math.round((input * fifths) / 5));
  return Array.from({ length: days }, (_, day) => {
    const asOf = start + day * DAY_MS + random.integer(0, 7_000) * 1_000;
    const sums = [input, output!, reads!, 4_000].map((count) => count * (day + 1));
    const named = { ledger: 'ledger-daily', platform: platform ?? 'unspecified', epoch: 0, asOf };
    const fact = { ...named, counts: [sums[0]!, sums[1]!, sums[2]!, sums[3]!] as const };
    return { owner, jti: `daily-${owner.operator}-${day}`, sentAt: asOf, fact, platform };
  });
}

/** What the header of a snapshot states about its counts. */
function provenanceOf({ fact }: SimulatedSnapshot) {
  const asOfSecond = fact.asOf / 1_000;
  if (asOfSecond % 3 === 0) return {};
  return { counting: asOfSecond % 5 === 0 ? 'derived' : 'exact', cli: `0.${asOfSecond % 11}.0` };
}

/** The log entry of a snapshot, signed, as received at `receivedAt`. */
export function signedEntry(snapshot: SimulatedSnapshot, receivedAt: number): LogEntry {
  const { owner, jti, fact, platform } = snapshot;
  const [input, output, cache_read, cache_write] = fact.counts;
  const base = { codename: owner.codename, input, output, cache_read, cache_write };
  const payload = platform === undefined ? base : { ...base, platform };
  const signature = signSnapshot(owner.key, payload, {
    jti,
    iat: Math.floor(receivedAt / 1_000),
    as_of: fact.asOf / 1_000,
    stream: fact.ledger,
    epoch: fact.epoch,
    ...provenanceOf(snapshot),
  });
  return { operator: owner.operator, jti, receivedAt, payload, signature };
}
