import { expect } from 'chai';
import { followList } from '../../../engine/accounts/follow-list.ts';
import { LIST_FOLLOW_MS } from '../../../engine/accounts/limits.ts';

describe('a followed list', () => {
  let now: number;
  /** Ends the reads in the order of their beginning. */
  let reads: (() => void)[];
  let follow: () => Promise<unknown>;

  beforeEach(() => {
    now = 0;
    reads = [];
    ({ follow } = followList(
      () => new Promise<never[]>((resolve) => reads.push(() => resolve([]))),
      () => now,
    ));
  });

  async function endRead(): Promise<void> {
    reads.shift()?.();
    await new Promise(setImmediate);
  }

  it('is read again by a request that joined a read which began too long ago', async () => {
    let followed = false;
    void follow().then(() => (followed = true));
    now += LIST_FOLLOW_MS;
    await endRead();
    expect({ followed, reads: reads.length }).to.deep.equal({ followed: false, reads: 1 });
    await endRead();
    expect({ followed, reads: reads.length }).to.deep.equal({ followed: true, reads: 0 });
  });

  it('delays no request while it is recent, and is read in the background once it is a second old', async () => {
    void follow();
    await endRead();
    now += 999;
    await follow();
    expect(reads).to.have.length(0);
    now += 1;
    await Promise.all([follow(), follow()]);
    expect(reads).to.have.length(1);
    await endRead();
  });

  it('finds an entry that became visible after a later one was read, from a writer whose clock is behind', async () => {
    const visible = [{ _id: 'later', at: new Date(500_000), expires_at: new Date(900_000) }];
    now = 500_000;
    const list = followList(
      async (from) => visible.filter(({ at }) => at >= from),
      () => now,
    );
    expect([...(await list.follow()).keys()]).to.deep.equal(['later']);
    visible.push({ _id: 'earlier', at: new Date(450_000), expires_at: new Date(900_000) });
    now += LIST_FOLLOW_MS;
    expect([...(await list.follow()).keys()]).to.deep.equal(['later', 'earlier']);
  });
});
