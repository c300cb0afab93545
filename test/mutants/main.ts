import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * `npm run mutants [-- AREA|NAME …]`: applies each mutant of the table to a copy of the work tree, runs the tests that
 * should detect it, and reports surviving mutants. Exits with 1 when there are any. The tests must pass on the unchanged
 * copy: one that fails there would detect every mutant.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPY = join(ROOT, '.data/mutants');
const TIMEOUT_MS = 300_000;

const MUTANTS = z.array(
  z.strictObject({
    area: z.string(),
    name: z.string(),
    what: z.string(),
    file: z.string(),
    find: z.string(),
    replace: z.string(),
    tests: z.array(z.string()).nonempty(),
  }),
);
type Mutant = z.output<typeof MUTANTS>[number];

const selection = process.argv.slice(2);
const table = MUTANTS.parse(JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8')));
const chosen = table.filter(
  ({ area, name }) => selection.length === 0 || selection.includes(area) || selection.includes(name),
);
if (chosen.length === 0) {
  const areas = [...new Set(table.map(({ area }) => area))].join(', ');
  process.stderr.write(`No mutant matches ${selection.join(', ')}. Give the name of a mutant or an area: ${areas}.\n`);
  process.exit(1);
}

copyTree();
if (!passes([...new Set(chosen.flatMap(({ tests }) => tests))], 'inherit', TIMEOUT_MS * chosen.length)) {
  throw new Error('The tests fail, or do not end, on the unchanged copy');
}
const survivors = chosen.filter((mutant) => !isDetected(mutant));
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} detected\n`);
process.exitCode = survivors.length === 0 ? 0 : 1;

/** Copies tracked and untracked files, except ignored ones; links `node_modules`. */
function copyTree(): void {
  rmSync(COPY, { recursive: true, force: true });
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of list.toString('utf8').split('\0')) {
    if (file === '' || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(COPY, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(COPY, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
}

function isDetected({ name, what, file, find, replace, tests }: Mutant): boolean {
  const path = join(COPY, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${name}: "find" does not occur exactly once in ${file}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  const detected = !passes(tests, 'ignore', TIMEOUT_MS);
  writeFileSync(path, text);
  process.stdout.write(`${detected ? 'detected' : 'SURVIVED'}  ${name}: ${what}\n`);
  return detected;
}

function passes(tests: readonly string[], stdio: 'ignore' | 'inherit', timeout: number): boolean {
  const command = ['ops/bootstrap.mjs', 'test', ...tests, '--bail'];
  return spawnSync(process.execPath, command, { cwd: COPY, timeout, stdio }).status === 0;
}
