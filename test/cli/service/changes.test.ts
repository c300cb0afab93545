import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { keepReports, notification, readReports, reportChange } from '../../../cli/src/service/changes.ts';
import { requireRunnable, runProgram } from '../../../cli/src/service/run-program.ts';
import { HOUR_MS, MINUTE_MS } from '../../../config/units.ts';
import { runSeed, seededRandom } from '../../support/seeded-random.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { failureOf } from '../support/parsing.ts';
import { type RecordedRequest, type Reply, STANDING, startService } from '../support/recording-service.ts';
import { useFolder } from '../support/temporary-folder.ts';

const START = Date.parse('2026-06-01T12:17:00Z');
const OWN = 'test-lantern';
const HOURS = 168;

/** Appends what it gets to the file in its argument. */
const COLLECTOR = '#!/bin/sh\ncat >> "$1"\n';

describe('reports of changes', () => {
  const folder = useFolder();
  const seed = runSeed();
  let names: readonly string[] = [OWN];
  const service = useFreshFixture(() => startService((request) => boardOf(request)));

  function boardOf({ path }: RecordedRequest): Reply {
    const rank = names.indexOf(OWN) + 1;
    if (path.includes('/leaderboard?'))
      return { status: 200, body: { entries: names.map((codename) => ({ codename })) } };
    if (path.includes('/standing?')) return { status: 200, body: { ...STANDING, rank } };
    if (!path.includes('/history')) return { status: 200, body: { codename: OWN, rank, yield_: 6, percentile: 50 } };
    const since = new URL(path, 'http://board.example').searchParams.get('since');
    const change = { since, rank_then: 9, change: 9 - rank, own: 1, field: 8 - rank, method: 0 };
    return { status: 200, body: { changes: since === null ? {} : { since: change } } };
  }

  const settings = () => ({ configDir: join(folder(), 'settings'), baseUrl: service().baseUrl });
  const use = (...on_change: readonly string[]) =>
    keepReports(settings().configDir, { base_url: service().baseUrl, notify: false, on_change, seen: null });
  const script = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder(), name), text, { mode: 0o755 });
    return join(folder(), name);
  };
  const collected = async () => {
    const text = await readFile(join(folder(), 'collected'), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };

  it(`reach a program once each in a week of hourly runs, two of which run at once (seed ${seed})`, async () => {
    await use(await script('collector', COLLECTOR), join(folder(), 'collected'));
    const random = seededRandom(seed);
    const expected: object[] = [];
    let former: readonly string[] | null = null;
    for (let hour = 0; hour < HOURS; hour += 1) {
      // In one hour of six another row changes places with the own one.
      const at = names.indexOf(OWN);
      const others = former === null ? ['a-row', 'b-row', 'c-row', 'd-row'] : names.filter((name) => name !== OWN);
      const place = former !== null && random.integer(0, 5) > 0 ? at : random.integer(0, others.length);
      names = [...others.slice(0, place), OWN, ...others.slice(place)];
      const now = START + hour * HOUR_MS;
      await Promise.all([1, 2].map(() => reportChange(settings(), OWN, now)));
      if (former !== null && former.indexOf(OWN) !== place) {
        const below = new Set(former.slice(former.indexOf(OWN) + 1));
        const since = new Date(now - HOUR_MS).toISOString();
        expected.push({
          at: new Date(now).toISOString(),
          rank: place + 1,
          before: [former.indexOf(OWN) + 1, since],
          passed_by: names.slice(0, place).filter((name) => below.has(name)),
          since,
        });
      }
      former = names;
    }
    expect(expected).to.have.length.above(5);
    const got = (await collected()).map(({ at, rank, before, passed_by, change }) => {
      return { at, rank, before: [before.rank, before.at], passed_by, since: change.since };
    });
    expect(got).to.deep.equal(expected);
    const standing = ['codename', 'rank', 'total_operators', 'percentile', 'class_tier'];
    expect((await collected())[0]).to.have.all.keys([...standing, 'at', 'page', 'before', 'passed_by', 'change']);
  });

  for (const [what, text, why, limitMs] of [
    ['hangs', '#!/bin/sh\nexec sleep 600\n', 'it ended with SIGKILL', 1_000],
    ['fails', '#!/bin/sh\nexit 3\n', 'it ended with 3', 10 * MINUTE_MS],
    ['prints a gigabyte', '#!/bin/sh\nexec head -c 1000000000 /dev/zero\n', null, 10 * MINUTE_MS],
    ['was deleted', null, 'no such file or folder', 1_000],
  ] as const) {
    it(`change nothing when the program ${what}, and keep why it failed`, async () => {
      await use(text === null ? join(folder(), 'gone') : await script('program', text));
      for (const [hour, board] of [
        [OWN, 'a-row'],
        ['a-row', OWN],
        [OWN, 'a-row'],
      ].entries()) {
        names = board;
        await reportChange(settings(), OWN, START + hour * HOUR_MS, limitMs);
        const reports = await readReports(settings().configDir, service().baseUrl);
        expect(reports?.seen).to.deep.include({ at: START + hour * HOUR_MS, rank: board.indexOf(OWN) + 1 });
        const failed = hour === 0 || why === null ? null : `: ${why} (2026`;
        if (failed === null) expect(reports).not.to.have.property('problem');
        else expect(reports?.problem).to.include(failed);
      }
    });
  }

  it('are none of the first run, of another codename, and where none are wanted', async () => {
    await reportChange(settings(), OWN, START);
    expect(service().requests).to.deep.equal([]);
    await use(await script('collector', COLLECTOR), join(folder(), 'collected'));
    for (const codename of [OWN, 'other-lantern', OWN]) await reportChange(settings(), codename, START);
    expect(await collected()).to.deep.equal([]);
    await use();
    expect(await readReports(settings().configDir, service().baseUrl)).to.equal(null);
  });

  it('give texts to notifications as arguments or input alone', () => {
    const [title, text] = ['x: rank 1', "'; touch /tmp/x; $(id) `id`"];
    for (const os of ['linux', 'darwin', 'win32'] as const) {
      const [argv, input] = notification(os, title, text);
      const holding = argv.filter((word) => word.includes('touch'));
      expect([...holding, ...input.split('\n').filter((line) => line.includes('touch'))], os).to.deep.equal([text]);
    }
  });

  it('go to nothing that only a shell runs, that is not executable, or that is not there', async () => {
    const bare = await script('bare', 'echo no first line\n');
    const plain = join(folder(), 'plain');
    await writeFile(plain, COLLECTOR);
    const pipe = join(folder(), 'pipe');
    await promisify(execFile)('mkfifo', ['-m', '755', pipe]);
    for (const [argv, os, problem] of [
      [[bare], 'linux', 'only a shell runs it'],
      [[await script('batch.cmd', '#!')], 'win32', 'only a shell runs it'],
      [[plain], 'linux', 'permission denied'],
      [[folder()], 'linux', 'it is a folder'],
      [[pipe], 'linux', 'it is not a file'],
      [[join(folder(), 'none')], 'linux', 'no such file'],
    ] as const) {
      const failure = await failureOf(requireRunnable(argv, os));
      expect(failure).to.include({ exit: 'usage' });
      expect(failure.message).to.include(problem);
    }
    expect(await requireRunnable([process.execPath, '--x', '$(id)'], 'linux')).to.deep.equal([
      process.execPath,
      '--x',
      '$(id)',
    ]);
    expect(await runProgram([[process.execPath, '--version'], ''])).to.equal(null);
  });
});
