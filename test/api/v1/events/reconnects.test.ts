import { expect } from 'chai';
import { createApp } from '../../../../api/app.ts';
import { closeHttpServer, createHttpServer } from '../../../../api/http/http-server.ts';
import { boardId } from '../../../../api/v1/events/board-rows.ts';
import { HOUR_MS } from '../../../../config/units.ts';
import { type BoardSubscriber, subscribeTo } from '../../../support/board-subscriber.ts';
import { eventually } from '../../../support/eventually.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import { runsOf } from '../../../support/long-run.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';
import { openTestApi, TEST_NOW, type TestApi } from '../../../support/test-api.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { listAt, member } from '../../conformance.ts';

const SCHEDULES = runsOf(2, 1_000, 'EVENT_SCHEDULES');
const STEPS = 8;
const PROCESSES = 2;
const CLIENTS = 4;
/** More than a frame has rows. */
const OPERATORS = 115;
const QUERIES = ['', '?window=7d', '?platform=codex'] as const;

/** One more process of the api, over a board reader of its own that is sometimes out of reach of the store. */
async function startProcess(test: TestApi) {
  const reader = await test.ranking.openBoardReader(rethrow);
  const world = { isCut: false };
  const board = {
    ...reader,
    withBoardView: ((query) =>
      world.isCut
        ? Promise.reject(new Error('out of reach'))
        : reader.withBoardView(query)) as typeof reader.withBoardView,
  };
  const app = createApp({ ...test.api.ctx, board });
  const supervised = createHttpServer(app.listener, test.settings);
  const port = await listenOnFreePort(supervised.server);
  return {
    world,
    reader,
    port,
    async close(): Promise<void> {
      await closeHttpServer(supervised, app);
      await app.close();
      await reader.close();
    },
  };
}

type Process = Awaited<ReturnType<typeof startProcess>>;

interface Client {
  readonly query: (typeof QUERIES)[number];
  process: Process;
  subscriber: BoardSubscriber;
}

/** Operators with few different Yields: most share theirs with others. */
async function addOperators(test: TestApi, random: SeededRandom, codenames: readonly string[]): Promise<number[]> {
  const first = await test.ranking.operators.import(
    codenames.map((codename) => {
      const counts = { input: 100, output: 100 * random.integer(1, 8), cache_read: 1_000, cache_write: 0 };
      const usage = [
        { asOf: TEST_NOW - HOUR_MS, ledger: 'ledger-1', platform: random.pick(['codex', 'amp']), epoch: 0, counts },
      ];
      return { codename, displayName: null, usage };
    }),
  );
  await test.ranking.rebuildBoard();
  return codenames.map((_, index) => first + index);
}

async function connect(client: Pick<Client, 'query' | 'process'>, former?: BoardSubscriber): Promise<BoardSubscriber> {
  return subscribeTo(client.process.port, { path: `/api/v1/events${client.query}`, former });
}

describe('subscribers of a board', function () {
  this.timeout(1_800_000 + SCHEDULES * 20_000);
  const seed = runSeed();
  const open = useFixture(() => openTestApi({ settings: { eventBounds: { frameMs: 2 } } }));
  let numbers: number[];
  let made = 0;
  const newName = (): string => `operator-${(made++).toString(36)}`;
  const names: string[] = [];

  before(async () => {
    numbers = await addOperators(open(), seededRandom(seed), Array.from({ length: OPERATORS }, newName));
    await open().publish();
  });

  /** Changes records in one way of many, and publishes. */
  async function change(random: SeededRandom): Promise<void> {
    const { operators, platforms } = open().ranking;
    const operator = random.pick(numbers);
    const kind = random.integer(0, 6);
    if (kind <= 1) await operators.amend(operator, { listed: kind === 0 });
    if (kind === 2) await operators.amend(operator, { displayName: `The ${random.integer(0, 9)}` });
    if (kind === 3) {
      // A name that an operator gave up can be the next one's.
      const former = (await operators.byNumber(operator))?.codename;
      const codename =
        names.length > 0 && random.next() < 0.5 ? names.splice(random.integer(0, names.length - 1), 1)[0]! : newName();
      if (await operators.amend(operator, { codename })) names.push(...(former === undefined ? [] : [former]));
    }
    if (kind === 4) {
      await operators.erase(operator);
      numbers = numbers.filter((one) => one !== operator);
    }
    if (kind >= 4 && numbers.length < OPERATORS + 5)
      numbers.push(...(await addOperators(open(), random, [newName(), newName()])));
    if (kind === 6) await platforms.rank(undefined, UNPACED);
    await open().publish();
  }

  /** The store loses the last versions that it wrote, and gives their numbers again. */
  async function loseVersions(random: SeededRandom): Promise<void> {
    const manifests = open().connection.collection('board_manifests');
    const kept = await manifests.findOne({});
    for (let versions = random.integer(1, 2); versions > 0; versions -= 1) await change(random);
    await manifests.replaceOne({}, kept ?? {});
    await open().api.ctx.board.refresh();
  }

  /** Waits until a client has the version of its process; its rows are those of the leaderboard then. */
  async function expectRows({ query, process, subscriber }: Client, where: string): Promise<void> {
    if (query.includes('platform')) {
      // Rows of a platform join the present records: those of a version are final once the next records come with a next version.
      await open().ranking.operators.amend(numbers[0]!, { displayName: newName() });
      await open().publish();
      await process.reader.refresh();
    }
    const [rows, entries] = await eventually(`the newest version, ${where}`, async () => {
      const id = boardId(process.reader.view());
      if (subscriber.lastId() !== id) return false;
      const asked = await fetch(
        `http://127.0.0.1:${process.port}/api/v1/leaderboard${query === '' ? '?' : `${query}&`}limit=100`,
      );
      const board: unknown = await asked.json();
      // The process may have found a newer version meanwhile.
      if (boardId(process.reader.view()) !== id || subscriber.lastId() !== id) return false;
      expect(id, where).to.match(new RegExp(`-${String(member(board, 'board_version'))}$`));
      return [subscriber.rows(), listAt(board, 'entries')] as const;
    });
    expect(rows, where).to.deep.equal(entries);
  }

  for (let schedule = 0; schedule < SCHEDULES; schedule += 1) {
    it(`have the rows of the leaderboard, whatever happened (seed ${seed + schedule})`, async () => {
      const random = seededRandom(seed + schedule);
      const processes = await Promise.all(Array.from({ length: PROCESSES }, () => startProcess(open())));
      const clients: Client[] = [];
      for (let index = 0; index < CLIENTS; index += 1) {
        const client = { query: QUERIES[index % QUERIES.length]!, process: random.pick(processes) };
        clients.push({ ...client, subscriber: await connect(client) });
      }
      for (let step = 0; step < STEPS; step += 1) {
        const kind = random.integer(0, 5);
        if (kind <= 2) await change(random);
        if (kind === 3) await loseVersions(random);
        if (kind === 4) {
          const at = random.integer(0, processes.length - 1);
          await processes[at]!.close();
          processes[at] = await startProcess(open());
        }
        for (const { world } of processes) world.isCut = kind === 5;
        if (kind === 5) await change(random);
        for (const process of processes) if (random.next() < 0.7) await process.reader.refresh();
        for (const { world } of processes) world.isCut = false;
        for (const client of clients) {
          const hasEnded = !processes.includes(client.process);
          if (!hasEnded && random.next() < 0.7) continue;
          client.subscriber.close();
          client.process = random.pick(processes);
          client.subscriber = await connect(client, client.subscriber);
        }
        for (const [index, client] of clients.entries()) await expectRows(client, `step ${step}, client ${index}`);
      }
      for (const { subscriber } of clients) subscriber.close();
      for (const process of processes) await process.close();
    });
  }
});
