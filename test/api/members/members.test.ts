import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { DAY_MS } from '../../../config/units.ts';
import { eventually } from '../../support/eventually.ts';
import { FormBrowser } from '../../support/form-browser.ts';
import { type IdentityService, openIdentityService } from '../../support/identity-service.ts';
import { connectApp, openApp } from '../../support/oauth-app.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../../support/signing.ts';
import { useFixture } from '../../support/use-fixture.ts';

const DAY_S = DAY_MS / 1_000;

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
  readonly headers: Headers;
}

describe('/me', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));

  const refused = useFixture(() => connect('refused-names'));

  async function connect(name: string): Promise<string> {
    return (await connectApp(await openApp(service().config.authUrl), new FormBrowser(), name)).access_token;
  }

  async function send(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${service().config.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? {} : JSON.parse(text) };
  }

  it('changes names', async () => {
    const token = await connect('renamer');
    const renamed = await send(token, 'PATCH', '/me', { codename: 'Chosen-Name' });
    expect(renamed.json).to.include({ codename: 'chosen-name', display_name: null });
    const changed = await send(token, 'PATCH', '/me', { display_name: ' Näme ' });
    expect(changed).to.deep.include({ status: 200 });
    expect(changed.json).to.include({ codename: 'chosen-name', display_name: 'Näme', plan: 'free', email: null });
    expect((await send(token, 'PATCH', '/me', { display_name: null })).json).to.include({
      codename: 'chosen-name',
      display_name: null,
    });
    expect((await send(token, 'GET', '/me')).json).to.include({ codename: 'chosen-name' });
    const { operator = 0 } = (await service().ranking.operators.find('chosen-name')) ?? {};
    const kinds = (await service().accounts.audit.list(operator, 3)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['display_name_changed', 'display_name_changed', 'codename_changed']);
  });

  it('reserves a former codename for 90 days, and lets its owner return', async () => {
    const [owner, other] = [await connect('resting-owner'), await connect('resting-other')];
    await send(owner, 'PATCH', '/me', { codename: 'resting-name' });
    await send(owner, 'PATCH', '/me', { codename: 'moved-on' });
    for (const name of ['resting-name', 'RESTING-Name', 'moved-on']) {
      expect((await send(other, 'PATCH', '/me', { codename: name })).json).to.include({ code: 'codename_taken' });
    }
    expect((await send(owner, 'PATCH', '/me', { codename: 'resting-name' })).status).to.equal(200);
    expect(await service().ranking.operators.enrol({ codename: 'moved-on' })).to.include({ kind: 'taken' });
    service().ahead += 91 * DAY_MS;
    expect(await service().ranking.operators.enrol({ codename: 'moved-on' })).to.include({ kind: 'enrolled' });
    service().ahead -= 91 * DAY_MS;
  });

  it('says when a codename can be changed again after three changes', async () => {
    const token = await connect('often-renamed');
    for (const codename of ['often-1', 'often-2', 'often-3']) {
      expect((await send(token, 'PATCH', '/me', { codename })).status).to.equal(200);
    }
    const { json, headers } = await send(token, 'PATCH', '/me', { codename: 'often-4' });
    expect(json).to.include({ code: 'codename_limit' });
    expect(Number(headers.get('retry-after'))).to.be.within(29 * DAY_S, 30 * DAY_S);
  });

  it('hides the row, for this request and the next ones of the token, once a day', async () => {
    const token = await connect('hiding-one');
    const codename = String((await send(token, 'GET', '/me')).json['codename']);
    const key = makeDeviceKey();
    const submit = async (input: number) => {
      const iat = Math.floor((Date.now() + service().ahead) / 1000);
      await send(token, 'POST', '/devices', {
        jwk: key.jwk,
        proof: makeDeviceProof(key, { codename, iat }),
      });
      const counts = { codename, input, output: 20 * input, cache_read: 300 * input, cache_write: 4 };
      return (await send(token, 'POST', '/snapshots', makeSubmission(key, counts, { iat }))).json;
    };
    expect(await submit(10)).to.include({ accepted: true, hidden: false });
    expect((await send(token, 'PATCH', '/me', { hidden: true })).json).to.include({ codename, hidden: true });
    expect(await submit(20)).to.include({ accepted: true, hidden: true, rank: null });
    const two = await send(token, 'PATCH', '/me', { display_name: 'Half Done', hidden: false });
    expect(two.json).to.include({ status: 400, code: 'parameters_conflict' });
    const early = await send(token, 'PATCH', '/me', { hidden: false });
    expect(early.json).to.include({ status: 429, code: 'hiding_limit' });
    expect(Number(early.headers.get('retry-after'))).to.be.within(DAY_S - 60, DAY_S);
    expect((await send(token, 'GET', '/me')).json).to.include({ hidden: true, display_name: null });
    const { operator = 0 } = (await service().ranking.operators.find(codename)) ?? {};
    expect((await service().accounts.audit.list(operator, 9)).map(({ kind }) => kind)).to.include('row_hidden');
  });

  it('gives a codename to one of many concurrent requests', async () => {
    const tokens = await Promise.all(Array.from({ length: 6 }, (_, index) => connect(`wanting-${index}`)));
    const answers = await Promise.all(tokens.map((token) => send(token, 'PATCH', '/me', { codename: 'wanted-name' })));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
  });

  for (const [body, code] of [
    [{ codename: 'ab' }, 'codename_invalid'],
    [{ codename: '-abc' }, 'codename_invalid'],
    [{ codename: 'naïve-name' }, 'codename_invalid'],
    [{ codename: 7 }, 'codename_invalid'],
    [{ codename: 'Admin' }, 'codename_reserved'],
    [{ display_name: '' }, 'display_name_invalid'],
    [{ display_name: 'x'.repeat(65) }, 'display_name_invalid'],
    [{ display_name: 'a\u202eb' }, 'display_name_invalid'],
    [{ display_name: 'a\nb' }, 'display_name_invalid'],
    [{ hidden: 'yes' }, 'validation_failed'],
  ] as const) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const answer = await send(refused(), 'PATCH', '/me', body);
      expect(answer.status).to.equal(400);
      expect(answer.json).to.include({ code });
      expect(answer.json).to.have.nested.property('errors[0].pointer', `/${Object.keys(body)[0]}`);
    });
  }

  it('erases everything but a number', async () => {
    const browser = new FormBrowser();
    const app = await openApp(service().config.authUrl);
    const { access_token: token } = await connectApp(app, browser, 'leaver');
    await send(token, 'PATCH', '/me', { codename: 'leaving-me' });
    await send(token, 'PATCH', '/me', { display_name: 'Leaving Person' });
    const { operator = 0, subject = '' } = (await service().accounts.bySubject(decodeJwt(token).sub ?? '')) ?? {};
    const key = makeDeviceKey();
    const iat = Math.floor((Date.now() + service().ahead) / 1000);
    await send(token, 'POST', '/devices', {
      jwk: key.jwk,
      proof: makeDeviceProof(key, { codename: 'leaving-me', iat }),
    });
    const counts = { codename: 'leaving-me', input: 10, output: 20, cache_read: 300, cache_write: 4 };
    const submitted = await send(token, 'POST', '/snapshots', makeSubmission(key, counts, { iat }));
    expect(submitted.json, JSON.stringify(submitted.json)).to.include({
      accepted: true,
    });
    const profile = (): Promise<Response> =>
      fetch(`${service().config.baseUrl}/operators/leaving-me?fresh=${Math.random()}`);
    await eventually('the operator on the board', async () => (await boardText(service())).includes('leaving-me'));

    expect((await send(token, 'DELETE', '/me')).json).to.include({ code: 'client_not_allowed' });
    const { accounts, config } = service();
    const claims = {
      subject,
      scope: 'openid profile email',
      audience: config.baseUrl,
      issuer: config.authUrl,
      lifetimeSeconds: 60,
    };
    const erased = await send(await accounts.signingKeys.mintAccessToken(claims), 'DELETE', '/me');
    expect(erased.status, JSON.stringify(erased.json)).to.equal(200);
    expect(erased.json).to.have.property('erased', true);
    expect(erased.json).to.have.property('remains').that.has.length(6);

    await eventually('the end of its place', async () => !(await boardText(service())).includes('leaving-me'));
    await eventually('the end of its profile', async () => (await profile()).status !== 200);
    expect((await send(token, 'GET', '/me')).status).to.equal(401);
    const session = await browser.get(`${service().origin}/api/auth/session`);
    expect(JSON.parse(session.text)).to.include({ authenticated: false });
    expect(await traces(service(), ['leaving-me', 'Leaving Person', subject, key.kid])).to.deep.equal([]);
    expect(await service().ranking.operators.byNumber(operator)).to.equal(null);
    const list = await readFile(join(service().config.dataDir, 'erasures.jsonl'), 'utf8');
    expect(JSON.parse(list.trim().split('\n').at(-1) ?? '')).to.include({ operator });
  });
});

async function boardText(service: IdentityService): Promise<string> {
  return (await fetch(`${service.config.baseUrl}/leaderboard?limit=100`)).text();
}

/** The collections in which any of the texts occurs. Tops of former boards go with the sweeper. */
async function traces({ connection }: IdentityService, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of (await connection.db?.listCollections().toArray()) ?? []) {
    if (name === 'board_top_entries') continue;
    const documents = JSON.stringify(await connection.collection(name).find().toArray());
    for (const text of texts) if (documents.includes(text)) found.push(`${name}: ${text}`);
  }
  return found;
}
