import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { VERSION } from '../../../cli/src/version.ts';
import { namedPackages } from '../../support/named-packages.ts';
import { openTestApi, type TestApi } from '../../support/test-api.ts';

const ADDRESS = `http://upsilon.test/cli/upsilon-${VERSION}.tgz`;
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

describe('site: the command-line tool', () => {
  it('is offered by the site itself, and every text names its address', async () => {
    await using test = await openTestApi();
    const texts = await textsOf(test);
    for (const text of texts.slice(0, 5)) expect(text).to.include(`npx --allow-remote=root ${ADDRESS}`);
    expect(texts.flatMap(namedPackages)).to.deep.equal([]);
    const response = await fetch(ADDRESS.replace('http://upsilon.test', test.origin));
    expect(response.headers.get('content-encoding')).to.match(/^(?:br|gzip)$/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(texts[1]).to.include(`${createHash('sha512').update(bytes).digest('hex')}  upsilon-${VERSION}.tgz`);
    expect((await test.get('/cli/release.json')).json).to.include({ code: 'path_unknown' });
    const other = await test.get('/cli/upsilon-0.0.1.tgz');
    expect([other.status, other.json?.['detail']]).to.deep.equal([
      404,
      `The version of the tool that this site offers is at ${ADDRESS}.`,
    ]);
  });

  it('is named by its package where the installation publishes one', async () => {
    await using test = await openTestApi({ settings: { cliPackage: '@sample-scope/upsilon' } });
    const texts = await textsOf(test);
    for (const text of texts.slice(0, 5)) expect(text).to.include('npx @sample-scope/upsilon');
    expect(new Set(texts.flatMap(namedPackages))).to.deep.equal(new Set(['@sample-scope/upsilon']));
    expect(texts.join('')).to.not.include(ADDRESS);
  });
});
