import { expect } from 'chai';
import { openTestApi, type TestApi } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

describe('api: joined profiles', () => {
  const test = useFixture(() =>
    openTestApi({
      context: ({ board }) => ({
        board: {
          ...board,
          view: () => ({ ...board.view(), version }),
          profile: async (codename) => {
            begun.push(codename);
            if (fail) throw new Error('out of reach');
            return board.profile(codename);
          },
        },
      }),
    }),
  );
  let version = 1;
  let fail = false;
  const begun: string[] = [];

  before(() => test().ranking.operators.enrol({ codename: 'joined-one' }));

  beforeEach(() => begun.splice(0));

  const read: TestApi['api']['ctx']['board']['profile'] = (codename) => test().api.ctx.board.profile(codename);

  it('are read once for concurrent requests, and again after that', async () => {
    const profiles = await Promise.all([read('joined-one'), read('joined-one'), read('nobody-here')]);
    expect(profiles.map((profile) => profile?.codename ?? null)).to.deep.equal(['joined-one', 'joined-one', null]);
    expect(begun).to.deep.equal(['joined-one', 'nobody-here']);
    await read('joined-one');
    expect(begun).to.have.length(3);
  });

  it('are not joined across board versions', async () => {
    const first = read('joined-one');
    version += 1;
    await Promise.all([first, read('joined-one')]);
    expect(begun).to.have.length(2);
  });

  it('fail for all concurrent requests, and are read again after that', async () => {
    fail = true;
    const outcomes = await Promise.allSettled([read('joined-one'), read('joined-one')]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    await read('joined-one').catch(() => undefined);
    expect(begun).to.have.length(2);
  });
});
