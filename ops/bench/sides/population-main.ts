import { generateKeyPairSync, randomInt } from 'node:crypto';
import { layOutSnapshot, signDeviceProof, signSnapshot } from '../../../cli/src/signing/sign-snapshot.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type * as accountsDoor from '../../../engine/accounts/index.ts';
import type * as mongoDoor from '../../../engine/mongo/index.ts';
import { deltaLimit } from '../../../engine/ranking/core/board/index.ts';
import type * as rankingDoor from '../../../engine/ranking/index.ts';
import type { Submitter } from '../client/requests.ts';
import { type Costs, withCpuTime } from '../frame/cpu-time.ts';
import { sum, timed } from '../frame/statistics.ts';
import { serveTasks } from '../frame/task-process.ts';
import { importFrom } from '../frame/trees.ts';
import { benchCodename, leaveNoMaintenance, seedPopulation } from './seed-population.ts';

/**
 * The engine of one tree over one database: seeds and changes populations, and measures commits, compactions and re-ranks, as
 * requested over IPC: `population-main.ts ROOT MONGO_URL MONGO_PID`. Trees are compared as long as both have the operations of the
 * doors `engine/mongo`, `engine/ranking` and `engine/accounts` that are used here.
 */
const [root = '', mongoUrl = '', mongoPid = ''] = process.argv.slice(2);
const tree = { name: root, root };
const mongo = await importFrom<typeof mongoDoor>(tree, 'engine/mongo/index.ts');
const { createRanking } = await importFrom<typeof rankingDoor>(tree, 'engine/ranking/index.ts');
const { createAccounts } = await importFrom<typeof accountsDoor>(tree, 'engine/accounts/index.ts');

/** Thumbprints are 43 characters, the last of which is one of few. */
const KID_DIGITS = 42;
const MAX_CONCURRENT_ENROLMENTS = 32;
/** Seconds: longer than any run. */
const TOKEN_LIFETIME_S = 3 * 60 * 60;
const SCOPE = 'openid profile email';
const PARALLEL_RANGES = 2;

/** Share of the delta's limit, or of a smaller population, that commits change in a database as in production. */
const SHARE_CHANGED = 0.8;
const COMMITS = 40;

/** Every operator of a population has one device, and all devices share one key. */
const sharedKey = generateKeyPairSync('ed25519');
const { x: sharedPublicKey = '' } = sharedKey.publicKey.export({ format: 'jwk' });

const connection = await mongo.openMongo(mongoUrl);
let published = 0;
const ranking = createRanking({
  connection,
  clock: Date.now,
  deviceKeys: async (kids) => new Map(kids.map((kid) => [kid, deviceKey(kid)])),
  sharedSecret: async (name) => name,
  report: { committed: ({ operators }) => void (published += operators) },
});
const committer = ranking.createCommitter(
  () => undefined,
  (error) => {
    throw error;
  },
);

const tasks = {
  /** Seeds operators into an empty database; `isChanged`: some have changed since the last compaction. */
  async seed({ operators, isChanged = false }: { readonly operators: number; readonly isChanged?: boolean }) {
    await seedPopulation({ mongo, connection, ranking }, operators);
    if (isChanged) await changeSome(operators);
    // What is measured next must not include writing them to disk.
    await connection.db?.admin().command({ fsync: 1 });
  },
  submitters: seedSubmitters,
  /** Publishes `changes` random operators of a population in one commit, and returns the costs of the commit alone. */
  async commit({ operators, changes }: { readonly operators: number; readonly changes: number }): Promise<Costs> {
    await change(operators, changes);
    published = 0;
    const costs = await costsOf(() => committer.tick());
    if (published < changes) throw new Error(`a commit published ${published} of ${changes} changes`);
    return costs;
  },
  compact: () => costsOf(() => ranking.compactBoard()),
  rerank: (methodology: number) => costsOf(() => rerank(methodology)),
};

export type PopulationTasks = typeof tasks;
serveTasks(tasks);

async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const { user, system } = process.cpuUsage();
  const { value, cpu } = await withCpuTime([Number(mongoPid)], () => timed(work));
  const own = process.cpuUsage({ user, system });
  return { wallMs: value.ms, cpuMs: (own.user + own.system) / 1_000 + sum(cpu) * MS_PER_SECOND };
}

function deviceKey(kid: string): rankingDoor.DeviceKey {
  return { kid, operator: Number(kid.slice(0, KID_DIGITS)), publicKey: sharedPublicKey, revokedAt: null };
}

/** Logs and processes a snapshot of each of `count` random operators of a population. */
async function change(operators: number, count: number): Promise<void> {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(randomInt(1, operators + 1));
  const entries = [...chosen].map((operator) => entryOf(operator, Date.now()));
  const [outcome] = await ranking.log.append(entries);
  if (outcome?.kind !== 'stored') throw new Error('the snapshots were not logged');
  const { verdicts } = await ranking.processBatch(outcome.batch, entries);
  const refused = verdicts.find((verdict) => !verdict.accepted || !verdict.changed);
  if (refused !== undefined) throw new Error(`a snapshot changed nothing: ${JSON.stringify(refused)}`);
}

/** Nearly fills the delta by commits. */
async function changeSome(operators: number): Promise<void> {
  const changes = Math.floor((SHARE_CHANGED * Math.min(deltaLimit(operators), operators)) / COMMITS);
  for (let commit = 0; commit < (changes === 0 ? 0 : COMMITS); commit++) {
    await change(operators, changes);
    await committer.tick();
  }
  await leaveNoMaintenance(connection);
}

let made = 0;

function entryOf(operator: number, receivedAt: number): rankingDoor.LogEntry {
  made += 1;
  const layout = layOutSnapshot({
    codename: benchCodename(operator - 1),
    platform: 'claude-code',
    totals: {
      input: randomInt(20_000, 200_000),
      output: randomInt(500_000, 5_000_000),
      cache_read: 1e7 + made,
      cache_write: made,
    },
    counting: 'exact',
    kid: `${String(operator).padStart(KID_DIGITS, '0')}A`,
    // A different stream than the seeded one, so that the counts add to the totals.
    stream: 'ledger-of-the-bench',
    epoch: 0,
    now: receivedAt,
  });
  const { signature, ...payload } = JSON.parse(signSnapshot(layout, sharedKey.privateKey));
  return { operator, jti: layout.header.jti, receivedAt, payload, signature };
}

/** Re-ranks the population in this process, as workers do: scores the ranges, and switches the board. */
async function rerank(methodology: number): Promise<void> {
  const started = await ranking.rerank.start({ kind: 'activate', methodology });
  if (started.kind !== 'started') throw new Error(`starting a re-rank returned ${started.kind}`);
  const flows: rankingDoor.RerankFlow[] = [];
  await ranking.rerank.supervise({ stateOf: async () => 'missing', add: async (flow) => void flows.push(flow) });
  const ranges = flows.flatMap((flow) => flow.ranges);
  const score = async (): Promise<void> => {
    for (let range = ranges.shift(); range !== undefined; range = ranges.shift()) {
      await ranking.rerank.scoreRange(started.run, range);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_RANGES }, score));
  const outcome = await ranking.rerank.finish(started.run);
  if (outcome !== 'switched') throw new Error(`a re-rank ended with ${outcome}`);
}

/** Seeds operators that can submit through the api at `baseUrl`: each has an account and a device key. */
async function seedSubmitters({ count, baseUrl }: { readonly count: number; readonly baseUrl: string }) {
  const first = await seedPopulation({ mongo, connection, ranking }, count);
  const accounts = createAccounts({ connection, clock: Date.now });
  await accounts.ensureIndexes();
  const submitters: Submitter[] = [];
  const token = { scope: SCOPE, audience: baseUrl, issuer: new URL(baseUrl).origin, lifetimeSeconds: TOKEN_LIFETIME_S };
  const enrol = async (): Promise<void> => {
    while (submitters.length < count) {
      const [operator, codename] = [first + submitters.length, benchCodename(submitters.length)];
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const submitter = { codename, key: privateKey.export({ format: 'jwk' }), kid: '', token: '' };
      submitters.push(submitter);
      const { subject } = await accounts.create({ operator });
      const proof = signDeviceProof(codename, privateKey, Date.now());
      const jwk = publicKey.export({ format: 'jwk' });
      const enrolment = await accounts.devices.enrol({ operator, codename, jwk, proof });
      if (enrolment.kind !== 'enrolled') throw new Error(`enrolling a key returned ${enrolment.kind}`);
      submitter.kid = enrolment.device.kid;
      submitter.token = await accounts.signingKeys.mintAccessToken({ ...token, subject });
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_ENROLMENTS }, enrol));
  return submitters;
}
