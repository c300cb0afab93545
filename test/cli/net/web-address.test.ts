import { expect } from 'chai';
import { fixedToken } from '../../../cli/src/auth/identity.ts';
import { postForm } from '../../../cli/src/auth/token-requests.ts';
import { openClient } from '../../../cli/src/net/client.ts';
import { isSafeAddress } from '../../../cli/src/net/web-address.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { failureOf } from '../support/parsing.ts';
import { acceptAll, startService } from '../support/recording-service.ts';
import { LINUX } from '../support/scan-source.ts';

const SAFE = [
  'https://upsilon.example/api/v1',
  'https://192.0.2.1:8443',
  'http://localhost:3000/api/v1',
  'http://127.0.0.1:3000/api/v1',
  'http://127.1.2.3/',
  'http://[::1]:3000/api/v1',
];

const UNSAFE = [
  'http://upsilon.example/api/v1',
  'http://192.168.1.2:3000/api/v1',
  'http://0.0.0.0:3000/api/v1',
  'http://[::]:3000/api/v1',
  'http://upsilon.localhost/api/v1',
  'http://localhost.upsilon.example/api/v1',
  'http://127.0.0.1.upsilon.example/api/v1',
  'http://localhost@upsilon.example/api/v1',
  'ftp://localhost/api/v1',
];

describe('plain http', () => {
  const service = useFreshFixture(() => startService(acceptAll()));

  /** An address of the service that is not of the loopback interface, though it leads there on this machine. */
  const unsafeUrl = (): string => service().baseUrl.replace('127.0.0.1', '0.0.0.0');

  it('is for addresses of this machine', () => {
    expect(SAFE.filter((address) => !isSafeAddress(address))).to.deep.equal([]);
    expect(UNSAFE.filter(isSafeAddress)).to.deep.equal([]);
    for (const other of [null, 1, '', 'localhost', 'https://upsilon.example/\u001b[31m', '//localhost']) {
      expect(isSafeAddress(other), String(other)).to.equal(false);
    }
  });

  for (const address of UNSAFE) {
    it(`is refused as a base URL: ${address}`, () => {
      expect(() => readSettings({ baseUrl: address }, LINUX))
        .to.throw()
        .that.includes({ exit: 'usage', code: 'settings_invalid' });
    });
  }

  it('is taken as a base URL of this machine', () => {
    for (const address of SAFE) {
      expect(readSettings({ baseUrl: address }, LINUX).baseUrl).to.equal(address.replace(/\/$/, ''));
    }
  });

  it('sends no token off the machine, wherever the address comes from', async () => {
    const context = { now: () => 0, sleep: async () => undefined, random: () => 0, onWait: () => undefined };
    const client = openClient(unsafeUrl(), fixedToken('a-secret'), context);
    for (const attempt of [client.get('/devices'), client.post('/snapshots', '{}'), client.delete('/devices/k')]) {
      expect(await failureOf(attempt)).to.include({ exit: 'network', code: 'not_encrypted' });
    }
    expect(service().requests).to.deep.equal([]);
  });

  it('sends no refresh token or code off the machine', async () => {
    const failure = await failureOf(postForm(`${unsafeUrl()}/oauth/token`, { refresh_token: 'a-secret' }));
    expect(failure).to.include({ code: 'not_encrypted' });
    expect(service().requests).to.deep.equal([]);
  });
});
