import { expect } from 'chai';
import { mongo } from 'mongoose';
import { appendBatch } from '../../../../engine/ranking/ingest/append-batch.ts';
import { createSnapshotLog } from '../../../../engine/ranking/storage/snapshots.ts';
import type { LogEntry } from '../../../../engine/ranking/types.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { snapshotsOf, withInserts } from '../../../support/snapshot-inserts.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const lost = () => new mongo.MongoNetworkError('connection closed');

describe('the append of a batch', () => {
  const world = useFixture(openRankingWorld);
  const operator = useFixture(() => world().enrol('batch-writer'));

  const some = () => world().entry(operator(), { input: 1, output: 2, cache_read: 3 });

  /** Appends; each failure comes after its attempt stored its first `stored` entries. */
  function appendFailing(entries: readonly LogEntry[], failures: readonly Error[], stored = 1) {
    const left = [...failures];
    const snapshots = withInserts(snapshotsOf(world().connection), async (run, command) => {
      const failure = left.shift();
      if (failure === undefined) return run(command);
      await run({ ...command, documents: command['documents'].slice(0, stored) });
      throw failure;
    });
    const stores = { log: createSnapshotLog(snapshots) };
    return appendBatch({ stores, clock: () => world().now, failpoint: async () => undefined }, entries);
  }

  it('is tried once more as another batch, because the first may have its verdict', async () => {
    const [known, first, second] = [some(), some(), some()];
    const [earlier] = await world().ranking.log.append([known]);
    const outcomes = await appendFailing([first, known, second, second], [lost()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['repeated', 'repeated', 'stored', 'repeated']);
    const batches = outcomes.map((outcome) => (outcome.kind === 'conflict' ? '' : outcome.batch));
    expect(batches[1]).to.equal(earlier?.kind === 'stored' ? earlier.batch : null);
    expect(batches[3], 'the same entry twice').to.equal(batches[2]);
    const logged = await Promise.all([batches[0]!, batches[2]!].map((batch) => world().ranking.log.ofBatch(batch)));
    expect(logged.map((entries) => entries.map(({ jti }) => jti))).to.deep.equal([[first.jti], [second.jti]]);
  });

  const unconfirmed = new mongo.MongoWriteConcernError({
    ok: 1,
    writeConcernError: { code: 64, errmsg: 'waiting for replication' },
  });
  const nowhere = new mongo.MongoServerSelectionError('no server', Object.assign(Object.create(null), {}));

  for (const [what, failures] of Object.entries({
    'the connection is lost twice': [lost(), lost()],
    'a majority does not journal it, twice': [unconfirmed, unconfirmed],
    'no server is found, without a second wait': [nowhere],
    'the store refuses it': [new mongo.MongoServerError({ message: 'refused', code: 121 })],
  })) {
    it(`fails when ${what}`, async () => {
      const error: unknown = await appendFailing([some(), some()], failures).catch((thrown: unknown) => thrown);
      expect(error).to.equal(failures.at(-1));
    });
  }
});
