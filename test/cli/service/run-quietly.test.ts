import { expect } from 'chai';
import { CliError, type ExitName } from '../../../cli/src/cli-error.ts';
import { runQuietly } from '../../../cli/src/service/run-quietly.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { LINUX } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const START = Date.parse('2026-06-01T12:17:00Z');

function everyHour(hours: number): readonly number[] {
  return Array.from({ length: hours }, (_, hour) => hour);
}

describe('background runs', () => {
  const folder = useFolder();

  /** Plays runs that end so, one for each of these hours after the start. */
  async function play(hours: readonly number[], ending: (hour: number) => ExitName | Error) {
    const settings = readSettings({ configDir: folder(), baseUrl: 'https://board.example/api/v1' }, LINUX);
    const tried: number[] = [];
    const reported: number[] = [];
    for (const hour of hours) {
      const now = () => START + hour * HOUR_MS;
      const submit = async (): Promise<ExitName> => {
        tried.push(hour);
        const ended = ending(hour);
        if (ended instanceof Error) throw ended;
        return ended;
      };
      const exit = await runQuietly(settings, () => undefined, now, submit).catch(() => 'failed');
      if (exit !== 'ok') reported.push(hour);
    }
    return { tried, reported };
  }

  it('submit every hour, also when the schedule is a little early', async () => {
    expect((await play([0, 1, 1.99, 2.98], () => 'ok')).tried).to.deep.equal([0, 1, 1.99, 2.98]);
  });

  it('leave out what a fresh success makes unnecessary, except when the clock was set back', async () => {
    expect((await play([0, 0.1, 0.2, 0.3, -5], () => 'ok')).tried).to.deep.equal([0, 0.2, -5]);
  });

  it('wait twice as long after each failure, a day at most, and report those that last for a day', async () => {
    const { tried, reported } = await play(everyHour(120), () => new CliError('network', 'unreachable', 'no way'));
    expect(tried).to.deep.equal([0, 1, 3, 7, 15, 31, 55, 79, 103]);
    expect(reported).to.deep.equal([31, 55, 79, 103]);
  });

  it('forget failures with a success', async () => {
    const { tried, reported } = await play(everyHour(12), (hour) => (hour === 3 ? 'nothing' : 'pending'));
    expect(tried).to.deep.equal([0, 1, 3, 4, 5, 7, 11]);
    expect(reported).to.deep.equal([]);
  });

  for (const exit of ['auth', 'plan', 'refused', 'files', 'usage'] as const) {
    it(`report at once that the user has to do something (${exit})`, async () => {
      const thrown = await play(everyHour(8), () => new CliError(exit, 'some_code', 'Do something.'));
      expect([thrown.tried, thrown.reported]).to.deep.equal([
        [0, 1, 3, 7],
        [0, 1, 3, 7],
      ]);
      const later = 3 * (DAY_MS / HOUR_MS);
      expect((await play([later], () => exit)).reported).to.deep.equal([later]);
    });
  }

  it('wait silently for another run that holds the lock', async () => {
    const { tried, reported } = await play(everyHour(3), () => new CliError('files', 'locked', 'another run'));
    expect([tried, reported]).to.deep.equal([[0, 1], []]);
  });
});
