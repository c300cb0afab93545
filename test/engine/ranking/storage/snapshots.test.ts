import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { createSnapshotLog } from '../../../../engine/ranking/storage/snapshots.ts';
import { timeOrderedId } from '../../../../engine/ranking/storage/unique-id.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { snapshotsOf, withInserts } from '../../../support/snapshot-inserts.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('the snapshot log', () => {
  const world = useFixture(openRankingWorld);
  const operator = useFixture(() => world().enrol('log-keeper'));

  const some = (output = 2) => world().entry(operator(), { input: 1, output, cache_read: 3 });

  it('accepts a repeated jti only with the same content', async () => {
    const entry = some();
    const [stored] = await world().ranking.log.append([entry]);
    expect(stored?.kind).to.equal('stored');
    const kinds = async (again: typeof entry): Promise<string[]> =>
      (await world().ranking.log.append([again])).map(({ kind }) => kind);
    expect(await kinds(entry)).to.deep.equal(['repeated']);
    // Other counts may carry the same signature: the entry is appended before verification.
    expect(await kinds({ ...entry, payload: { ...entry.payload, output: 9 } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, payload: { ...entry.payload, platform: 'codex-cli' } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, signature: `${entry.signature.slice(0, -4)}AAAA` })).to.deep.equal(['conflict']);
  });

  it('stores the new entries of a batch that repeats others', async () => {
    const known = some();
    const [first] = await world().ranking.log.append([known]);
    const [before, between, last] = [some(), some(), some()];
    const offered = [before, known, between, { ...known, payload: { ...known.payload, output: 9 } }, last];
    const outcomes = await world().ranking.log.append(offered);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['stored', 'repeated', 'stored', 'conflict', 'stored']);
    expect(outcomes[1]).to.deep.equal({ ...first, kind: 'repeated' });
    if (outcomes[0]?.kind !== 'stored') throw new Error('not stored');
    const logged = (await world().ranking.log.ofBatch(outcomes[0].batch)).map(({ jti }) => jti);
    expect(logged.sort()).to.deep.equal([before, between, last].map(({ jti }) => jti).sort());
  });

  it('erases the entries of one operator, and none of operators whose number has the same prefix', async () => {
    const log = createSnapshotLog(snapshotsOf(world().connection));
    const entries = [7, 70, 71, 8].map((number) => ({ ...some(), operator: number }));
    await log.append('batch-of-many', entries);
    await log.eraseOf(7);
    expect((await log.ofBatch('batch-of-many')).map((entry) => entry.operator)).to.deep.equal([70, 71, 8]);
  });

  it('returns the batches made from one moment on and before another', async () => {
    const log = createSnapshotLog(snapshotsOf(world().connection));
    const moments = [0, 1, 2, 3].map((passed) => world().now + 1_000 + passed);
    const batches = moments.map((moment) => timeOrderedId(moment));
    for (const batch of batches) await log.append(batch, [some()]);
    expect(await log.batchesBetween(moments[1]!, moments[3]!)).to.deep.equal(batches.slice(1, 3));
    expect(await log.nextBatchAt(moments[1]!)).to.equal(moments[1]);
  });

  it('acknowledges no entry that was reported as a duplicate and is gone', async () => {
    const entry = some();
    await world().ranking.log.append([entry]);
    const snapshots = withInserts(snapshotsOf(world().connection), async (run, command) => {
      const reply = await run(command);
      await snapshotsOf(world().connection).deleteOne({ _id: `${entry.operator}.${entry.jti}` });
      return reply;
    });
    const outcome = await createSnapshotLog(snapshots)
      .append('batch-of-the-repetition', [entry])
      .catch((error: unknown) => error);
    expect(outcome).to.be.an('error').with.property('message').that.includes('the store lost an entry');
  });

  const FAILURES: Readonly<Record<string, (reply: mongo.Document) => object>> = {
    'the store refuses an entry for another reason': ({ writeErrors: [failure], ...reply }) => ({
      ...reply,
      writeErrors: [{ ...failure, code: 121 }],
    }),
    'the store confirms fewer entries': ({ n, ...reply }) => ({ ...reply, n: n - 1 }),
    'the store confirms none by number': (reply) => ({ ...reply, n: undefined }),
  };

  for (const [what, spoil] of Object.entries(FAILURES)) {
    it(`acknowledges nothing when ${what}`, async () => {
      const known = some();
      await world().ranking.log.append([known]);
      const failing = withInserts(snapshotsOf(world().connection), async (run, command) => spoil(await run(command)));
      const outcome = await createSnapshotLog(failing)
        .append('batch-of-the-failure', [known, some()])
        .catch((error: unknown) => error);
      expect(outcome).to.be.an('error').with.property('message').that.includes('the store confirmed');
    });
  }
});
