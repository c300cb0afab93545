import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { LAST_FILE, linkFile } from '../../../../engine/contract/archive.ts';
import { runCli } from '../../../cli/support/run-cli.ts';
import { openArchiveWorld } from '../../../engine/ranking/archive/archive-world.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('site: the archive', () => {
  const folder = useSuiteFolder();
  const archived = useFixture(() => openArchiveWorld(join(folder(), 'archive'), seededRandom(runSeed())));
  const test = useFixture(() => {
    const dir = join(folder(), 'archive');
    return openTestApi({ settings: { archive: { dir, license: 'CC-BY-4.0', days: 400 } } });
  });
  const without = useFixture(openTestApi);
  let part = '';

  before(async () => {
    for (let day = 0; day < 2; day++) {
      await archived().nextDay(4);
      await archived().write();
    }
    part = String((await archived().world.connection.collection('archive_lines').findOne())!._id);
  });

  const fileOf = (name: string): Buffer => readFileSync(join(folder(), 'archive', name));

  /** The bytes of an answer as they are sent. */
  async function sent(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${test().origin}/archive/${path}`, { headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  it('is served byte by byte, to be revalidated, with the content signal', async () => {
    for (const name of [LAST_FILE, 'keys.json', linkFile(1), part]) {
      const { status, bytes, headers } = await sent(name);
      expect(status, name).to.equal(200);
      expect(bytes.equals(fileOf(name)), name).to.equal(true);
      expect(headers.get('cache-control')).to.equal('public, no-cache');
      expect(headers.get('content-signal')).to.include('ai-train=no');
      expect(headers.get('content-encoding')).to.equal(null);
      const tag = headers.get('etag') ?? '';
      expect((await sent(name, { 'if-none-match': tag })).status).to.equal(304);
      const head = await fetch(`${test().origin}/archive/${name}`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(bytes.length)]);
    }
  });

  it('is served in ranges', async () => {
    const whole = fileOf(part);
    const size = whole.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=5-', 5, size - 1],
      [`bytes=3-${size * 2}`, 3, size - 1],
      ['bytes=-7', size - 7, size - 1],
    ] as const) {
      const { status, bytes, headers } = await sent(part, { range });
      expect([status, headers.get('content-range')]).to.deep.equal([206, `bytes ${start}-${end}/${size}`]);
      expect(bytes.equals(whole.subarray(start, end + 1)), range).to.equal(true);
    }
    for (const range of ['bytes=', 'lines=1-2', 'bytes=0-1,3-4']) {
      expect((await sent(part, { range })).status, range).to.equal(200);
    }
    const outside = await sent(part, { range: `bytes=${size}-` });
    expect([outside.status, outside.headers.get('content-range')]).to.deep.equal([416, `bytes */${size}`]);
    expect((await sent(part, { range: 'bytes=0-0', 'if-range': '"another"' })).status).to.equal(200);
  });

  it('has no other files, by whatever path', async () => {
    const paths = ['none', '..%2f..%2fetc%2fpasswd', '%2e%2e/keys.json', '..', `${part}.new`, linkFile(999_999)];
    for (const path of [...paths, `${linkFile(1)}%00`, '2026-01-01/../keys.json', '//etc/passwd']) {
      // Not by fetch, which would resolve the dots.
      const status = await new Promise((resolve, reject) => {
        const sending = request(test().origin, { path: `/archive/${path}` }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode));
        });
        sending.once('error', reject).end();
      });
      expect(status, path).to.be.oneOf([404, 400]);
    }
  });

  it('has pages, which an installation without it lacks', async () => {
    const { text } = await test().get('/archive', { accept: 'text/markdown' });
    expect(text).to.include('This is not anonymous').and.to.include(linkFile(2)).and.to.include('CC-BY-4.0');
    expect(text).to.include('node recompute.mjs FOLDER').and.to.include('rank_all_time');
    expect((await test().get('/developers')).text).to.include('/archive"');
    expect((await test().get('/developers/premium', { accept: 'text/markdown' })).text).to.include('fresher');
    expect((await test().get('/archive/')).status).to.equal(308);
    for (const path of ['/archive', `/archive/${LAST_FILE}`]) {
      expect((await without().get(path)).status, path).to.equal(404);
    }
    expect((await without().get('/developers/premium')).text).to.not.include('archive');
  });

  it('is recomputed by the tool from its address', async () => {
    const done = await runCli(folder(), ['recompute', `${test().origin}/archive`, '--json']);
    expect(done.exit, done.stderr).to.equal(0);
    const { days, link, sha256 } = JSON.parse(done.stdout);
    expect([days.length, link]).to.deep.equal([2, 3]);
    const dir = join(folder(), 'archive');
    const day = part.slice(0, 10);
    const chosen = await runCli(folder(), ['recompute', dir, '--day', day, '--link', sha256, '--json']);
    expect(JSON.parse(chosen.stdout).days).to.deep.equal([{ day, lines: 4, blank: 0 }]);
    const foreign = await runCli(folder(), ['recompute', dir, '--link', 'f'.repeat(64), '--json']);
    expect(JSON.parse(foreign.stdout).error).to.include({ code: 'archive_differs', exit: 1 });
  });
});
