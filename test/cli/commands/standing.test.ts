import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { fetchStanding, fetchYieldOfRank, openBoard, type PublicBoard } from '../../../cli/src/net/public-board.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { openRankedField, RANKED, rowAt } from '../support/ranked-field.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** The Yields of the field without one row, best first. */
function yieldsWithout(rank: number | null): readonly number[] {
  const ranks = Array.from({ length: RANKED }, (_, index) => index + 1).filter((each) => each !== rank);
  return ranks.map((each) => rowAt(each).yield_);
}

describe('the standing of counts on a large board', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const field = useFixture(openRankedField);
  const baseUrl = (): string => `${field().origin}/api/v1`;

  /** Writes a log with the counts of the row at a rank. */
  const useCountsOf = async (rank: number, more: object = {}): Promise<void> => {
    await rm(join(home(), '.config'), { recursive: true, force: true });
    const { input, output, cache_read } = rowAt(rank).counts;
    const usage = { id: 'a', request: 'r', input, output, cacheRead: cache_read, cacheWrite: 0, ...more };
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine(usage)]);
  };
  /** What a command shows, with single spaces. */
  const shown = async (args: string, codename?: string): Promise<string> => {
    const own = codename === undefined ? {} : { UPSILON_CODENAME: codename };
    const { stdout, stderr } = await runCli(home(), args.split(' '), { UPSILON_BASE_URL: baseUrl(), ...own });
    expect(stderr).to.equal('');
    return stdout.replaceAll(/\s+/g, ' ');
  };
  const board = async (codename: string | null): Promise<PublicBoard> => {
    const opened = await openBoard({ baseUrl: baseUrl(), codename }, 'all_time');
    if (typeof opened === 'string') throw new Error(opened);
    return opened;
  };

  /** The name, Yield and rank of each goal, or the message of an error. */
  const goals = async (args: string, codename: string) => {
    const env = { UPSILON_BASE_URL: baseUrl(), UPSILON_CODENAME: codename };
    const { stdout } = await runCli(home(), [...args.split(' '), '--json'], env);
    const {
      goals: found,
      error,
    }: { goals?: readonly { name: string; yield_: number; rank: number }[]; error?: { message: string } } =
      JSON.parse(stdout);
    return found?.map(({ name, yield_, rank }) => [name, yield_, rank]) ?? error?.message;
  };

  it('is exact everywhere, and so is the Yield of a rank, beside the own row or none', async () => {
    for (const own of [null, 1, 2, 101, 4_321, RANKED]) {
      const others = yieldsWithout(own);
      const opened = await board(own === null ? null : `ROW-${own}`);
      const rank = fc.integer({ min: 1, max: RANKED });
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(rank, fc.constantFrom(own ?? 1, RANKED)),
          fc.constantFrom(0.9999, 1, 1.0001),
          async (at, times) => {
            const yield_ = rowAt(at).yield_ * times;
            const standing = await fetchStanding(opened, yield_);
            if (typeof standing === 'string') throw new Error(standing);
            const above = others.filter((each) => each > yield_);
            expect(standing).to.include({ rank: above.length + 1, total_operators: others.length + 1 });
            const { rank: next = null, yield_: better = null } = standing.next_place ?? {};
            const least = above.at(-1) ?? null;
            expect([next, better]).to.deep.equal([least === null ? null : above.indexOf(least) + 1, least]);
            expect(await fetchYieldOfRank(opened, at)).to.equal(others[at - 1] ?? null);
          },
        ),
        { numRuns: 10 },
      );
    }
  });

  it('is shown by a dry run and by what-if, at rank 1, 101, 4,321 and behind all', async () => {
    for (const [rank, place, next] of [
      [
        1,
        'tier BASE: on the all-time board these counts would be rank 1 of 5,001 (percentile 100).',
        'Next: tier POWER from Yield 1,000 (rank 1).',
      ],
      [
        101,
        'rank 101 of 5,001 (percentile 98).',
        'Next: rank 99 from Yield 190.4; tier POWER from Yield 1,000 (rank 1).',
      ],
      [
        4_321,
        'tier SEEKER: on the all-time board these counts would be rank 4,321 of 5,001 (percentile 13.6).',
        'Next: rank 4,319 from Yield 23.06; tier BASE from Yield 100 (rank 1,387).',
      ],
    ] as const) {
      await useCountsOf(rank);
      expect(await shown('--dry-run'))
        .to.include(place)
        .and.include(next);
      expect(await shown('what-if --output +0')).to.include(`${rank.toLocaleString('en-US')} of 5,001`);
    }
    await useCountsOf(RANKED, { output: 1_000 });
    expect(await shown('--dry-run')).to.include('rank 5,001 of 5,001 (percentile 0).');
  });

  it('leaves out the own row where there is one, and nothing for a codename that the board does not know', async () => {
    await useCountsOf(4_321);
    expect(await shown('--dry-run', 'row-1'))
      .to.include('rank 4,320 of 5,000')
      .and.include('Your row on the board at present: Witnessed 0 of 45 days, so the row is provisional');
    for (const codename of ['held-row', 'small-row', 'nobody-here'])
      expect(await shown('--dry-run', codename)).to.include('rank 4,321 of 5,001');
  });

  it('says what a Yield needs before it is numbered', async () => {
    await useCountsOf(1, { output: 50_000 });
    const needed = 'once 30 witnessed days vouch for it and a moderator has accepted it';
    expect(await shown('--dry-run', 'held-row'))
      .to.include(`rank 2,773 of 5,001 (percentile 44.5), ${needed}.`)
      .and.include('counts from its 30th vouching day on, 0 so far');
    const goal = await shown('goal', 'held-row');
    expect(goal)
      .to.include(`rank 2,773 of 5,001 (percentile 44.5), ${needed}.`)
      .and.include(`Rank 2,771 counts ${needed}.`)
      .and.include(`Tier BASE counts ${needed}.`);
    expect(await shown('what-if --output x2', 'held-row'))
      .to.include(`Now: the rank counts ${needed}.`)
      .and.include(`What if: the rank counts ${needed}.`);
    // Without a codename the board does not know whose tool it is.
    await useCountsOf(1, { output: 3_000_000 });
    expect(await shown('--dry-run')).to.include(
      'rank 1 of 5,001 (percentile 100), once 3 witnessed days vouch for it. Next: tier ARCH from Yield 10,000 (rank 1).',
    );
  });

  it('is shown by status: settled, held and unranked', async () => {
    const ranked = await shown('status', 'row-4321');
    expect(ranked)
      .to.include('row-4321 is rank 4,321 of 5,000 (percentile 13.6), tier SEEKER, Yield 23.0')
      .and.include('Next: rank 4,319 from Yield 23.06; tier BASE from Yield 100 (rank 1,387).');
    expect(await shown('status', 'row-1'))
      .to.include('rank 1 of 5,000 (percentile 100), tier BASE')
      .and.include('Next: tier POWER from Yield 1,000 (rank 1).');
    expect(await shown('status', 'held-row'))
      .to.include('held-row is not ranked, because its Yield is not settled yet.')
      .and.include('Next: rank 2,771 from Yield 50.03; tier BASE')
      .and.include(
        'it would be rank 2773: counts from its 30th vouching day on, 0 so far, and once a moderator has accepted the Yield.',
      );
    expect(await shown('status', 'small-row'))
      .to.include('small-row is not ranked, because the usage has fewer tokens than the methodology requires.')
      .and.include('Missing: needs 400,000 tokens')
      .and.not.include('Next:');
    expect(await shown('share', 'row-1'))
      .to.include(
        'row-1 on Upsilon: rank 1 of 5,000 AI operators over all time, tier BASE, usage witnessed on 0 of 45 days',
      )
      .and.include('<img src="http://');
    expect(await shown('share', 'held-row')).to.include('held-row on Upsilon: not ranked yet, usage witnessed on 0');
    expect(await shown('status', 'nobody-here'))
      .to.include('nobody-here is not on the board yet, or you hid the row.')
      .and.not.include('Next:');
  });

  it('is where goals begin: the next rank and tier, any rank and any tier', async () => {
    await useCountsOf(4_321);
    expect(await goals('goal', 'nobody-here')).to.deep.equal([
      ['rank 4,319', rowAt(4_319).yield_, 4_319],
      ['tier BASE', 100, 1_387],
    ]);
    expect(await goals('goal --rank 4000 --tier power', 'row-4321')).to.deep.equal([
      ['tier POWER', 1_000, 1],
      ['rank 4,000', rowAt(4_000).yield_, 3_999],
    ]);
    expect(await goals('goal --rank 1', 'row-1')).to.deep.equal([['rank 1', rowAt(2).yield_, 1]]);
    expect(await goals('goal --rank 4321', 'row-4321')).to.deep.equal([]);
    expect(await goals('goal --rank 5001', 'nobody-here')).to.deep.equal([]);
    expect(await goals('goal --rank 5001', 'row-4321')).to.equal('the last rank is 5,000, with yours among them');
    expect(await shown('goal --rank 4321', 'row-4321')).to.include(
      'tier SEEKER, rank 4,321 of 5,000 (percentile 13.6). This goal is reached.',
    );
    await useCountsOf(1, { output: 4_000_000, cacheRead: 1_000_000_000 });
    expect(await shown('goal')).to.include('There is nothing above: this is the first rank and the highest tier.');
  });

  it('shows what moved a rank', async () => {
    await useCountsOf(4_321);
    const { output } = rowAt(101).counts;
    const line = assistantLine({
      id: 'b',
      request: 'r',
      input: 0,
      output: output - rowAt(4_321).counts.output,
      cacheRead: 0,
      cacheWrite: 0,
    });
    await writeLog(home(), '.claude/projects/p/two.jsonl', [
      line.replace('2026-05-01T10:00:00.000Z', new Date().toISOString()),
    ]);
    expect(await shown('why', 'row-1')).to.include(
      'On the present board, from tier SEEKER, rank 4,320 of 5,000 (percentile 13.6) to tier BASE, rank 100 of 5,000 (percentile 98).',
    );
  });

  it('is none for counts below the floors, with what they lack', async () => {
    await useCountsOf(1, { input: 500 });
    expect(await shown('--dry-run')).to.include(
      'These counts have no rank yet: needs 1,000 input tokens, has 50% of that.',
    );
    const whatIf = await shown('what-if --input x2');
    expect(whatIf)
      .to.match(/ - none What if .* 1 of 5,001 /)
      .and.include(
        'Now: no rank and no tier, because the methodology requires more. It needs 1,000 input tokens, has 50% of that.',
      );
    // More output alone never brings the input that is required.
    await useCountsOf(1, { input: 500, output: 500, cacheRead: 1_000_000 });
    expect(await shown('goal'))
      .to.include('below the floors of the methodology')
      .and.not.include('tier POWER,');
  });
});
