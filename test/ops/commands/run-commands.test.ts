import { expect } from 'chai';
import { durationText, parseDuration } from '../../../ops/commands/parse-duration.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { freshDatabase } from '../../support/engines.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { run } from './run.ts';

describe('operator commands that cannot run', () => {
  const database = useFixture(freshDatabase);

  for (const args of [
    [],
    ['sing'],
    ['operator'],
    ['operator', 'create'],
    ['operator', 'create', 'sample-fox', '--colour', 'red'],
    ['operator', 'create', 'sample-fox', '--expires-in', 'soon'],
    ['operator', 'create', 'sample-fox', '--expires-in', '0s'],
    ['operator', 'create', 'sample-fox', '--expires-in', '25h'],
    ['jobs', 'failed', '--limit', '0'],
    ['jobs', 'retry'],
    ['jobs', 'retry', 'sample', '--all'],
  ]) {
    it(`"${args.join(' ')}" prints its usage`, async () => {
      const { status, out, err } = await run(database(), args);
      expect({ status, out }).to.deep.equal({ status: 1, out: '' });
      expect(err)
        .to.match(/\S/)
        .and.not.to.match(/\n\s+at /);
    });
  }

  it('help exits with status 0', async () => {
    const { status, out } = await run(database(), ['operator', 'create', '--help']);
    expect(status).to.equal(0);
    expect(out).to.include('--expires-in <duration>');
  });

  it('invalid settings are listed', async () => {
    const { status, err } = await run(database(), ['operator', 'show', 'sample-fox'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect(status).to.equal(78);
    expect(err)
      .to.include('PORT')
      .and.to.include('LOG_LEVEL')
      .and.not.to.match(/\n\s+at /);
  });

  it('addresses of unreachable databases are printed without their passwords', async () => {
    const port = await freePort();
    const query = '?serverSelectionTimeoutMS=100&connectTimeoutMS=100';
    const mongo = { MONGODB_URL: `mongodb://someone:secret@127.0.0.1:${port}/${query}` };
    const redis = { REDIS_URL: `redis://someone:secret@127.0.0.1:${port}` };
    for (const [args, environment] of [
      [['operator', 'show', 'sample-fox'], mongo],
      [['jobs', 'failed'], redis],
    ] as const) {
      const { status, err } = await run(database(), args, environment);
      expect(status).to.equal(1);
      expect(err)
        .to.include(`127.0.0.1:${port}`)
        .and.to.match(/that of (MONGODB|REDIS)_URL/)
        .and.not.to.include('secret');
    }
  });
});

describe('durations', () => {
  it('are parsed in four units, and formatted in the largest that fits', () => {
    expect(['90s', '30m', '1h', '2d'].map(parseDuration)).to.deep.equal([90, 1_800, 3_600, 172_800]);
    expect([90, 1_800, 3_600, 172_800, 1].map(durationText)).to.deep.equal([
      '90 seconds',
      '30 minutes',
      '1 hour',
      '2 days',
      '1 second',
    ]);
  });

  for (const text of ['', '1', 'h', '0h', '-1h', '1.5h', '1h30m', '1 h', '1w', '9999999999s']) {
    it(`refuse "${text}"`, () => {
      expect(() => parseDuration(text)).to.throw(/such as 90s/);
    });
  }
});
