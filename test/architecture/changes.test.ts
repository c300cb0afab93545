import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { useFolder } from '../cli/support/temporary-folder.ts';
import { FOLDERS, readJson } from './support/source-files.ts';

interface Change {
  /** The row of "Where a change goes" in CONTRIBUTING.md. */
  readonly row: string;
  /** The first step of the change, in a file of the row: text that is there, and what takes its place. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** The files of the row that no longer compile after it. */
  readonly fails: readonly string[];
}

const before = (find: string, line: string) => ({ find, put: `${line}\n${find}` });

const CHANGES: readonly Change[] = [
  {
    row: 'an endpoint',
    file: 'api/context/api-context.ts',
    find: 'export interface ApiContext {',
    put: 'export interface ApiContext {\n  readonly added: string;',
    fails: ['api/context/open-context.ts', 'test/support/api-context.ts'],
  },
  {
    row: "a field of the board's entry",
    file: 'engine/contract/schemas/leaderboard.ts',
    ...before('    movement_24h: optional(', '    added: z.number().optional(),'),
    fails: ['engine/ranking/core/entry.ts'],
  },
  {
    row: 'a page of sign-in',
    file: 'api/auth/sign-in/paths.ts',
    ...before("  session: '", "  added: '/account/added',"),
    fails: [],
  },
  {
    row: 'a source of the CLI',
    file: 'engine/contract/platforms.ts',
    ...before('] as const', "  'added',"),
    fails: ['cli/src/sources/registry.ts'],
  },
  {
    row: 'a methodology',
    file: 'engine/ranking/methodologies/methodology.ts',
    find: "['yield-1'",
    put: "['yield-1', 'added'",
    fails: ['engine/ranking/core/score.ts'],
  },
  {
    row: 'a window',
    file: 'engine/contract/windows.ts',
    ...before(
      '] as const satisfies',
      "  { name: '24h', start: { hours: 24 }, label: '24 hours', sentence: 'over the last 24 hours' },",
    ),
    fails: [],
  },
  {
    row: 'a page of the site',
    file: 'api/site/render/page-text.ts',
    find: "readonly area?: 'Board'",
    put: "readonly area?: 'Board' | 'Added'",
    fails: [],
  },
  {
    row: 'a picture',
    file: 'api/site/routes/picture-routes.ts',
    ...before('  getBoardPicture,\n];', "  cardRoute('png', 'getAdded'),"),
    fails: [],
  },
  {
    row: 'an event of a board',
    file: 'api/v1/events/board-rows.ts',
    find: "event: 'board' | 'change'",
    put: "event: 'added' | 'board' | 'change'",
    fails: [],
  },
  {
    row: 'a metric',
    file: 'engine/ranking/report.ts',
    ...before('  /** Log entries past retention', '  added(count: number): void;'),
    fails: ['workers/ranking-report.ts'],
  },
  {
    row: 'a job',
    file: 'ops/runtime/queues/catalog.ts',
    find: 'export const JOBS = {',
    put: 'export const JOBS = {\n  added: upkeep(1_000, 1_000),',
    fails: ['workers/handlers/handlers.ts'],
  },
  {
    row: 'how data are stored',
    file: 'engine/mongo/migrations.ts',
    find: 'steps: [] }',
    put: 'steps: [], }',
    fails: [],
  },
  { row: 'a setting', file: 'config/env.ts', ...before('  LOG_LEVEL: z', '  ADDED: flag(false),'), fails: [] },
  {
    row: 'an error code',
    file: 'engine/contract/problem-codes.ts',
    ...before('    window_invalid: [', "    added: ['Added', 'Leave it out.'],"),
    fails: [],
  },
  {
    row: 'an operator command',
    file: 'ops/commands/command-context.ts',
    find: 'export interface CommandContext {',
    put: 'export interface CommandContext {\n  readonly added: string;',
    fails: ['ops/commands/main.ts'],
  },
  {
    row: 'a version of the tool',
    file: 'cli/src/version.ts',
    find: 'export const VERSION =',
    put: 'export const VERSION: string =',
    fails: [],
  },
];

/** The rows of CONTRIBUTING.md: what changes, and where it goes. */
function rows(): ReadonlyMap<string, string> {
  const [, table = ''] =
    /\| change \| files \|\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const cells = table.split('\n').map((line) => line.split(' | '));
  return new Map(
    cells.filter(({ length }) => length > 1).map(([change = '', ...files]) => [change.slice(2), files.join(' | ')]),
  );
}

describe('a change of each kind', () => {
  const folder = useFolder();

  it('has its first step here', () => {
    expect(CHANGES.map(({ row }) => row)).to.have.members([...rows().keys()]);
  });

  it('stops only what its row in CONTRIBUTING.md names from compiling', async () => {
    const copy = folder();
    for (const path of [...FOLDERS, 'tsconfig.json', 'package.json']) {
      cpSync(path, join(copy, path), { recursive: true, filter: (each) => !each.includes('node_modules') });
    }
    const { compilerOptions } = z.looseObject({ compilerOptions: z.unknown() }).parse(readJson('tsconfig.json'));
    // Tests that the changes do not name are left out: they would take as long again.
    const include = [...FOLDERS.filter((each) => each !== 'test'), 'test/support/api-context.ts'];
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
    for (const { row, file, find, put, fails } of CHANGES) {
      const text = readFileSync(join(copy, file), 'utf8');
      expect(text.split(find), `${row}: ${find}`).to.have.length(2);
      writeFileSync(join(copy, file), text.replace(find, put));
      for (const named of [file, ...fails]) expect(rows().get(row), row).to.include(named.split('/').at(-1));
    }
    const compiled = await promisify(execFile)('npx', ['--no-install', 'tsc', '--project', '.', '--checkers', '2'], {
      cwd: copy,
    }).catch((error: { stdout: string }) => error);
    const failed = [...compiled.stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file);
    expect([...new Set(failed)], compiled.stdout).to.have.members(CHANGES.flatMap(({ fails }) => fails));
  });
});
