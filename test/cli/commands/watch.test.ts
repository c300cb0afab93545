import { expect } from 'chai';
import { CliError, type ExitName } from '../../../cli/src/cli-error.ts';
import { watchRounds } from '../../../cli/src/commands/watch.ts';
import { openScreen } from '../../../cli/src/output/screen.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-06-01T12:00:00Z');

/** A round: how it ends, and what happens to the clock afterwards, in milliseconds beside the time that passes. */
interface Round {
  readonly ends?: ExitName | Error;
  readonly jump?: number;
}

/** Plays rounds every 15 minutes on a stepped clock; returns when each began, in minutes since the start. */
async function play(rounds: readonly Round[]): Promise<{ readonly began: number[]; readonly last: ExitName }> {
  const screen = openScreen({ json: true, color: false });
  const stop = new AbortController();
  const began: number[] = [];
  let now = START;
  let passed = 0;
  let jump = 0;
  const context = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      passed += milliseconds;
      now += milliseconds + jump;
      jump = 0;
    },
    submit: async () => {
      const round = rounds[began.length] ?? {};
      began.push(passed / MINUTE);
      if (began.length >= rounds.length) stop.abort();
      jump = round.jump ?? 0;
      if (round.ends instanceof Error) throw round.ends;
      return round.ends ?? 'ok';
    },
  };
  const last = await watchRounds(15, stop.signal, screen, context);
  return { began, last };
}

describe('watch', () => {
  it('submits immediately, and then at its interval', async () => {
    expect((await play([{}, {}, {}])).began).to.deep.equal([0, 15, 30]);
  });

  it('submits once when the machine wakes after sleeping through a round', async () => {
    const { began } = await play([{}, { jump: 600 * MINUTE }, {}, {}]);
    expect(began).to.deep.equal([0, 15, 15.25, 30.25]);
  });

  it('waits no longer than its interval when the clock is set back', async () => {
    const { began } = await play([{}, { jump: -24 * 60 * MINUTE }, {}, {}]);
    expect(began).to.deep.equal([0, 15, 30, 45]);
  });

  it('continues while the service is unreachable, busy or refuses, and while another run holds the lock', async () => {
    const { began, last } = await play([
      { ends: failure('network', 'unreachable') },
      { ends: failure('network', 'rate_limited') },
      { ends: 'pending' },
      { ends: 'nothing' },
      { ends: 'refused' },
      { ends: failure('files', 'locked') },
      {},
    ]);
    expect(began).to.have.length(7);
    expect(last).to.equal('ok');
  });

  it('ends when a plan is needed, after reporting it', async () => {
    expect(await play([{}, { ends: 'plan' }, {}])).to.deep.equal({ began: [0, 15], last: 'plan' });
  });

  for (const [exit, code] of [
    ['auth', 'signed_out'],
    ['plan', 'plan_required'],
    ['files', 'file_unwritable'],
  ] as const) {
    it(`ends with a failure that needs the user: ${code}`, async () => {
      const outcome = await play([{}, { ends: new CliError(exit, code, 'any') }, {}]).catch((error: unknown) => error);
      expect(outcome).to.include({ exit, code });
    });
  }
});

function failure(exit: ExitName, code: string): Error {
  return new CliError(exit, code, 'any');
}
