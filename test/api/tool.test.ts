import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { VERSION } from '../../cli/src/version.ts';
import { namedPackages } from '../support/named-packages.ts';
import { openTestApi, type TestApi } from '../support/test-api.ts';

const ADDRESS = 'http://upsilon.test/cli/upsilon.tgz';
const TEXTS = [
  '/',
  '/developers/getting-started',
  '/llms.txt',
  '/llms-full.txt',
  '/agent-instructions.txt',
  '/openapi.json',
  '/.well-known/mcp',
];

async function textsOf(test: TestApi): Promise<string[]> {
  const accept = 'text/markdown, */*;q=0.5';
  return Promise.all(TEXTS.map(async (path) => (await test.get(path, { accept })).text));
}

describe('the command-line tool as the site offers it', () => {
  it('is offered by the site itself at one address, and every text names it', async () => {
    await using test = await openTestApi();
    const texts = await textsOf(test);
    for (const text of texts.slice(0, 5)) expect(text).to.include(`npx --allow-remote=root ${ADDRESS}`);
    expect(texts.flatMap(namedPackages)).to.deep.equal([]);
    const response = await fetch(ADDRESS.replace('http://upsilon.test', test.origin));
    expect(response.headers.get('content-encoding')).to.match(/^(?:br|gzip)$/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(gunzipSync(bytes).toString('latin1')).to.include('{"base_url":"http://upsilon.test/api/v1"}\n');
    expect(texts[1]).to.include(`${createHash('sha512').update(bytes).digest('hex')}  upsilon.tgz`);
    expect(texts[1])
      .to.include(`version ${VERSION} of the tool`)
      .and.include(`npm install -g --allow-remote=root ${ADDRESS}`);
    expect(response.headers.get('cache-control')).to.match(/^public, max-age=300,/);
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
    expect((await fetch(response.url, { headers })).status).to.equal(304);
    const { json } = await test.get('/.well-known/oauth-protected-resource/api/v1');
    expect(json).to.include({ cli_version: VERSION, cli_package: ADDRESS });
  });

  it('is named by its package where the installation publishes one', async () => {
    await using test = await openTestApi({ settings: { cliPackage: '@sample-scope/upsilon' } });
    const texts = await textsOf(test);
    for (const text of texts.slice(0, 5)) expect(text).to.include('npx @sample-scope/upsilon');
    expect(texts[1]).to.include('npm install -g @sample-scope/upsilon');
    const { json } = await test.get('/.well-known/oauth-protected-resource/api/v1');
    expect(json).to.include({ cli_package: '@sample-scope/upsilon' });
    expect(new Set(texts.flatMap(namedPackages))).to.deep.equal(new Set(['@sample-scope/upsilon']));
    expect(texts.join('')).to.not.include(ADDRESS);
  });
});
