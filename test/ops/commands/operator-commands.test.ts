import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { openDatabase } from '../../support/engines.ts';
import { enrolOperator, openEngine } from '../../support/open-engine.ts';
import { makeDeviceKey, makeDeviceProof } from '../../support/signing.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { NOW, run } from './run.ts';

describe('operator commands', () => {
  const database = useFixture(openDatabase);
  const engine = useFixture(() => openEngine(database().connection, () => NOW));
  const accounts = () => engine().accounts;

  it('create an operator whose token is for this service', async () => {
    const { status, out, err } = await run(database(), [
      'operator',
      'create',
      'Sample-Fox',
      '--display-name',
      'Fox',
      '--json',
    ]);
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    expect(out.split('\n')).to.have.length(2);
    const { access_token, operator, subject, ...rest } = JSON.parse(out);
    expect(rest).to.deep.equal({
      codename: 'sample-fox',
      display_name: 'Fox',
      plan: 'free',
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'openid profile email',
      base_url: 'http://api.localhost/api/v1',
    });
    const { jti: _, ...claims } = decodeJwt(access_token);
    expect(claims).to.deep.equal({
      iss: 'http://api.localhost',
      aud: 'http://api.localhost/api/v1',
      sub: subject,
      scope: 'openid profile email',
      client_id: 'upsilon-ops',
      iat: NOW / 1_000,
      exp: NOW / 1_000 + 3_600,
    });
    const { keys } = await accounts().jwks();
    expect(keys.map(({ kid }) => kid)).to.deep.equal([decodeProtectedHeader(access_token).kid]);
    expect(await accounts().bySubject(subject)).to.include({ operator, plan: 'free' });
  });

  it('create an operator and print how to use its token', async () => {
    const { status, out } = await run(database(), [
      'operator',
      'create',
      'sample-owl',
      '--plan',
      'annual',
      '--expires-in',
      '30m',
    ]);
    expect(status).to.equal(0);
    expect(out).to.match(
      /^Created operator sample-owl \(number \d+, plan annual\)\.\n.*30 minutes at http:\/\/api\.localhost/,
    );
    expect(out).to.match(/\nexport UPSILON_TOKEN=[\w-]+\.[\w-]+\.[\w-]+\n/);
  });

  it('create several operators at once, each with its own token', async () => {
    const several = ['operator', 'create', 'sample-elk', 'sample-yak'];
    const { status, out, err } = await run(database(), [...several, '--plan', 'annual', '--json']);
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    const created: readonly Record<string, string>[] = JSON.parse(out);
    expect(created.map(({ codename, plan }) => [codename, plan])).to.deep.equal([
      ['sample-elk', 'annual'],
      ['sample-yak', 'annual'],
    ]);
    for (const { access_token = '', subject } of created) expect(decodeJwt(access_token).sub).to.equal(subject);
    const text = await run(database(), ['operator', 'create', 'sample-emu', 'sample-eel']);
    expect(text.out.match(/^Created operator sample-e(mu|el) /gm)).to.have.length(2);
    expect(text.out.match(/^export UPSILON_TOKEN=/gm)).to.have.length(2);
  });

  for (const odd of [['ab'], ['admin'], ['sample-ewe', '--display-name', 'Ewe']]) {
    it(`create none of several with ${odd.join(' ')}`, async () => {
      const { status, out } = await run(database(), ['operator', 'create', 'sample-ram', ...odd]);
      expect({ status, out }).to.deep.equal({ status: 1, out: '' });
      expect((await run(database(), ['operator', 'show', 'sample-ram'])).err).to.include('there is no operator');
    });
  }

  it('refuse a taken codename in any letter case and print a remedy', async () => {
    await run(database(), ['operator', 'create', 'sample-crane']);
    const { status, out, err } = await run(database(), ['operator', 'create', 'SAMPLE-crane', '--json']);
    expect({ status, out }).to.deep.equal({ status: 1, out: '' });
    expect(err).to.match(/^Error: the codename SAMPLE-crane is taken\.\n.*operator token SAMPLE-crane\n$/);
  });

  it('complete an interrupted creation of an operator', async () => {
    const operator = await enrolOperator(engine().ranking, 'sample-heron');
    expect((await run(database(), ['operator', 'token', 'sample-heron'])).err).to.include(
      'operator create sample-heron',
    );
    const { status, out } = await run(database(), ['operator', 'create', 'sample-heron', '--json']);
    expect(status).to.equal(0);
    expect(JSON.parse(out).operator).to.equal(operator);
  });

  for (const [codename, reason] of [
    ['ab', '3 to 32 letters'],
    ['-sample', '3 to 32 letters'],
    ['caf\u00e9', '3 to 32 letters'],
    ['admin', 'reserved'],
  ] as const) {
    it(`refuse the codename ${codename}`, async () => {
      const { status, out, err } = await run(database(), ['operator', 'create', '--', codename]);
      expect({ status, out }).to.deep.equal({ status: 1, out: '' });
      expect(err)
        .to.include(reason)
        .and.not.to.match(/\n\s+at /);
    });
  }

  it('print a new token alone', async () => {
    await run(database(), ['operator', 'create', 'sample-ibis']);
    const [first, second] = [
      await run(database(), ['operator', 'token', 'sample-ibis']),
      await run(database(), ['operator', 'token', 'Sample-Ibis', '--json', '--expires-in', '24h']),
    ];
    expect(first.out).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { codename, access_token, expires_in } = JSON.parse(second.out);
    expect({ codename, expires_in }).to.deep.equal({ codename: 'sample-ibis', expires_in: 86_400 });
    expect(decodeJwt(access_token).sub).to.equal(decodeJwt(first.out.trim()).sub);
    expect(decodeJwt(access_token).jti).not.to.equal(decodeJwt(first.out.trim()).jti);
  });

  it('create an operator, or take one that exists, and print a token alone', async () => {
    const create = ['operator', 'create', '--token-only'];
    const first = await run(database(), [...create, 'sample-newt']);
    const again = await run(database(), [...create, 'SAMPLE-newt']);
    for (const { status, out } of [first, again]) {
      expect(status).to.equal(0);
      expect(out).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    }
    expect(decodeJwt(again.out.trim()).sub).to.equal(decodeJwt(first.out.trim()).sub);
    const both = await run(database(), [...create, 'sample-newt', 'sample-vole']);
    expect(both.out.trim().split('\n')).to.have.length(2);
    expect(await run(database(), [...create, 'admin'])).to.include({ status: 1, out: '' });
  });

  it('show an operator with its account and devices', async () => {
    const created = JSON.parse((await run(database(), ['operator', 'create', 'sample-stork', '--json'])).out);
    const key = makeDeviceKey();
    const { operator, codename } = created;
    const proof = makeDeviceProof(key, { codename, iat: NOW / 1_000 });
    await accounts().devices.enrol({ operator, codename, jwk: key.jwk, name: 'desk', proof });
    const at = new Date(NOW).toISOString();
    expect(JSON.parse((await run(database(), ['operator', 'show', 'SAMPLE-stork', '--json'])).out)).to.deep.equal({
      codename,
      display_name: null,
      operator,
      listed: true,
      off_boards: [],
      account: {
        subject: created.subject,
        operator,
        plan: 'free',
        moderator: false,
        suspended: false,
        held_until: null,
        created_at: at,
      },
      devices: [{ kid: key.kid, x: key.jwk.x, name: 'desk', created_at: at, revoked_at: null }],
    });
    await accounts().devices.revoke(operator, key.kid);
    await accounts().suspend(operator, true);
    const { out } = await run(database(), ['operator', 'show', codename]);
    expect(out).to.include(
      `sample-stork, number ${operator}, listed on the boards\n  plan free, suspended, since ${at}\n`,
    );
    expect(out).to.include(`  device ${key.kid} "desk" since ${at}, revoked ${at}\n`);
  });

  for (const command of ['show', 'token']) {
    it(`${command}: there is no operator of that name`, async () => {
      const { status, out, err } = await run(database(), ['operator', command, 'sample-unknown']);
      expect({ status, out }).to.deep.equal({ status: 1, out: '' });
      expect(err).to.match(/^Error: there is no operator sample-unknown\.\n.*operator create sample-unknown\n$/);
    });
  }
});
