import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { changedFiles, importersOf } from '../runner/changed-files.ts';
import { readDurations } from '../runner/durations.ts';
import { selectDependentTests } from '../runner/select-tests.ts';
import { childOf, type Node, nodesOf, type Placed, placedIn } from './apply-fault.ts';
import { type Mutant, PRODUCT } from './read-mutants.ts';

/** Test files that are run for a mutant. */
const NEAREST = 3;

/** A fault that a machine made in a line: the text of the module with it, and what was replaced by what. */
export interface GeneratedFault {
  readonly line: number;
  readonly what: string;
  readonly text: string;
}

const LOOSENED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const COMPARED = /^(?:[!=]==|[<>]=?|in|instanceof|&&|\|\|)$/;

/**
 * The faults in lines of a module, each in one place: an `await` of a statement is dropped, two arguments are exchanged, `<` becomes
 * `<=`, a statement is deleted, a condition or an answer is constant. Some of them change nothing that a test could see.
 */
export function generateFaults(path: string, text: string, lines: ReadonlySet<number>): GeneratedFault[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const lineOf = ({ start }: Node): number => starts.findLastIndex((at) => at <= start) + 1;
  return nodesOf(program)
    .flatMap((node) => placedIn(node, []))
    .filter(({ node }) => lines.has(lineOf(node)))
    .flatMap((placed) =>
      editsOf(text, placed).map(([{ start, end }, by]) => {
        const shown = text.slice(start, end).replace(/\s+/g, ' ');
        const what = `${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown} → ${by.trim()}`;
        return { line: lineOf(placed.node), what, text: text.slice(0, start) + by + text.slice(end) };
      }),
    );
}

type Edit = readonly [replaced: Pick<Node, 'start' | 'end'>, by: string];

/** The faults of one node. */
function editsOf(text: string, { node, around }: Placed): Edit[] {
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  const parent = around.at(-1);
  const operator = String(node['operator']);
  switch (node.type) {
    case 'ExpressionStatement': {
      const awaited = childOf(node, 'expression');
      const argument = awaited?.type === 'AwaitExpression' ? childOf(awaited, 'argument') : undefined;
      const isDirective = node['directive'] !== undefined && node['directive'] !== null;
      return isDirective
        ? []
        : [[node, ';'], ...(argument === undefined ? [] : [[awaited!, textOf(argument)] as const])];
    }
    case 'ThrowStatement':
      return [[node, ';']];
    case 'CallExpression':
    case 'NewExpression':
      return exchanged(nodesOf(node['arguments']), textOf);
    case 'BinaryExpression': {
      const by = LOOSENED[operator];
      const [left, right] = [childOf(node, 'left')!, childOf(node, 'right')!];
      return by === undefined ? [] : [[node, `${textOf(left)} ${by} ${textOf(right)}`]];
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((by) => [childOf(node, 'test')!, by]);
    case 'ReturnStatement':
      return constants(childOf(node, 'argument'));
    case 'ArrowFunctionExpression':
      // An argument is often a callback whose answer is not read.
      return node['expression'] === true && parent?.type !== 'CallExpression' ? constants(childOf(node, 'body')) : [];
    default:
      return [];
  }
}

/** Neighbours are exchanged where both could be the other: a function never takes the place of a number. */
function exchanged(given: readonly Node[], textOf: (node: Node) => string): Edit[] {
  return given.slice(1).flatMap((second, index): Edit[] => {
    const first = given[index]!;
    const [one, other] = [textOf(first), textOf(second)];
    if (kindOf(first) === null || kindOf(first) !== kindOf(second) || one === other) return [];
    return [[{ start: first.start, end: second.end }, `${other}, ${one}`]];
  });
}

/** Null for what is never exchanged. */
function kindOf({ type, ...node }: Node): string | null {
  if (type === 'Literal') return typeof node['value'];
  return /^(?:Identifier|MemberExpression|ChainExpression|CallExpression|AwaitExpression)$/.test(type) ? 'value' : null;
}

/** What is answered in place of a value; nothing in place of what is constant already. */
function constants(answer: Node | undefined): Edit[] {
  if (answer === undefined || /^(?:Literal|Identifier|ThisExpression)$/.test(answer.type)) return [];
  if (answer.type === 'ParenthesizedExpression') return constants(childOf(answer, 'expression'));
  const operator = String(answer['operator']);
  const isBoolean = COMPARED.test(operator) || operator === '!';
  return (isBoolean ? ['true', 'false'] : ['null']).map((by) => [answer, by]);
}

/** Faults in the lines of modules of the product that differ from a commit, each with the tests that are nearest to its module. */
export function generateMutants(root: string, commit: string, isNamed: (file: string) => boolean): Mutant[] {
  const importers = importersOf(root);
  const durations = readDurations();
  const files = changedFiles(root, commit).filter((file) => {
    return file.endsWith('.ts') && PRODUCT.some((folder) => file.startsWith(`${folder}/`)) && isNamed(file);
  });
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const faults = generateFaults(file, text, changedLines(root, commit, file));
    if (faults.length === 0) return [];
    const { chosen, further } = selectDependentTests([file], importers, durations, 0);
    // Its own test, those that import it themselves, and of the others those that lie beside its own.
    const direct = new Set(importers(file));
    const others = further.toSorted((a, b) => besides(file, b) - besides(file, a));
    const nearest = others.toSorted((a, b) => Number(direct.has(b)) - Number(direct.has(a)));
    const tests = [...chosen, ...nearest].slice(0, NEAREST);
    return faults.map(({ line, what, text: mutated }) => {
      return { name: `${file}:${line}`, what, file, tests, mutated: () => mutated };
    });
  });
}

/** How many folders a test has in common with the test of a module. */
function besides(file: string, test: string): number {
  const own = ['test', ...dirname(file.replace(/^cli\/src\//, 'cli/')).split('/')];
  const shared = test.split('/').findIndex((part, index) => part !== own[index]);
  return shared < 0 ? own.length : shared;
}

/** The numbers of the lines that a commit does not have; of a file that it does not have, all. */
function changedLines(root: string, commit: string, file: string): ReadonlySet<number> {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  // A file that is not tracked yet differs from an empty one.
  const isTracked = git('ls-files', '--', file) !== '';
  const added = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm;
  const diff = isTracked ? git('diff', '-U0', '--no-renames', commit, '--', file) : '@@ -0,0 +1,100000 @@';
  return new Set(
    [...diff.matchAll(added)].flatMap(([, from, count = '1']) =>
      Array.from({ length: Number(count) }, (_, index) => Number(from) + index),
    ),
  );
}
