import { expect } from 'chai';
import { type LogEntry } from '../../../../engine/ranking/index.ts';

import { openDatabase } from '../../../support/engines.ts';
import { committerOf, enrolDevice, openEngine, submitBatch } from '../../../support/open-engine.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { makeDeviceKey, signSnapshot, type TestDeviceKey } from '../../../support/signing.ts';
import { openTestQueues } from '../../../support/test-queues.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { NOW, run } from '../run.ts';

const SECONDS = NOW / 1_000;
const CODENAME = 'sample-heron';

describe('commands that repair', () => {
  const database = useFreshFixture(openDatabase);
  const engine = useFreshFixture(() => openEngine(database().connection, () => NOW));
  let operator: number;
  let own: TestDeviceKey;
  let stolen: TestDeviceKey;

  beforeEach(async () => {
    await run(database(), ['operator', 'create', CODENAME]);
    await engine().ranking.ensureBoard(PLAIN_METHODOLOGY);
    operator = (await engine().ranking.operators.find(CODENAME))?.operator ?? 0;
    [own, stolen] = [await enrolKey(), await enrolKey()];
    await submit(own, 'own-number-1', 10, NOW);
  });

  async function enrolKey(): Promise<TestDeviceKey> {
    const key = makeDeviceKey();
    await enrolDevice(engine().accounts, { operator, codename: CODENAME }, key, NOW);
    return key;
  }

  async function submit(key: TestDeviceKey, jti: string, output: number, receivedAt: number): Promise<string> {
    const payload = { codename: CODENAME, input: 1, output, cache_read: 2, cache_write: 0 };
    const signature = signSnapshot(key, payload, { jti, iat: SECONDS });
    const entry: LogEntry = { operator, jti, receivedAt, payload, signature };
    return submitBatch(engine().ranking, [entry]);
  }

  async function publish(): Promise<void> {
    const committer = committerOf(engine().ranking);
    while (await committer.tick());
    await committer.close();
  }

  async function outputs(): Promise<number | undefined> {
    return (await engine().ranking.log.findVerdict(operator, 'own-number-1'))?.totals?.output;
  }

  it('void the snapshots that a stolen key signed since a time, and revoke it', async () => {
    await submit(stolen, 'stolen-1', 500, NOW - 60_000);
    await submit(stolen, 'stolen-2', 900, NOW);
    expect(await outputs()).to.equal(910);
    const args = ['snapshots', 'void', CODENAME, '--key', stolen.kid, '--since', '2026-03-01T12:00Z'];
    const unconfirmed = await run(database(), args);
    expect(unconfirmed.status).to.equal(1);
    expect(unconfirmed.err).to.include('--yes');
    expect(await outputs()).to.equal(910);

    const { status, out } = await run(database(), [...args, '--yes', '--json']);
    expect({ status, out }).to.deep.equal({ status: 0, out: `{"codename":"${CODENAME}","voided":1}\n` });
    expect(await outputs()).to.equal(510);
    const revoked = (await engine().accounts.devices.list(operator)).filter(({ revoked_at }) => revoked_at !== null);
    expect(revoked.map(({ kid }) => kid)).to.deep.equal([stolen.kid]);
    expect((await run(database(), ['snapshots', 'void', CODENAME, '--jti', 'stolen-1', '--yes'])).out).to.match(
      /^Voided 1 /,
    );
    expect(await outputs()).to.equal(10);
  });

  it('void no snapshot that a job could still apply', async () => {
    const batch = await submit(stolen, 'stolen-1', 500, NOW);
    const opened = openTestQueues(database());
    await opened.queues.ingest.add('process-batch', { batch }, { jobId: batch });
    const args = ['snapshots', 'void', CODENAME, '--jti', 'stolen-1', '--yes'];
    expect((await run(database(), args)).err).to.include('has not ended');
    expect(await outputs()).to.equal(510);
    const byKey = ['snapshots', 'void', CODENAME, '--key', stolen.kid, '--since', '2026-03-01T12:00Z', '--yes'];
    expect((await run(database(), byKey)).err).to.include('has not ended');
    const revoked = (await engine().accounts.devices.list(operator)).filter(({ revoked_at }) => revoked_at !== null);
    expect(
      revoked.map(({ kid }) => kid),
      'so that none arrive under it meanwhile',
    ).to.deep.equal([stolen.kid]);
    await opened.close();
    expect((await run(database(), args)).status).to.equal(0);
  });

  it('report missing and invalid options', async () => {
    for (const options of [[], ['--jti', 'a', '--key', 'b'], ['--key', 'b'], ['--since', '2026-03-01']]) {
      const { status, err } = await run(database(), ['snapshots', 'void', CODENAME, ...options, '--yes']);
      expect({ status, err }).to.deep.include({ status: 1 });
      expect(err).to.include('give one snapshot, or a key and a time');
    }
    expect((await run(database(), ['snapshots', 'void', CODENAME, '--jti', 'never-sent', '--yes'])).err).to.include(
      'no such snapshot',
    );
    expect((await run(database(), ['snapshots', 'void', CODENAME, '--key', 'k', '--since', 'noon'])).err).to.include(
      'in UTC',
    );
    expect((await run(database(), ['devices', 'revoke', CODENAME, '--key', 'no-such-key'])).err).to.include(
      'has no device',
    );
  });

  it('revoke a device', async () => {
    expect((await run(database(), ['devices', 'revoke', CODENAME, '--key', own.kid])).status).to.equal(0);
    const device = (await engine().accounts.devices.list(operator)).find(({ kid }) => kid === own.kid);
    expect(device?.revoked_at).to.equal(new Date(NOW).toISOString());
  });

  it('verify the board and repair differences', async () => {
    await publish();
    expect(await run(database(), ['board', 'verify'])).to.deep.equal({ status: 0, out: 'Nothing differs.\n', err: '' });
    const operators = database().connection.collection<{ _id: number }>('operators');
    await operators.updateOne({ _id: operator }, { $set: { platforms: 'invented,,,' } });
    const found = await run(database(), ['board', 'verify']);
    expect(found.status).to.equal(1);
    expect(found.out).to.equal(`sample operator ${operator} platforms differ from the samples\n`);
    expect(found.err).to.match(/^Error: 1 part differs\./);
    const unconfirmed = await run(database(), ['board', 'verify', '--repair']);
    expect(unconfirmed.err).to.include('--yes');
    const repaired = await run(database(), ['board', 'verify', '--repair', '--yes', '--json']);
    expect(JSON.parse(repaired.out).repaired).to.deep.equal({
      rollups: 0,
      samples: 1,
      history: 0,
      rebuilt: false,
      platforms: false,
    });
    expect(JSON.parse((await run(database(), ['board', 'verify', '--json'])).out)).to.deep.equal({
      findings: [],
      undecided: 0,
      isExact: true,
      repaired: null,
    });
  });

  it('verify the boards of platforms, say whether they were recomputed, and have them made again', async () => {
    await publish();
    await engine().ranking.platforms.rank(undefined, UNPACED);
    expect((await run(database(), ['board', 'verify'])).out).to.equal('Nothing differs.\n');
    await submit(own, 'own-number-3', 99, NOW);
    await publish();
    const { out } = await run(database(), ['board', 'verify']);
    expect(out).to.match(/^Nothing differs[.]\nRecords changed since the boards of platforms were begun:/);
    const manifests = database().connection.collection('board_manifests');
    await manifests.updateOne({}, { $set: { 'platforms.bases.codex': 'no-such-base' } });
    const found = await run(database(), ['board', 'verify']);
    expect(found).to.deep.include({ status: 1 });
    expect(found.out).to.include('platforms no-such-base is missing\n');
    const repaired = await run(database(), ['board', 'verify', '--repair', '--yes']);
    expect(repaired.out).to.include('the boards of platforms are made again');
    expect(await engine().ranking.platforms.rank(undefined, UNPACED)).to.equal('published');
    expect((await run(database(), ['board', 'verify'])).out).to.equal('Nothing differs.\n');
  });

  it('recompute an operator', async () => {
    const operators = database().connection.collection<{ _id: number }>('operators');
    await operators.updateOne({ _id: operator }, { $set: { streams: Buffer.alloc(0) } });
    expect((await run(database(), ['snapshots', 'recompute', CODENAME, '--json'])).out).to.include('"recomputed":true');
    expect(await outputs()).to.equal(10);
  });

  it('remove an operator from the boards and return it', async () => {
    await publish();
    const ranked = async (): Promise<number> => {
      await publish();
      const reader = await engine().ranking.openBoardReader(() => undefined);
      const { totals } = reader.view();
      await reader.close();
      return totals.all_time;
    };
    expect(await ranked()).to.equal(1);
    expect((await run(database(), ['operator', 'unlist', CODENAME])).out).to.include('off every board');
    expect(await ranked()).to.equal(0);
    await submit(own, 'own-number-2', 77, NOW);
    expect((await run(database(), ['operator', 'list', CODENAME, '--json'])).out).to.include('"listed":true');
    expect(await ranked()).to.equal(1);
    expect(await outputs()).to.equal(77);
  });

  it('release a codename that was given up, and no other one', async () => {
    expect((await run(database(), ['codename', 'release', CODENAME, '--yes'])).err).to.include('is an operator');
    await engine().ranking.operators.rename(operator, 'sample-egret');
    expect((await engine().ranking.operators.enrol({ codename: CODENAME })).kind).to.equal('taken');
    expect((await run(database(), ['codename', 'release', CODENAME])).err).to.include('--yes');
    expect((await run(database(), ['codename', 'release', CODENAME, '--yes'])).out).to.equal(
      `${CODENAME} is available.\n`,
    );
    expect((await engine().ranking.operators.enrol({ codename: CODENAME })).kind).to.equal('enrolled');
  });
});
