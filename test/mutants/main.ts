import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * `npm run mutants [-- AREA|NAME …]`: applies each change of the table to a copy of the work tree, runs the tests that
 * should notice it, and reports those that no test noticed. Exits with 1 when there are any. The tests must pass on the
 * unchanged copy: one that fails there would notice every change.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPY = join(ROOT, '.data/mutants');
const WITHIN_MS = 300_000;

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

const asked = process.argv.slice(2);
const table = MUTANTS.parse(JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8')));
const chosen = table.filter(({ area, name }) => asked.length === 0 || asked.includes(area) || asked.includes(name));
if (chosen.length === 0) throw new Error(`No change is called ${asked.join(', ')}`);

copyTree();
if (!passes([...new Set(chosen.flatMap(({ tests }) => tests))], 'inherit', WITHIN_MS * chosen.length)) {
  throw new Error('The tests fail, or do not end, on the unchanged copy');
}
const unnoticed = chosen.filter((mutant) => !isNoticed(mutant));
process.stdout.write(`${chosen.length - unnoticed.length} of ${chosen.length} noticed\n`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

/** Copies what git tracks, or would; packages are shared with this tree. */
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

function isNoticed({ name, what, file, find, replace, tests }: Mutant): boolean {
  const path = join(COPY, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${name}: its text does not occur exactly once in ${file}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  const noticed = !passes(tests, 'ignore', WITHIN_MS);
  writeFileSync(path, text);
  process.stdout.write(`${noticed ? 'noticed    ' : 'NOT NOTICED'}  ${name}: ${what}\n`);
  return noticed;
}

function passes(tests: readonly string[], stdio: 'ignore' | 'inherit', timeout: number): boolean {
  const command = ['ops/bootstrap.mjs', 'test', ...tests, '--bail'];
  return spawnSync(process.execPath, command, { cwd: COPY, timeout, stdio }).status === 0;
}
