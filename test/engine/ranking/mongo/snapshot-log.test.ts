import { expect } from 'chai';
import { mongo } from 'mongoose';
import { type Collections, openCollections } from '../../../../engine/ranking/mongo/collections.ts';
import { createSnapshotLog } from '../../../../engine/ranking/mongo/snapshot-log.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

describe('the log of snapshots', () => {
  let world: RankingWorld;
  let operator: number;

  before(async () => {
    world = await openRankingWorld();
    operator = await world.enrol('log-keeper');
  });

  after(() => world.close());

  const some = (output = 2) => world.entry(operator, { input: 1, output, cache_read: 3 });

  it('takes the same jti again only with the same content', async () => {
    const entry = some();
    const [stored] = await world.ranking.log.append([entry]);
    expect(stored?.kind).to.equal('stored');
    const kinds = async (again: typeof entry): Promise<string[]> =>
      (await world.ranking.log.append([again])).map(({ kind }) => kind);
    expect(await kinds(entry)).to.deep.equal(['repeated']);
    // One signature may stand over other counts: the body is not verified yet when the log is asked.
    expect(await kinds({ ...entry, payload: { ...entry.payload, output: 9 } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, payload: { ...entry.payload, platform: 'codex-cli' } })).to.deep.equal(['conflict']);
    expect(await kinds({ ...entry, signature: `${entry.signature.slice(0, -4)}AAAA` })).to.deep.equal(['conflict']);
  });

  it('stores the new entries of a group that repeats others', async () => {
    const known = some();
    const [first] = await world.ranking.log.append([known]);
    const [before, between, last] = [some(), some(), some()];
    const offered = [before, known, between, { ...known, payload: { ...known.payload, output: 9 } }, last];
    const outcomes = await world.ranking.log.append(offered);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['stored', 'repeated', 'stored', 'conflict', 'stored']);
    expect(outcomes[1]).to.deep.equal({ ...first, kind: 'repeated' });
    if (outcomes[0]?.kind !== 'stored') throw new Error('not stored');
    const logged = (await world.ranking.log.ofGroup(outcomes[0].group)).map(({ jti }) => jti);
    expect(logged.sort()).to.deep.equal([before, between, last].map(({ jti }) => jti).sort());
  });

  /** A log whose inserts that meet a duplicate fail as `spoil` says. */
  function logFailing(spoil: (error: mongo.MongoBulkWriteError) => void) {
    const { snapshots } = openCollections(world.connection);
    const insertMany: typeof snapshots.insertMany = async (...offered) => {
      try {
        return await snapshots.insertMany(...offered);
      } catch (error) {
        if (error instanceof mongo.MongoBulkWriteError) spoil(error);
        throw error;
      }
    };
    const get = (target: typeof snapshots, name: keyof typeof snapshots) => {
      if (name === 'insertMany') return insertMany;
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    };
    const failing = new Proxy(snapshots, { get: (target, name) => get(target, name as keyof typeof snapshots) });
    return createSnapshotLog({ snapshots: failing } as Pick<Collections, 'snapshots'> as Collections);
  }

  const FAILURES: Readonly<Record<string, (error: mongo.MongoBulkWriteError) => void>> = {
    'a majority did not journal the group': ({ result }) => {
      result.getWriteConcernError = () =>
        new mongo.MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waiting' } }) as never;
    },
    'the store refuses an entry for another reason': (error) => {
      const [failure] = [error.writeErrors].flat();
      error.writeErrors = [Object.create(failure!, { code: { value: 121 } })];
    },
    'the connection was lost, of which the driver names no failed entry': (error) => {
      error.writeErrors = [];
    },
  };

  for (const [what, spoil] of Object.entries(FAILURES)) {
    it(`acknowledges nothing when ${what}`, async () => {
      const known = some();
      await world.ranking.log.append([known]);
      const outcome = await logFailing(spoil)
        .append('group-of-the-failure', [known, some()])
        .catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(mongo.MongoBulkWriteError);
    });
  }
});
