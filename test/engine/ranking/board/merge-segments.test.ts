import { expect } from 'chai';
import type { Committer, FailpointName } from '../../../../engine/ranking/index.ts';
import { type BoardState, segmentsAfter, stateOf } from '../../../../engine/ranking/read/board-state.ts';
import type { ManifestDocument } from '../../../../engine/ranking/storage/board-manifest.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { entriesOn } from '../../../support/board-entries.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const MAX_SEGMENTS = 2;

describe('a merge of segments', () => {
  const world = useFreshFixture(openRankingWorld);
  let committer: Committer;
  /** The board before the merge. */
  let former: BoardState | null;

  beforeEach(async () => {
    const failpoint = async (failpointName: FailpointName): Promise<void> => {
      if (failpointName !== 'merge.segment_written') return;
      const { board, parts } = openStores(world().connection);
      former = await stateOf(parts, (await board.read())!, null);
    };
    committer = world()
      .another({ maxSegments: MAX_SEGMENTS, failpoint })
      .createCommitter(() => undefined, rethrow);
  });

  afterEach(() => committer.close());

  async function commit(operator: number): Promise<ManifestDocument> {
    const entry = world().entry(operator, { input: 1, output: operator, cache_read: 1 });
    await submitBatch(world().ranking, [entry]);
    await committer.tick();
    return (await openStores(world().connection).board.read())!;
  }

  it('happens above the limit, and records the versions of the merged segment', async () => {
    const manifests: ManifestDocument[] = [];
    for (let times = 0; times <= MAX_SEGMENTS; times++)
      manifests.push(await commit(await world().enrol(`merged-${times}`)));
    const [first, full, merged] = manifests;
    expect(full!.segments.map(({ from, to }) => [from, to])).to.deep.equal([
      [first!.version, first!.version],
      [full!.version, full!.version],
    ]);
    expect(merged!.segments.map(({ from, to }) => [from, to])).to.deep.equal([[first!.version, full!.version + 1]]);
    expect(
      segmentsAfter(merged!, former!.base, former!),
      'segments that a reader of the former version has to read',
    ).to.deep.equal([]);
    const reader = await world().ranking.openBoardReader(() => undefined);
    expect((await entriesOn(reader, 'all_time', 0, 9)).length).to.equal(MAX_SEGMENTS + 1);
    await reader.close();
  });
});
