import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createChallenge } from '../../../api/auth/challenge.ts';
import { type KeySource, localKeySource, remoteKeySource } from '../../../api/auth/key-source.ts';
import { verifyToken } from '../../../api/auth/verify-token.ts';
import { Problem } from '../../../api/http/problem.ts';
import { MINUTE_MS } from '../../../config/units.ts';

async function publicKey(kid: string): Promise<JWK> {
  const { publicKey: key } = await generateKeyPair('EdDSA', { extractable: true });
  return { ...(await exportJWK(key)), kid, alg: 'EdDSA' };
}

/** `found`, or the error. */
async function lookUp(source: KeySource, kid: string): Promise<string> {
  try {
    await source({ alg: 'EdDSA', kid }, { payload: '', signature: '' });
    return 'found';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const UNKNOWN = 'no applicable key found in the JSON Web Key Set';

describe('the keys of access tokens', () => {
  let first: JWK;
  let second: JWK;

  before(async () => {
    [first, second] = await Promise.all([publicKey('first'), publicKey('second')]);
  });

  describe('of the service', () => {
    let now: number;
    let published: JWK[];
    let reads: number;
    let isDown: boolean;
    let source: KeySource;

    beforeEach(() => {
      now = 100 * MINUTE_MS;
      published = [first];
      reads = 0;
      isDown = false;
      const read = async () => {
        reads += 1;
        if (isDown) throw new Error('no primary');
        return { keys: published };
      };
      source = localKeySource(read, () => now);
    });

    for (const [what, passed] of [
      ['five minutes', 5 * MINUTE_MS],
      ['a clock that was set back', -5 * MINUTE_MS],
    ] as const) {
      it(`are read again after ${what}, so a withdrawn key ends`, async () => {
        expect(await lookUp(source, 'first')).to.equal('found');
        published = [second];
        now += passed - Math.sign(passed);
        expect([await lookUp(source, 'first'), reads]).to.deep.equal(['found', 1]);
        now += Math.sign(passed);
        expect([await lookUp(source, 'first'), reads]).to.deep.equal([UNKNOWN, 2]);
      });
    }

    it('are read again for an unknown one, but once in five seconds', async () => {
      expect(await lookUp(source, 'first')).to.equal('found');
      published = [first, second];
      now += 4_999;
      expect([await lookUp(source, 'second'), reads]).to.deep.equal([UNKNOWN, 1]);
      now += 1;
      expect([await lookUp(source, 'second'), reads]).to.deep.equal(['found', 2]);
      expect([await lookUp(source, 'third'), reads]).to.deep.equal([UNKNOWN, 2]);
    });

    it('are read once by concurrent requests, and by the next after a failure', async () => {
      isDown = true;
      const failed = await Promise.all([lookUp(source, 'first'), lookUp(source, 'first')]);
      expect([failed, reads]).to.deep.equal([['no primary', 'no primary'], 1]);
      isDown = false;
      expect([await lookUp(source, 'first'), reads]).to.deep.equal(['found', 2]);
    });
  });

  describe('of an outside provider', () => {
    let server: Server;
    let origin: string;
    let status: number;
    let issuer: string;
    let broken: string | null;

    beforeEach(() => {
      [status, issuer, broken] = [200, `${origin}/tenant`, null];
    });

    before(async () => {
      server = createServer(({ url }, response) => {
        response.statusCode = status;
        response.setHeader('content-type', 'application/json');
        const body = url === '/keys' ? { keys: [first] } : { issuer, jwks_uri: `${origin}/keys` };
        response.end(broken ?? JSON.stringify(body));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    });

    after(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });

    it('are those that its metadata names, unless the metadata is of another issuer', async () => {
      const source = remoteKeySource(`${origin}/tenant/.well-known/openid-configuration`);
      status = 503;
      expect(await lookUp(source, 'first')).to.include('returned 503');
      status = 200;
      issuer = 'http://other.example/tenant';
      expect(await lookUp(source, 'first')).to.equal(`the metadata is of another issuer: ${issuer}`);
      issuer = `${origin}/tenant/`;
      expect(await lookUp(source, 'first')).to.equal('found');
    });

    for (const [what, failed, text] of [
      ['cannot be read', 503, '{}'],
      ['are no JSON', 200, '<html>'],
      ['are no set of keys', 200, '{"keys":1}'],
    ] as const) {
      it(`that ${what} make no token invalid: the service is unavailable`, async () => {
        [status, broken] = [failed, text];
        const { privateKey } = await generateKeyPair('EdDSA');
        const token = await new SignJWT({}).setProtectedHeader({ alg: 'EdDSA', kid: 'first' }).sign(privateKey);
        const expected = {
          issuer,
          audience: origin,
          keys: remoteKeySource(`${origin}/keys`),
          clock: Date.now,
          challenge: createChallenge({ baseUrl: origin, loginUrl: origin, contact: null }),
        };
        const refused = await verifyToken(token, expected).catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(Problem).with.property('code', 'storage_unavailable');
      });
    }
  });
});
