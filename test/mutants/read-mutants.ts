import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applyFault, FAULT, type Fault } from './apply-fault.ts';

export const TABLE = 'test/mutants/guarantees.json';
/** The folders of the product. */
export const PRODUCT = ['api', 'cli/src', 'config', 'engine', 'ops', 'workers'];

const ROWS = z.record(
  z.string().regex(/^[a-z0-9-]+$/),
  z.strictObject({
    /** What the product would do wrong. */
    what: z.string(),
    fault: FAULT,
    /** Below `test/`; the test of the module without. */
    tests: z.array(z.string()).nonempty().optional(),
  }),
);

/** A fault of the product, and the tests that should detect it. Paths are relative to the project's folder. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  readonly file: string;
  readonly tests: readonly string[];
  /** The text of the file with the fault, from the text without. */
  readonly mutated: (text: string) => string;
}

/** Every mutant of the table. Throws an Error that lists each row whose module is not found. */
export function readMutants(root: string): Mutant[] {
  const rows = Object.entries(ROWS.parse(JSON.parse(readFileSync(join(root, TABLE), 'utf8'))));
  const modules = exportingModules(root);
  const wrong = rows.flatMap(([name, row]) => {
    const files = modules.get(exportOf(row)) ?? [];
    return files.length === 1 ? [] : [`${name}: ${exportOf(row)} is exported by ${files.join(', ') || 'no module'}`];
  });
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return rows.map(([name, { what, fault, tests }]) => {
    const file = modules.get(exportOf({ fault }))![0]!;
    const own = file.replace(/^cli\/src\//, 'cli/').replace(/\.ts$/, '');
    const paths = (tests ?? [own]).map((test) => `test/${test}.test.ts`);
    return { name, what, file, tests: paths, mutated: (text) => applyFault(file, text, fault) };
  });
}

const exportOf = ({ fault }: { readonly fault: Fault }): string => fault.in.split('.')[0]!;

/** The modules of the product by the names that they declare and export. */
function exportingModules(root: string): ReadonlyMap<string, readonly string[]> {
  const modules = new Map<string, string[]>();
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...PRODUCT], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((path) => path.endsWith('.ts') && existsSync(join(root, path)))) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm)) {
      modules.set(name, [...(modules.get(name) ?? []), file]);
    }
  }
  return modules;
}
