import type { DeviceKey, LogEntry, Ranking } from '../../../../engine/ranking/index.ts';
import { openRankingWorld, type RankingWorld, WORLD_START } from '../../../support/ranking-world.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { namedDeviceKey } from '../../../support/signing.ts';
import { type SimulatedOperator, signedEntry, simulateSnapshots } from '../../../support/simulated-field.ts';

const DAY_MS = 86_400_000;

const rethrow = (error: unknown): never => {
  throw error;
};

/** Operators who submitted over many days, on a published board. */
export interface RepairField {
  readonly world: RankingWorld;
  /** Knows the keys of the field, which may be changed. */
  readonly ranking: Ranking;
  readonly keys: Map<string, DeviceKey>;
  readonly owners: readonly SimulatedOperator[];
  /** Logs and judges entries as one group; answers its name. */
  submit(entries: readonly LogEntry[]): Promise<string>;
  /** Publishes what is listed, at the world's present hour. */
  publish(): Promise<void>;
  /** What readers are told, but for when and by which version. */
  answers(): Promise<unknown>;
}

/** Plays `days` days of snapshots from the world's start on. */
export async function openRepairField(operators: number, days: number, seed: number): Promise<RepairField> {
  const world = await openRankingWorld();
  const keys = new Map<string, DeviceKey>();
  const ranking = world.another({
    maxSegments: 1_000,
    deviceKeys: async (kids) => new Map(kids.flatMap((kid) => (keys.has(kid) ? [[kid, keys.get(kid)!]] : []))),
  });
  const owners: SimulatedOperator[] = [];
  for (let index = 0; index < operators; index++) {
    const codename = `field-${index}`;
    const key = namedDeviceKey(codename);
    const operator = await world.enrol(codename);
    keys.set(key.kid, { kid: key.kid, operator, publicKey: key.x, revokedAt: null });
    owners.push({ operator, codename, key });
  }
  const field: RepairField = {
    world,
    ranking,
    keys,
    owners,
    async submit(entries) {
      const [outcome] = await ranking.log.append(entries);
      if (outcome?.kind !== 'stored') throw new Error('the entry was there before');
      await ranking.judgeGroup(outcome.group, entries);
      return outcome.group;
    },
    async publish() {
      await ranking.turnHour();
      const committer = ranking.createCommitter(() => undefined, rethrow);
      while (await committer.tick());
      await committer.tick();
      await committer.close();
    },
    async answers() {
      const reader = await ranking.openBoardReader(rethrow);
      const { totals, tops } = reader.view();
      const told = await Promise.all(owners.map(({ codename }) => reader.profile(codename)));
      const profiles = told.map((profile) => ({ ...profile, board_version: null }));
      await reader.close();
      return { totals, tops, profiles };
    },
  };
  await play(field, days, seed);
  return field;
}

async function play(field: RepairField, days: number, seed: number): Promise<void> {
  const { world, owners } = field;
  const random = seededRandom(seed);
  const start = WORLD_START;
  const end = start + days * DAY_MS;
  const sent = owners
    .flatMap((owner) => simulateSnapshots(random, owner, { start, days: days - 1, snapshots: 8 }))
    .filter(({ sentAt }) => sentAt < end)
    .toSorted((a, b) => a.sentAt - b.sentAt);
  for (let from = 0; from < sent.length; from += 40) {
    const group = sent.slice(from, from + 40);
    world.now = group.at(-1)!.sentAt;
    await field.submit(group.map((snapshot) => signedEntry(snapshot, world.now)));
    await field.publish();
  }
  world.now = end;
  await field.publish();
}
