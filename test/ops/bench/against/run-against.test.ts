import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { pairedRatio } from '../../../../ops/bench/against/paired-ratios.ts';
import { comparisonTable, runAgainst } from '../../../../ops/bench/against/run-against.ts';
import { parseBenchArguments } from '../../../../ops/bench/frame/arguments.ts';

/** A project whose benches read what they report from its own files. Runs are noted in the log beside it. */
const BOOTSTRAP = `
import { appendFileSync, readFileSync } from 'node:fs';
import { tool } from 'tool';
const [, , command, name, ...options] = process.argv;
const { label, benches } = JSON.parse(readFileSync(new URL('benches.json', import.meta.url), 'utf8'));
appendFileSync(process.env.RUN_LOG ?? '', [label, command, name, ...options].join(' ') + '\\n');
if (benches[name] === undefined) process.exit(2);
if (benches[name] === 'broken') throw new Error('the disk is full');
console.log('a table');
console.log(JSON.stringify({ name, ...benches[name][0], figures: benches[name].map((one) => ({ ...one, ratio: null, against: tool })) }));
`;

const rate = { name: 'reads', unit: 'answers/s' };
const ratios = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const cost = { name: 'commit', unit: 'ms' };

describe('a bench against another commit', () => {
  let folder = '';
  let root = '';
  const log = (): string => join(folder, 'runs.log');

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const benches = (label: string, list: object): void =>
    write('ops/benches.json', JSON.stringify({ label, benches: list }));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  const run = async (...args: readonly string[]) => {
    process.env['RUN_LOG'] = log();
    const request = parseBenchArguments(args);
    const dataDir = join(folder, 'data');
    const against = request.against ?? '';
    return runAgainst({ root, dataDir, request: { ...request, against }, progress: () => undefined });
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'upsilon-against-'));
    root = join(folder, 'project');
    write('package.json', '{"type":"module"}');
    write('package-lock.json', '{}');
    write('ops/bootstrap.mjs', BOOTSTRAP);
    write('.gitignore', 'node_modules\n');
    write('node_modules/tool/package.json', '{"type":"module","exports":"./index.js"}');
    write('node_modules/tool/index.js', "export const tool = 'linked';");
    write('node_modules/.package-lock.json', '{}');
    write('node_modules/.cache/compiled.json', '{}');
    write('workspace/package.json', '{}');
    symlinkSync('../workspace', join(root, 'node_modules/workspace'));
    benches('then', {
      both: [
        { ...rate, value: 100 },
        { ...cost, value: 10 },
      ],
      former: [{ ...rate, value: 50 }],
      broken: 'broken',
    });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'First');
    benches('now', {
      both: [
        { ...rate, value: 90 },
        { ...cost, value: 8 },
        { ...cost, name: 'new', value: 1 },
      ],
      present: [{ ...rate, value: 55 }],
      broken: [{ ...rate, value: 1 }],
    });
  });

  afterEach(() => {
    delete process.env['RUN_LOG'];
    rmSync(folder, { recursive: true });
  });

  it('alternates runs of both trees and reports how much better or worse this one is', async () => {
    const result = await run('both', '--against=HEAD', '--rounds=2');
    expect(result).to.include({ pairs: 9, commit: git('rev-parse', 'HEAD').trim() });
    const shown = result.figures.map(({ name, here, there, ratio }) => [name, here, there, ratio.median, ratio.low]);
    expect(shown).to.deep.equal([
      ['reads', 90, 100, 0.9, 0.9],
      ['commit', 8, 10, 1.25, 1.25],
    ]);
    expect(result.unmatched).to.deep.equal(['new']);
    expect(comparisonTable(result)).to.match(/\nreads +answers\/s +90 +100 +0\.900 +0\.900 to 0\.900\n/);
    const runs = readFileSync(log(), 'utf8').trimEnd().split('\n');
    const order = ['now', 'then', 'then', 'now', 'then', 'now', 'now', 'then'];
    const turns = Array.from({ length: 3 }, () => order.map((label) => `${label} bench both --rounds=2`)).flat();
    expect(runs).to.deep.equal(['then bench both --tiny', 'now bench both --tiny', ...turns.slice(0, 18)]);
  });

  it('compares a bench that had another name then', async () => {
    const { figures } = await run('present', '--against=HEAD', '--against-name=former', '--pairs=11');
    expect(figures.map(({ ratio }) => ratio.median)).to.deep.equal([1.1]);
    const refusal = await run('present', '--against=HEAD').then(() => '', String);
    expect(refusal).to.match(/[0-9a-f]{12} has no bench present; --against-name=NAME/);
  });

  it('refuses commits, names and numbers that are not there, and a run that fails', async () => {
    for (const [args, reason] of [
      [['both', '--against=no-such-commit'], /rev-parse/],
      [['unknown', '--against=HEAD'], /has no bench unknown/],
      [['both', '--against=HEAD', '--pairs=8'], /at least 9/],
      [['broken', '--against=HEAD'], /the disk is full/],
    ] as const) {
      expect(await run(...args).then(() => '', String), args.join(' ')).to.match(reason);
    }
  });

  it("links packages where both lockfiles are equal, with the other tree's own workspaces", async () => {
    const refused = await run('unknown', '--against=HEAD').then(() => '', String);
    expect(refused).to.include('has no bench');
    const other = join(folder, 'data/bench-trees', git('rev-parse', 'HEAD').trim());
    expect(lstatSync(join(other, 'node_modules/tool')).isSymbolicLink()).to.equal(true);
    expect(existsSync(join(other, 'node_modules/.cache'))).to.equal(false);
    expect(existsSync(join(other, 'node_modules/workspace/package.json'))).to.equal(true);
    rmSync(join(root, 'workspace'), { recursive: true });
    expect(existsSync(join(other, 'node_modules/workspace/package.json'))).to.equal(true);
    git('commit', '-qam', 'Second');
    write('package-lock.json', '{"packages":{}}');
    const refusal = await run('both', '--against=HEAD').then(() => '', String);
    // Its own bootstrap installs what it needs; this one installs nothing.
    expect(refusal).to.include('ERR_MODULE_NOT_FOUND');
  });
});

describe('the interval of a median of paired ratios', () => {
  it('is that of the sign test', () => {
    // Coverage from tables of the binomial distribution.
    for (const [pairs, low, high, coverage] of [
      [9, 2, 8, 0.961],
      [10, 2, 9, 0.979],
      [15, 4, 12, 0.965],
      [25, 8, 18, 0.957],
    ] as const) {
      const found = pairedRatio(ratios(pairs).toReversed());
      expect(found).to.include({ median: (pairs + 1) / 2, low, high });
      expect(found.coverage).to.be.closeTo(coverage, 0.0005);
    }
  });

  it('is refused for fewer than nine pairs', () => {
    expect(() => pairedRatio(ratios(8))).to.throw('at least 9');
  });
});
