import { expect } from 'chai';
import { parseSource } from './support/source-file.ts';

const parse = (text: string) => parseSource('engine/ranking/core/sample.ts', text);

const imported = (text: string) =>
  parse(text).imports.map(({ file, specifier, typesOnly }) => [file ?? specifier, typesOnly]);

/** The architecture rules depend on the parser: each syntactic form that they check. */
describe('parseSource', () => {
  for (const [text, file, typesOnly] of [
    ["import { a } from './a.ts';", 'engine/ranking/core/a.ts', false],
    ["import '../a.ts';", 'engine/ranking/a.ts', false],
    ["import a, { type B } from './a.ts';", 'engine/ranking/core/a.ts', false],
    ["import type { A } from './a.ts';", 'engine/ranking/core/a.ts', true],
    ["import { type A, type B } from './a.ts';", 'engine/ranking/core/a.ts', true],
    ["export * from '../../a.ts';", 'engine/a.ts', false],
    ["export { a } from './a.ts';", 'engine/ranking/core/a.ts', false],
    ["export type { A } from './a.ts';", 'engine/ranking/core/a.ts', true],
    ["const a = await import('./a.ts');", 'engine/ranking/core/a.ts', false],
    ["let a: import('./a.ts').A;", 'engine/ranking/core/a.ts', true],
    ["import fs from 'node:fs';", 'node:fs', false],
  ] as const) {
    it(text, () => expect(imported(text)).to.deep.equal([[file, typesOnly]]));
  }

  it('finds names and members, dotted or not', () => {
    const { names } = parse("Date.now(); process['env']; const random = Math.random; new Date();");
    expect([...names]).to.include.members(['Date', 'Date.now', 'process', 'process.env', 'Math.random']);
  });

  it('finds no names in comments and text', () => {
    expect([...parse("// Date.now()\nexport const text = 'Math.random()';").names]).to.deep.equal(['text']);
  });

  for (const text of [
    'async function f() {}',
    'const f = async () => {};',
    'export {}; for await (const a of b) {}',
    'await f();',
    'class A { async f() {} }',
  ]) {
    it(`waiting: ${text}`, () => expect(parse(text).waits).to.equal(true));
  }

  it('measures functions, and finds the function that they are passed to', () => {
    const { functions, lines } = parse("describe('a', () => {\n  function b() {\n    c();\n  }\n});\n");
    expect(lines).to.equal(5);
    expect(functions).to.deep.include.members([
      { line: 1, lines: 5, passedTo: 'describe' },
      { line: 2, lines: 3, passedTo: null },
    ]);
  });

  it('throws for a file that it cannot parse', () => {
    expect(() => parse('const = ;')).to.throw('sample.ts');
  });
});
