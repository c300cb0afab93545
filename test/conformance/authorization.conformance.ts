import { expect } from 'chai';
import { freePort } from '../../ops/local/free-port.ts';
import { hasTool, startTool } from '../support/ci-tools.ts';
import { eventually } from '../support/eventually.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { leaveOut } from '../support/leave-out.ts';
import { signInAndAllow } from '../support/oauth-app.ts';

describe('MCP conformance suite: authorization', () => {
  if (!hasTool('conformance')) {
    leaveOut('tools', 'the tools are not installed (npm run tools)');
    return;
  }

  it('passes every scenario', async () => {
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
    const { said, ended } = startTool('conformance', args);
    const address = (): string | undefined => /^http\S+\/oauth\/authorize\S+$/m.exec(said())?.[0];
    await eventually('the address to sign in at', () => address() !== undefined && said().includes('Callback server'));
    await signInAndAllow(new FormBrowser(), address() ?? '', 'conformance');
    expect((await ended).code, said()).to.equal(0);
    expect(said()).to.match(/Total: [1-9]\d* passed, 0 failed/);
  });
});
