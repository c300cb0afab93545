import { DAY_MS } from '../../../../config/units.ts';
import type { DeviceKey, LogEntry, Ranking } from '../../../../engine/ranking/index.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld, type RankingWorld, WORLD_START } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { namedDeviceKey } from '../../../support/signing.ts';
import { type SimulatedOperator, signedEntry, simulateSnapshots } from '../../../support/simulated-field.ts';

/** A published board of operators with many days of snapshots. */
export interface RepairFixture {
  readonly world: RankingWorld;
  /** Knows the keys of the population, which tests may change. */
  readonly ranking: Ranking;
  readonly keys: Map<string, DeviceKey>;
  readonly owners: readonly SimulatedOperator[];
  /** Logs and processes entries as one batch; returns its id. */
  submit(entries: readonly LogEntry[]): Promise<string>;
  /** Publishes the dirty sets, at the world's current hour. */
  publish(): Promise<void>;
  /** What readers get, without times and versions. */
  answers(): Promise<unknown>;
  close(): Promise<void>;
}

/** Submits `days` days of snapshots from the world's start on. */
export async function openRepairFixture(operators: number, days: number, seed: number): Promise<RepairFixture> {
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
  const fixture: RepairFixture = {
    world,
    ranking,
    keys,
    owners,
    submit: (entries) => submitBatch(ranking, entries),
    close: () => world.close(),
    async publish() {
      await ranking.advanceHour();
      const committer = committerOf(ranking);
      while (await committer.tick());
      await committer.tick();
      await committer.close();
    },
    async answers() {
      const reader = await ranking.openBoardReader(rethrow);
      const { totals, topEntries } = reader.view();
      const read = await Promise.all(owners.map(({ codename }) => reader.profile(codename)));
      const profiles = read.map((profile) => ({ ...profile, board_version: null }));
      await reader.close();
      return { totals, topEntries, profiles };
    },
  };
  await play(fixture, days, seed);
  return fixture;
}

async function play(fixture: RepairFixture, days: number, seed: number): Promise<void> {
  const { world, owners } = fixture;
  const random = seededRandom(seed);
  const start = WORLD_START;
  const end = start + days * DAY_MS;
  const sent = owners
    .flatMap((owner) => simulateSnapshots(random, owner, { start, days: days - 1, snapshots: 8 }))
    .filter(({ sentAt }) => sentAt < end)
    .toSorted((a, b) => a.sentAt - b.sentAt);
  for (let from = 0; from < sent.length; from += 40) {
    const batch = sent.slice(from, from + 40);
    world.now = batch.at(-1)!.sentAt;
    await fixture.submit(batch.map((snapshot) => signedEntry(snapshot, world.now)));
    await fixture.publish();
  }
  world.now = end;
  await fixture.publish();
}
