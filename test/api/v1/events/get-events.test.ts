import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { type BoardSubscriber, type SubscribeOptions, subscribeTo } from '../../../support/board-subscriber.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestApi, TEST_NOW, type TestApi } from '../../../support/test-api.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { requestText } from '../../../support/wire.ts';
import { listAt } from '../../conformance.ts';

const FRAME_MS = 20;

/** Operators whose Yields fall from the first to the last. */
async function addOperators(test: TestApi, codenames: readonly string[], output = 1_000): Promise<number[]> {
  const numbers: number[] = [];
  for (const [index, codename] of codenames.entries()) {
    const counts = { input: 100, output: output - index, cache_read: 1_000, cache_write: 0 };
    const usage = [{ asOf: TEST_NOW - HOUR_MS, ledger: 'ledger-1', platform: 'codex', epoch: 0, counts }];
    numbers.push(await test.ranking.operators.import([{ codename, displayName: null, usage }]));
  }
  await test.ranking.rebuildBoard();
  await test.publish();
  return numbers;
}

const NAMES = ['first-one', 'second-one', 'third-one'] as const;

const frame = (subscriber: BoardSubscriber, index: number) =>
  eventually(`frame ${index}`, () => subscriber.frames[index]);

describe('GET /events', () => {
  const open = useFreshFixture(() =>
    openTestApi({
      settings: { eventBounds: { frameMs: FRAME_MS, commentMs: FRAME_MS, maxOfClient: 3, maxSubscriptions: 5 } },
    }),
  );
  let numbers: number[];
  let subscribers: BoardSubscriber[];

  beforeEach(async () => {
    subscribers = [];
    numbers = await addOperators(open(), NAMES);
  });
  afterEach(() => {
    for (const subscriber of subscribers) subscriber.close();
  });

  const port = (): number => Number(new URL(open().origin).port);
  async function subscribe(options: SubscribeOptions = {}): Promise<BoardSubscriber> {
    const subscriber = await subscribeTo(port(), options);
    subscribers.push(subscriber);
    return subscriber;
  }
  const rowsOf = async (query = '') =>
    listAt((await open().get(`/api/v1/leaderboard?limit=100${query}`)).json, 'entries');

  const isFull = async (): Promise<boolean> => {
    const subscriber = await subscribe();
    subscriber.close();
    return subscriber.response.statusCode === 429;
  };

  it('gives a new client the rows of the leaderboard, on both hosts, for no cache and no buffer', async () => {
    for (const path of ['/api/v1/events', '/events', '/events?window=7d']) {
      const subscriber = await subscribe({ path });
      const { data, id, event } = await frame(subscriber, 0);
      expect(subscriber.response.statusCode).to.equal(200);
      expect(subscriber.response.headers).to.include({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
      });
      expect(event).to.equal('board');
      const window = path.includes('7d') ? '7d' : 'all_time';
      expect(data.entries).to.deep.equal(await rowsOf(`&window=${window}`));
      const { generation, version } = open().api.ctx.board.view();
      expect(id).to.equal(`${generation}-${version}`);
      expect(data).to.include({ board_version: version, total_operators: 3, methodology: 1, window, platform: null });
      expect(subscriber.retries).to.have.length(1);
      subscriber.close();
    }
  });

  it('gives one frame to all for a new version: what changed, who left, and the totals', async () => {
    const [one, other] = [await subscribe(), await subscribe()];
    await Promise.all([frame(one, 0), frame(other, 0)]);
    await open().ranking.operators.amend(numbers[2]!, { displayName: 'The Third' });
    await open().publish();
    const renamed = await frame(one, 1);
    expect(renamed).to.deep.include({ event: 'change' });
    expect(renamed.data).to.deep.include({ left: [], places: [2], total_operators: 3 });
    expect(renamed.data.entries.map(({ codename }) => codename)).to.deep.equal(['third-one']);
    await open().ranking.operators.amend(numbers[0]!, { listed: false });
    await open().publish();
    const hidden = await frame(one, 2);
    expect(hidden.data).to.deep.include({ left: ['first-one'], total_operators: 2 });
    expect(one.rows()).to.deep.equal(await rowsOf());
    await open().ranking.operators.erase(numbers[1]!);
    await open().publish();
    expect((await frame(one, 3)).data.left).to.deep.equal(['second-one']);
    expect(one.rows()).to.deep.equal(await rowsOf());
    await frame(other, 3);
    expect(other.frames).to.deep.equal(one.frames);
  });

  it('gives all rows to a client that was away, and none to one that has the present ones', async () => {
    const first = await subscribe();
    await frame(first, 0);
    first.close();
    const back = await subscribe({ former: first });
    await eventually('a comment', () => back.comments() > 0);
    expect(back.frames).to.deep.equal([]);
    back.close();
    await addOperators(open(), ['fourth-one'], 5_000);
    const late = await subscribe({ former: back });
    expect(await frame(late, 0)).to.deep.include({ event: 'board' });
    expect(late.rows()).to.deep.equal(await rowsOf());
    // It goes on from there.
    await addOperators(open(), ['fifth-one'], 6_000);
    await frame(late, 1);
    expect(late.rows()).to.deep.equal(await rowsOf());
  });

  it('follows the board of a platform, which who is hidden leaves with the next version', async () => {
    const rank = async (): Promise<void> => {
      expect(await open().ranking.platforms.rank(undefined, UNPACED)).to.equal('published');
      await open().publish();
    };
    await rank();
    const path = '/api/v1/events?platform=codex';
    const subscriber = await subscribe({ path });
    expect((await frame(subscriber, 0)).data).to.deep.include({ platform: 'codex', total_operators: 3 });
    expect(subscriber.rows()).to.deep.equal(await rowsOf('&platform=codex'));
    await open().ranking.operators.amend(numbers[0]!, { listed: false });
    await open().publish();
    expect((await frame(subscriber, 1)).data.left).to.deep.equal(['first-one']);
    await addOperators(open(), ['fourth-one'], 5_000);
    await rank();
    await eventually('the new row', () => subscriber.rows().some(({ codename }) => codename === 'fourth-one'));
    expect(subscriber.rows()).to.deep.equal(await rowsOf('&platform=codex'));
    // Another process can have read the rows of the same version differently.
    const back = await subscribe({ path, former: subscriber });
    expect(await frame(back, 0)).to.include({ event: 'board', id: subscriber.lastId() });
  });

  it('refuses what is no board, and the subscriptions of one client, and of all, beyond their bounds', async () => {
    const codeOf = async (options: SubscribeOptions): Promise<unknown> => {
      const { response, text, ended } = await subscribe(options);
      await eventually('the end', ended);
      return [response.statusCode, JSON.parse(text()).code, response.headers['retry-after']];
    };
    expect(await codeOf({ path: '/events?window=8d' })).to.deep.equal([400, 'window_invalid', undefined]);
    expect(await codeOf({ path: '/events?platform=none' })).to.deep.equal([400, 'platform_unknown', undefined]);
    const refused = [429, 'rate_limited', '60'];
    const first = [await subscribe(), await subscribe(), await subscribe()];
    expect(await codeOf({})).to.deep.equal(refused);
    for (const localAddress of ['127.0.0.2', '127.0.0.3'])
      expect((await subscribe({ localAddress })).response.statusCode).to.equal(200);
    expect(await codeOf({ localAddress: '127.0.0.4' }), 'of all').to.deep.equal(refused);
    first[0]?.close();
    await eventually('a free place', async () => (await subscribe()).response.statusCode === 200);
  });

  it('gives places back that HEAD, and responses behind others, took', async () => {
    for (let count = 0; count < 8; count += 1) {
      const { status, headers, text } = await open().send('/api/v1/events', { method: 'HEAD' });
      expect([status, headers.get('content-type'), text]).to.deep.equal([200, 'text/event-stream', '']);
    }
    const socket = connect(port(), '127.0.0.1');
    socket.write(requestText('GET', '/events', ['Host', 'upsilon.test']).repeat(3));
    await once(socket, 'data');
    await eventually('three places taken', isFull);
    socket.destroy();
    await eventually('all places free', async () => !(await isFull()));
  });

  it('ends with a time to come back that differs, when the process closes', async () => {
    const all = [await subscribe(), await subscribe(), await subscribe()];
    await Promise.all(all.map((one) => frame(one, 0)));
    open().api.releaseWaiters();
    await eventually('the end', () => all.every(({ ended }) => ended()));
    const late = await subscribe();
    await eventually('its end', late.ended);
    expect(late.frames).to.deep.equal([]);
    const times = [...all.map(({ retries }) => retries.at(-1)!), ...late.retries];
    for (const time of times) expect(time).to.be.within(1_000, 10_000);
    expect(new Set(times).size).to.be.above(1);
    for (const { retries } of all) expect(retries).to.have.length(2);
  });
});
