import { expect } from 'chai';
import { findNewerTool, isNewer } from '../../../cli/src/net/newer-tool.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { type Reply, startService } from '../support/recording-service.ts';

const ADDRESS = 'https://board.example/cli/upsilon.tgz';

describe('a newer version of the tool', () => {
  const service = useFixture(() => startService(() => reply));
  let reply: Reply;

  const offered = (cli_package: unknown, cli_version: unknown = '9.0.0') => {
    reply = { status: 200, body: { cli_version, cli_package } };
    return findNewerTool(service().baseUrl);
  };

  it('is read from the metadata of the service, with the command that installs it', async () => {
    const command = `npm install -g --allow-remote=root ${ADDRESS}`;
    expect(await offered(ADDRESS)).to.deep.equal({ version: '9.0.0', command });
    expect(await offered('@scope/upsilon')).to.include({ command: 'npm install -g @scope/upsilon' });
    expect(new Set(service().requests.map(({ method, path }) => `${method} ${path}`))).to.deep.equal(
      new Set(['GET /.well-known/oauth-protected-resource/api/v1']),
    );
  });

  it('is none where the service offers no newer one, does not say, or fails', async () => {
    for (const version of ['0.0.1', '', 'newest', 9, null]) expect(await offered(ADDRESS, version)).to.equal(null);
    for (reply of [{ status: 404, body: {} }, { status: 302, headers: { location: ADDRESS } }, null]) {
      expect(await findNewerTool(service().baseUrl)).to.equal(null);
    }
  });

  it('is none where the command would do something else', async () => {
    const addresses = ['$(id)', ';id', '`id`', ' -g x', '?a&b', '\u001b[2J', "'"].map((end) => `${ADDRESS}${end}`);
    const names = [
      '--global',
      '../up',
      '@/up',
      'a b',
      '@scope/up;id',
      '',
      'http://board.example/cli/upsilon.tgz',
      null,
    ];
    for (const source of [...addresses, ...names]) expect(await offered(source), String(source)).to.equal(null);
  });

  it('is one by its numbers', () => {
    const inOrder = ['0.1.0', '0.1.9', '0.1.10', '0.2.0', '1.0.0', '10.0.0'];
    for (const [index, version] of inOrder.entries()) {
      for (const [place, other] of inOrder.entries())
        expect(isNewer(version, other), `${version} ${other}`).to.equal(index > place);
    }
    for (const odd of ['1.0', '1.0.0-beta', '1.0.0.0', '', '-1.0.0']) {
      expect([isNewer(odd, '0.1.0'), isNewer('99.0.0', odd)], odd).to.deep.equal([false, false]);
    }
  });
});
