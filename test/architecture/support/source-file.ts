import { posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** One import of another module. */
export interface Import {
  /** As written. */
  readonly specifier: string;
  /** The imported file, relative to the project's folder; null for packages and `node:` modules. */
  readonly file: string | null;
  /** Whether it leaves nothing behind when types are taken away. */
  readonly typesOnly: boolean;
}

/** A function and its number of lines. */
export interface MeasuredFunction {
  readonly line: number;
  readonly lines: number;
  /** The function that it is an argument of, such as `describe`; null when there is none. */
  readonly passedTo: string | null;
}

/** The facts of a source file that the rules check. */
export interface SourceFile {
  /** Relative to the project's folder, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly functions: readonly MeasuredFunction[];
  /** Every identifier, and every member access of one (`process.env`). */
  readonly names: ReadonlySet<string>;
  /** Whether it contains `async` or `await`. */
  readonly waits: boolean;
}

/** Parses a source file. Throws when it is not valid TypeScript or JavaScript, so that nothing is overlooked. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineAt = lineCounter(text);
  const imports: Import[] = [];
  const functions: MeasuredFunction[] = [];
  const names = new Set<string>();
  const passed = new Map<number, string>();
  let waits = false;

  const use = (specifier: unknown, typesOnly: boolean) => {
    if (typeof specifier !== 'string') return;
    const file = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
    imports.push({ specifier, file, typesOnly });
  };
  const measure = (node: { start: number; end: number; async?: boolean }) => {
    const line = lineAt(node.start);
    functions.push({ line, lines: lineAt(node.end) - line + 1, passedTo: passed.get(node.start) ?? null });
    if (node.async === true) waits = true;
  };

  new Visitor({
    ImportDeclaration(node) {
      const all = node.specifiers;
      const each = all.length > 0 && all.every((part) => part.type === 'ImportSpecifier' && part.importKind === 'type');
      use(node.source.value, node.importKind === 'type' || each);
    },
    ExportAllDeclaration: (node) => use(node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration(node) {
      const each = node.specifiers.length > 0 && node.specifiers.every((part) => part.exportKind === 'type');
      use(node.source?.value, node.exportKind === 'type' || each);
    },
    ImportExpression(node) {
      use(node.source.type === 'Literal' ? node.source.value : undefined, false);
    },
    TSImportType: (node) => use(node.source.value, true),
    CallExpression(node) {
      const called = node.callee.type === 'Identifier' ? node.callee.name : '';
      for (const argument of node.arguments) passed.set(argument.start, called);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    AwaitExpression: () => void (waits = true),
    ForOfStatement: (node) => void (waits ||= node.await),
    Identifier: (node) => void names.add(node.name),
    MemberExpression(node) {
      const { object, property } = node;
      const member = property.type === 'Identifier' && !node.computed ? property.name : null;
      if (object.type === 'Identifier' && member !== null) names.add(`${object.name}.${member}`);
      if (object.type === 'Identifier' && property.type === 'Literal')
        names.add(`${object.name}.${String(property.value)}`);
    },
  }).visit(program);
  return { path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0), imports, functions, names, waits };
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}
