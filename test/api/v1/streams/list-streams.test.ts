import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import { openTestApi, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const counts = (output: number) => ({ platform: 'codex-cli', input: 10, output, cache_read: 300, cache_write: 4 });

describe('api: GET /streams', () => {
  const test = useFixture(openTestApi);
  let operator: TestOperator;

  before(async () => {
    operator = await test().operator('streams-owner');
  });

  const list = async (query = '') =>
    (await test().get(`/api/v1/streams${query}`, { authorization: `Bearer ${operator.token}` })).json;
  const submit = async (stream: string, output: number): Promise<void> => {
    const body = test().snapshot(operator, { output, platform: 'codex-cli' }, { stream });
    const { status } = await test().post('/api/v1/snapshots', operator.token, body, { prefer: 'wait=10' });
    expect(status).to.equal(200);
  };
  const grewNow = () => ({ last_grew_at: new Date(Math.ceil((test().now + 1) / HOUR_MS) * HOUR_MS).toISOString() });

  it('lists none before the first snapshot, and then each ledger with its newest counts', async () => {
    expect(await list()).to.deep.equal({ limit: 64, streams: [], retired: [] });
    await submit('ledger-one', 20);
    await submit('ledger-two', 30);
    await submit('ledger-two', 40);
    expect(await list()).to.deep.equal({
      limit: 64,
      streams: [
        { stream: 'ledger-one', epoch: 0, ...counts(20), ...grewNow() },
        { stream: 'ledger-two', epoch: 0, ...counts(40), ...grewNow() },
      ],
      retired: [],
    });
  });

  it('sums those that stopped growing a week ago, until they grow again, and lists those of a ledger', async () => {
    const first = grewNow();
    test().now += 8 * DAY_MS;
    await test().ranking.advanceHour();
    operator = { ...operator, token: await test().token(operator.operator) };
    await submit('ledger-three', 50);
    expect(await list()).to.deep.equal({
      limit: 64,
      streams: [{ stream: 'ledger-three', epoch: 0, ...counts(50), ...grewNow() }],
      retired: [{ streams: 2, ...counts(60), input: 20, cache_read: 600, cache_write: 8 }],
    });
    expect(await list('?stream=ledger-two')).to.deep.equal({
      limit: 64,
      streams: [{ stream: 'ledger-two', epoch: 0, ...counts(40), ...first }],
      retired: [],
    });
    expect(await list('?stream=unknown-ledger')).to.deep.include({ streams: [], retired: [] });
    await submit('ledger-one', 21);
    expect(await list()).to.deep.include({ retired: [{ streams: 1, ...counts(40) }] });
  });
});
