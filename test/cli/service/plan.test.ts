import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { planService } from '../../../cli/src/service/plan.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { failureOf } from '../support/parsing.ts';
import { LINUX, withVariables } from '../support/scan-source.ts';

const BASE_URL = 'https://board.example/api/v1';

function plan(stream: string, variables = {}, flags = {}) {
  const env = withVariables(LINUX, variables);
  return planService(readSettings({ baseUrl: BASE_URL, ...flags }, env), env, 'upsilon', stream);
}

describe('the plan of a background service', () => {
  it('spreads the runs of all machines over the hour, each always at the same second', () => {
    const minutes = new Map<number, number>();
    for (let machine = 0; machine < 6_000; machine += 1) {
      const stream = randomBytes(16).toString('base64url');
      const { second } = plan(stream);
      expect(plan(stream).second).to.equal(second);
      const minute = Math.floor(second / 60);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    }
    expect(minutes.size).to.equal(60);
    // 100 are expected, and a deviation of 10.
    for (const [minute, machines] of minutes) expect(machines, `minute ${minute}`).to.be.within(50, 150);
  });

  it('keeps the variables that move logs, and no token', () => {
    const moved = { CODEX_HOME: '/srv/codex', XDG_DATA_HOME: '/srv/data', UPSILON_HISTORY: 'off' };
    const { variables, command } = plan('a-stream', { ...moved, UPSILON_TOKEN: 'a-secret', OTHER: 'x' });
    expect(Object.fromEntries(variables)).to.deep.equal(moved);
    expect(command.join(' ')).to.include('--no-history').and.not.include('a-secret');
  });

  it('keeps what the command line selects', () => {
    const { command } = plan('a-stream', {}, { platform: ['codex', 'amp'], sourceDir: ['/srv/logs'] });
    expect(command.slice(-6)).to.deep.equal(['--platform', 'codex', '--platform', 'amp', '--source-dir', '/srv/logs']);
  });

  it('refuses what would end a line of a unit', async () => {
    const planned = Promise.resolve().then(() => plan('a-stream', { CODEX_HOME: '/srv\nExecStart=/bin/sh' }));
    expect(await failureOf(planned)).to.include({ exit: 'usage', code: 'settings_invalid' });
  });
});
