import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { signInAndAllow } from '../support/oauth-app.ts';

/**
 * A folder into which `npm install node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12` was run. The suite needs a newer
 * Node than this project, so it has a folder, and a Node, of its own.
 */
const folder = processEnvironment()['CONFORMANCE_DIR'];

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

describe('MCP conformance suite: authorization', function () {
  this.timeout(120_000);

  it('passes every scenario', async () => {
    if (folder === undefined) throw new Error('CONFORMANCE_DIR names no folder with the suite');
    await using service = await openIdentityService();
    const { authUrl, baseUrl } = service.config;
    const port = String(await freePort());
    const args = [
      'authorization',
      '--url',
      authUrl,
      '--client-id',
      'upsilon-cli',
      '--port',
      port,
      '--resource',
      baseUrl,
    ];
    const suite = spawn(join(folder, 'node_modules/.bin/node'), [join(folder, SUITE), ...args], { cwd: folder });
    const said = listen(suite);
    const ended = new Promise<number | null>((resolve) => suite.once('exit', resolve));
    const address = (): string | undefined => /^http\S+\/oauth\/authorize\S+$/m.exec(said())?.[0];
    await eventually(
      'the address to sign in at',
      () => address() !== undefined && said().includes('Callback server'),
      60_000,
    );
    await signInAndAllow(new FormBrowser(), address() ?? '', 'conformance');
    expect(await ended, said()).to.equal(0);
    expect(said()).to.match(/Total: [1-9]\d* passed, 0 failed/);
  });
});

function listen(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return () => text;
}
