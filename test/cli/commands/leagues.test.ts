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
          body: { total_operators: 2, entries: [ROW, { ...ROW, codename: 'other', rank: 2, global_rank: 7 }] },
        };
      }
      if (path === `/leagues/${SLUG}/join` && !request.body.includes(CODE)) {
        return {
          status: 404,
          body: { code: 'invitation_unknown', detail: 'There is no league with this invitation.' },
        };
      }
      if (path.startsWith(`/leagues/${SLUG}/`)) return { status: 200, body: LEAGUE };
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
      .and.to.match(/2 +other +POWER +6,000 +7\n/);
    expect(service().requests.at(-1)?.path).to.equal(`/api/v1/leagues/${SLUG}/leaderboard?limit=100&window=30d`);
    expect((await upsilon('board', SLUG, '--season', '2030-05-01')).exit).to.equal(0);
    expect(service().requests.at(-1)?.path).to.equal(`/api/v1/leagues/${SLUG}/leaderboard?limit=100&season=2030-05-01`);
  });

  it('join: joins, and says who sees what; reports a wrong code', async () => {
    const { exit, stdout } = await upsilon('join', SLUG, CODE);
    expect(exit).to.equal(0);
    expect(stdout).to.include('of test-lantern').and.to.include('seen by its members');
    const asked = service().requests.filter(({ method, path }) => method === 'POST' && path.includes('/leagues/'));
    expect(asked.map(({ path, body }) => [path.split('/').at(-1), body])).to.deep.equal([
      ['join', `{"code":"${CODE}"}`],
    ]);
    const wrong = await upsilon('join', SLUG, 'wrong');
    expect(wrong.exit).to.not.equal(0);
    expect(wrong.stderr).to.include('There is no league with this invitation');
    expect((await upsilon('join', SLUG)).stderr).to.include("missing required argument 'code'");
  });
});
