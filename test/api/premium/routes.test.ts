import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  BoardExport,
  PopulationDistribution,
  TierPopulations,
  WINDOWS,
  type Window,
} from '../../../engine/contract/index.ts';
import type { BoardRow } from '../../../engine/ranking/index.ts';
import { HOSTILE, HOSTILE_NAME } from '../../support/site-field.ts';
import type { Answered } from '../../support/test-api.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { startFacilitator } from '../../support/x402/local-facilitator.ts';
import { presented, signPayment } from '../../support/x402/payments.ts';
import { scriptedFacilitator } from '../../support/x402/scripted-facilitator.ts';
import { openShopWithPopulation } from './open-shop.ts';

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const payer = privateKeyToAccount(generatePrivateKey());

describe('premium: analytics', () => {
  const facilitator = useFixture(() => startFacilitator(scriptedFacilitator()));
  const test = useFixture(() => openShopWithPopulation({ payTo: PAYEE, facilitatorUrl: facilitator().url }));

  async function buy(path: string, units: bigint, headers: Record<string, string> = {}): Promise<Answered> {
    const seconds = Math.floor(test().now / 1_000);
    const payment = await signPayment(payer, {
      to: PAYEE,
      units,
      validAfter: seconds - 60,
      validBefore: seconds + 300,
    });
    return test().get(path, { ...presented(payment), ...headers });
  }

  async function bought(path: string, units: bigint): Promise<Answered> {
    const answered = await buy(path, units);
    expect(answered.status, answered.text).to.equal(200);
    return answered;
  }

  /** Every row of a window, by the board's own slices. */
  const rowsOf = (window: Window): Promise<readonly BoardRow[]> =>
    test()
      .ranking.openBoardReader(() => undefined)
      .then(async (reader) => {
        const rows = await reader.withBoardView((board) => board.rows(window, 0, 10_000));
        await reader.close();
        return rows;
      });

  it('count the operators of every tier, in every window', async () => {
    const { json, headers } = await bought('/api/analytics/tiers', 10_000n);
    expect(headers.get('board-version')).to.equal(String(json?.['board_version']));
    for (const [index, window] of WINDOWS.entries()) {
      const rows = await rowsOf(window);
      const report = TierPopulations.parse(json).windows[index]!;
      expect(report.total_operators).to.equal(rows.length);
      expect(report.tiers.map(({ class_tier }) => class_tier)).to.deep.equal([
        'ARCH+',
        'ARCH',
        'POWER',
        'BASE',
        'SEEKER',
        'REFINER',
        'BEARER',
        'IGNITER',
      ]);
      for (const { class_tier, operators, share } of report.tiers) {
        expect(operators, class_tier).to.equal(rows.filter((row) => row.class_tier === class_tier).length);
        expect(share).to.equal(operators / rows.length);
      }
    }
  });

  for (const platform of [null, 'claude-code', 'sample-editor'] as const) {
    it(`spread the scores of ${platform ?? 'the whole field'}`, async () => {
      const query = platform === null ? '?window=7d' : `?window=7d&platform=${platform}`;
      const report = PopulationDistribution.parse((await bought(`/api/analytics/distribution${query}`, 20_000n)).json);
      const all = await rowsOf('7d');
      const rows = all.filter((row) => platform === null || row.platform === platform);
      expect(report).to.include({ window: '7d', platform, operators: rows.length });
      for (const score of ['yield_', 'leverage', 'velocity'] as const) {
        const sorted = rows.map((row) => row[score]).toSorted((a, b) => a - b);
        const middle = (sorted.length - 1) / 2;
        const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
        expect(report[score]?.quantiles.p50, score).to.be.closeTo(median, Math.abs(median) * 1e-12);
        expect(report[score]).to.deep.include({ least: sorted[0], greatest: sorted.at(-1) });
        expect(report[score]?.mean).to.be.closeTo(
          sorted.reduce((a, b) => a + b, 0) / sorted.length,
          1e-9 * sorted.at(-1)!,
        );
      }
      const counted = report.platforms.map(({ platform: name, operators }) => [name, operators]);
      const names = new Set(all.map((row) => row.platform));
      expect(counted).to.have.deep.members(
        [...names].map((name) => [name, all.filter((row) => row.platform === name).length]),
      );
    });
  }

  it('sell nothing about a platform that no operator uses', async () => {
    const settled = facilitator().calls.settle;
    const { status, json } = await buy('/api/analytics/distribution?platform=nobody-has-it', 20_000n);
    expect(status).to.equal(404);
    expect(json).to.include({ code: 'platform_unused' });
    expect(facilitator().calls.settle).to.equal(settled);
  });

  it('export a whole board as JSON', async () => {
    const { json, headers } = await bought('/api/analytics/export', 100_000n);
    const report = BoardExport.parse(json);
    const rows = await rowsOf('all_time');
    expect(report.entries).to.deep.equal(rows);
    expect(report).to.include({ window: 'all_time', total_operators: rows.length });
    expect(headers.get('board-version')).to.equal(String(report.board_version));
    expect(headers.get('content-disposition')).to.equal(
      `attachment; filename="upsilon-all_time-${report.board_version}.json"`,
    );
  });

  it('export a whole board as CSV, in which no name is a formula', async () => {
    const { text, headers } = await bought('/api/analytics/export?window=30d&format=csv', 100_000n);
    expect(headers.get('content-type')).to.match(/^text\/csv/);
    const rows = await rowsOf('30d');
    const lines = text.split('\r\n');
    expect(lines[0]).to.equal('rank,codename,display_name,percentile,platform,class_tier,yield_,leverage,velocity');
    expect(lines.at(-1)).to.equal('');
    expect(lines.slice(1, -1).map((line) => line.split(',', 2))).to.deep.equal(
      rows.map(({ rank, codename }) => [String(rank), codename]),
    );
    const hostile = lines.find((line) => line.includes(HOSTILE));
    expect(hostile).to.include(`"${HOSTILE_NAME.replaceAll('"', '""')}"`);
  });

  it('are compressed for those who take it, and the same for those who do not', async () => {
    const [zipped, plain] = [
      await buy('/api/analytics/export', 100_000n, { 'accept-encoding': 'gzip' }),
      await buy('/api/analytics/export', 100_000n, { 'accept-encoding': 'identity' }),
    ];
    expect(zipped.headers.get('content-encoding')).to.equal('gzip');
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(plain.text).to.equal(zipped.text);
  });

  it('are created once for concurrent buyers, and again when the board has advanced', async () => {
    const versions = new Set<unknown>();
    const answers = await Promise.all(Array.from({ length: 6 }, () => bought('/api/analytics/tiers', 10_000n)));
    for (const { json } of answers) versions.add(json?.['board_version']);
    expect(versions.size).to.equal(1);
    const stored = await test()
      .connection.db!.collection('sold_answers')
      .countDocuments({ key: '/api/analytics/tiers' });
    expect(stored).to.be.at.most(2);
    const operator = await test().operator('late-comer');
    const { token } = operator;
    await test().post('/api/v1/snapshots', token, test().snapshot(operator, { input: 7, cache_read: 9_000 }));
    await test().publish();
    test().now += 60_001;
    const { json } = await bought('/api/analytics/tiers', 10_000n);
    expect(json?.['board_version']).to.be.above(Number([...versions][0]));
  });

  it('are forgotten when nothing leads to them any more, and not before', async () => {
    const seconds = Math.floor(test().now / 1_000);
    const wishes = { to: PAYEE, units: 100_000n, validAfter: seconds - 60, validBefore: seconds + 300 } as const;
    const payment = presented(await signPayment(payer, wishes));
    const first = await test().get('/api/analytics/export?window=90d', payment);
    expect(first.status).to.equal(200);
    const receipt = { 'answer-receipt': first.headers.get('answer-receipt') ?? '' };
    const answers = test().connection.db!.collection('sold_answers');
    const pieces = test().connection.db!.collection('sold_answer_pieces');
    await answers.updateMany({}, { $set: { made_at: new Date(test().now - 2 * 3_600_000) } });
    await pieces.updateMany({}, { $set: { made_at: new Date(test().now - 2 * 3_600_000) } });
    await test().purchases.maintain();
    expect((await test().get('/api/analytics/export?window=90d', { ...payment, ...receipt })).text).to.equal(
      first.text,
    );
    test().now += 11 * 60_000;
    await test().purchases.maintain();
    expect(await answers.countDocuments()).to.equal(0);
    expect(await pieces.countDocuments()).to.equal(0);
  });
});
