import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MINUTE_MS } from '../../config/units.ts';
import { commandLine, planTurn, type Turn } from './plan-turns.ts';
import { readResults, runSoak } from './run-soak.ts';

const LONG_TESTS = ['test/a.test.ts', 'test/b.test.ts', 'test/faults/schedules.test.ts'];
const MUTANTS = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7'];
const plan = (index: number, firstSeed: number): Turn => planTurn(index, firstSeed, LONG_TESTS, MUTANTS);

describe('npm run soak', () => {
  let folder: string;
  let lines: string[];
  let ran: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'upsilon-soak-'));
    lines = [];
    ran = [];
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs turns that take a minute each, of which those in `failing` fail. */
  function soak(minutes: number, failing: readonly number[] = []): Promise<boolean> {
    let now = 0;
    return runSoak({
      folder,
      minutes,
      newSeed: () => 7,
      plan,
      run: async (turn) => {
        now += MINUTE_MS;
        ran.push(commandLine(turn));
        return !failing.includes(ran.length - 1);
      },
      now: () => now,
      print: (line) => void lines.push(line),
    });
  }

  it('alternates between fault schedules, long forms and mutants, each turn with a different seed', async () => {
    expect(await soak(12)).to.equal(true);
    expect(ran.map((command) => command.replace(/TEST_SEED=\d+ /, ''))).to.deep.equal([
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/a.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/b.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'npm run mutants -- m-1 m-2 m-3 m-4 m-5',
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/a.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/b.test.ts',
      'TEST_LONG_RUN=1 npm test -- test/faults/schedules.test.ts',
      'npm run mutants -- m-6 m-7 m-1 m-2 m-3',
    ]);
    expect(new Set(ran.map((command) => /TEST_SEED=\d+/.exec(command)![0]))).to.have.property('size', 12);
  });

  it('continues after the last recorded turn, also when a kill cut off its line', async () => {
    await soak(3);
    appendFileSync(join(folder, 'turns.jsonl'), '\n{"index":3,"firstSe');
    await soak(3);
    expect(ran).to.deep.equal([0, 1, 2, 3, 4, 5].map((index) => commandLine(plan(index, 7))));
    expect(readResults(join(folder, 'turns.jsonl')).map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4, 5]);
  });

  it('fails when a turn failed, and prints the command that repeats it', async () => {
    expect(await soak(3, [1])).to.equal(false);
    const command = 'TEST_SEED=10007 TEST_LONG_RUN=1 npm test -- test/a.test.ts';
    expect(lines.at(-1)).to.include(`Repeat turn 1: ${command}\n`);
    expect(readResults(join(folder, 'turns.jsonl'))[1]).to.include({ command, passed: false, name: 'test/a.test.ts' });
  });
});
