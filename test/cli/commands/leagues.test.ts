import { expect } from 'chai';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { acceptAll, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SLUG = '-4bZq_random';
const CODE = '-c0de';
const LEAGUE = {
  slug: SLUG,
  name: 'The \u001b[31mteam',
  visibility: 'private',
  size: 2,
  owner: 'test-lantern',
  role: 'member',
};
const ROW = { codename: 'test-lantern', class_tier: 'POWER', yield_: 6_000, rank: 1, global_rank: null };

describe('upsilon league', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const service = useFreshFixture(() =>
    startService((request) => {
      const [, path = ''] = request.path.split('/api/v1');
      if (path === '/leagues') return { status: 200, body: { leagues: [LEAGUE] } };
      if (path.startsWith(`/leagues/${SLUG}/leaderboard?`)) {
        return {
          status: 200,
          body: {
            total_operators: 3,
            entries: [
              ROW,
              { ...ROW, codename: 'other', rank: 2, global_rank: 7 },
              { ...ROW, codename: 'waiting', rank: 3, held: true },
            ],
            held: [{ codename: 'unsettled', yield_: 7_000, would_be: 1 }],
          },
        };
      }
      if (path === `/leagues/${SLUG}?code=wrong`) {
        return {
          status: 404,
          body: {
            code: 'invitation_unknown',
            detail: 'There is no league with this invitation.',
            hint: 'Ask the owner for a new one.',
          },
        };
      }
      if (path === `/leagues/${SLUG}?code=${CODE}` || path === `/leagues/${SLUG}/join`)
        return { status: 200, body: LEAGUE };
      return acceptAll()(request);
    }),
  );
  const upsilon = (...args: readonly string[]) =>
    runCli(home(), ['league', ...args], {
      UPSILON_BASE_URL: service().baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
      UPSILON_CODENAME: 'test-lantern',
    });

  it('list: names them, and who sees each, as printable text', async () => {
    const { exit, stdout } = await upsilon();
    expect(exit).to.equal(0);
    expect(stdout).to.include(SLUG).and.to.include('2 members, seen by its members').and.to.not.include('\u001b[31m');
    expect(JSON.parse((await upsilon('list', '--json')).stdout).leagues).to.have.length(1);
  });

  it('board: shows the rows, also of a slug that begins with a hyphen', async () => {
    const { exit, stdout } = await upsilon('board', SLUG, '--window', '30d');
    expect(exit).to.equal(0);
    expect(stdout)
      .to.match(/1 +test-lantern +POWER +6,000 +-\n/)
      .and.to.match(/2 +other +POWER +6,000 +7\n/)
      .and.to.match(/3 +waiting +POWER +6,000 +not settled\n/)
      .and.to.match(/Not settled yet:\n +unsettled +7,000, would be rank 1\n/);
    expect(service().requests.at(-1)?.path).to.equal(`/api/v1/leagues/${SLUG}/leaderboard?limit=100&window=30d`);
    expect((await upsilon('board', SLUG, '--season', '2030-05-01')).exit).to.equal(0);
    expect(service().requests.at(-1)?.path).to.equal(`/api/v1/leagues/${SLUG}/leaderboard?limit=100&season=2030-05-01`);
  });

  const asked = () =>
    service()
      .requests.filter(({ path }) => path.includes('/leagues/'))
      .map(({ method, path, body }) => [method, path.split('/leagues/').at(-1), body]);

  it('join: says who will see what, and joins with --yes', async () => {
    const { exit, stdout } = await upsilon('join', SLUG, CODE, '--yes');
    expect(exit).to.equal(0);
    const said = stdout.replaceAll(/\s+/g, ' ');
    for (const text of ['2 members, of test-lantern', 'seen by its members', 'codenames of all', 'not settled yet']) {
      expect(said).to.include(text);
    }
    expect(said.indexOf('will be seen by')).to.be.below(said.indexOf('You are in it')).and.above(0);
    expect(asked()).to.deep.equal([
      ['GET', `${SLUG}?code=${CODE}`, ''],
      ['POST', `${SLUG}/join`, `{"code":"${CODE}"}`],
    ]);
  });

  it('join: does not join without agreement, which only a terminal or --yes gives', async () => {
    for (const more of [[], ['--json']]) {
      const { exit, stdout, stderr } = await upsilon('join', SLUG, CODE, ...more);
      expect(exit).to.equal(1);
      expect(`${stdout}${stderr}`).to.include('not joined').and.to.include('--yes');
    }
    expect(new Set(asked().map(([method]) => method))).to.deep.equal(new Set(['GET']));
  });

  it('join: reports a wrong code', async () => {
    const wrong = await upsilon('join', SLUG, 'wrong', '--yes');
    expect(wrong.exit).to.not.equal(0);
    expect(wrong.stderr).to.include('There is no league with this invitation').and.to.include('Ask the owner');
    expect((await upsilon('join', SLUG)).stderr).to.include("missing required argument 'code'");
    expect(asked().filter(([method]) => method === 'POST')).to.deep.equal([]);
  });
});
