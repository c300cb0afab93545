import { request } from 'node:http';
import { expect } from 'chai';
import { startConsole } from '../../../ops/commands/start-console.ts';
import { openFreshQueues } from '../../support/test-queues.ts';
import { useFixture } from '../../support/use-fixture.ts';

describe('the queue console', () => {
  const work = useFixture(openFreshQueues);
  let open: Awaited<ReturnType<typeof startConsole>>;
  let origin: string;
  let cookie: string;

  before(async () => {
    const { queues } = work();
    await queues.ingest.add('process-batch', { batch: 'a' }, { jobId: 'batch-a' });
    open = await startConsole({ queues: [queues.ingest, queues.upkeep], port: 0, writable: false });
    origin = new URL(open.url).origin;
    const first = await fetch(open.url, { redirect: 'manual' });
    expect(first.status).to.equal(302);
    expect(first.headers.get('location')).to.equal('/');
    const set = first.headers.get('set-cookie') ?? '';
    expect(set)
      .to.match(/; httponly/i)
      .and.to.match(/samesite=strict/i);
    [cookie = ''] = set.split(';');
    expect(cookie).to.include(`upsilon_console_${new URL(open.url).port}=`);
    expect(cookie, 'the secret').not.to.include(new URL(open.url).searchParams.get('secret'));
  });

  after(() => open.close());

  it('shows queues and jobs to browsers with its secret', async () => {
    const page = await fetch(origin, { headers: { cookie } });
    expect(page.status).to.equal(200);
    const text = await page.text();
    expect(text).to.include('Upsilon');
    expect(text, 'resources of other origins').to.not.match(/(?:href|src)="(?:https?:)?\/\//);
    expect(page.headers.get('content-security-policy')).to.include("default-src 'self'");
    const script = /src="([^"]*main[^"]*\.js)"/.exec(text)?.[1] ?? '';
    expect((await fetch(new URL(script, `${origin}/`), { headers: { cookie } })).status).to.equal(200);
    const listed = await (
      await fetch(`${origin}/api/queues?activeQueue=ingest&status=waiting`, { headers: { cookie } })
    ).json();
    expect(JSON.stringify(listed)).to.include('batch-a').and.to.include('"readOnlyMode":true');
  });

  it('refuses requests without the secret', async () => {
    for (const path of ['/', '/api/queues', '/?secret=guessed', '/static/js/main.js']) {
      const refused = await fetch(`${origin}${path}`, {
        redirect: 'manual',
        headers: { cookie: `${cookie.split('=', 1)[0]}=guessed` },
      });
      expect(refused.status, path).to.equal(401);
    }
  });

  it('refuses requests under the name of another host, also with the secret', async () => {
    const { hostname, port } = new URL(origin);
    const headers = { cookie, host: `console.test:${port}` };
    const status = await new Promise((resolve, reject) => {
      const asked = request({ hostname, port, path: '/', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject).end();
    });
    expect(status).to.equal(421);
  });

  it('changes nothing unless it was opened with write access', async () => {
    const response = await fetch(`${origin}/api/queues/ingest/batch-a/clean`, { method: 'PUT', headers: { cookie } });
    expect(response.status).to.equal(405);
    expect((await work().queues.ingest.getJob('batch-a'))?.data).to.deep.equal({ batch: 'a' });
  });
});
