import { parseSync } from 'oxc-parser';
import { z } from 'zod';

const phrase = z.string();

/**
 * A fault in an export (`commitBoard`) or in a function of its module (`commitBoard.hourToPublish`), placed by names. CALL is
 * the end of a called path (`dirtySets.remove`), followed by words of its arguments where that is not enough; WORDS are
 * names, operators and literals; KEY is a property or variable, after the name of a call, variable or property around it where
 * that is not enough (`updateOne.holder`). In `by`, `$` stands for what is replaced.
 */
export const FAULT = z.union([
  /** Removes the statement that calls CALL, or assigns a variable of that name. */
  z.strictObject({ in: phrase, drop: phrase }),
  /** Moves the statement that calls CALL before an earlier one beside it that calls another. */
  z.strictObject({ in: phrase, move: phrase, before: phrase }),
  /** Exchanges two statements of one block, the later of which calls CALL. */
  z.strictObject({ in: phrase, swap: phrase, with: phrase }),
  /** Removes the property KEY of an object. */
  z.strictObject({ in: phrase, omit: phrase }),
  /** Replaces CALL with its `await`. */
  z.strictObject({ in: phrase, call: phrase, by: phrase }),
  /** Replaces the smallest condition with WORDS; of several, the one that has no other words. */
  z.strictObject({ in: phrase, condition: phrase, by: phrase }),
  /** Replaces the value of KEY. */
  z.strictObject({ in: phrase, value: phrase, by: phrase }),
  /** Replaces a name where it is used. */
  z.strictObject({ in: phrase, name: phrase, by: phrase }),
]);
export type Fault = z.output<typeof FAULT>;

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A node with those around it, the nearest last. */
export interface Placed {
  readonly node: Node;
  readonly around: readonly Node[];
}

/** Texts that replace nodes. */
type Edit = readonly (readonly [node: Pick<Node, 'start' | 'end'>, text: string])[];

/**
 * The text of a module with a fault. What is not in the export itself may be elsewhere in its module.
 *
 * @throws Error when there is no such place, or several
 */
export function applyFault(path: string, text: string, fault: Fault): string {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const all = nodesOf(program).flatMap((node) => placedIn(node, []));
  const [exported = '', inner] = fault.in.split('.');
  const owners = all.flatMap(({ node }) => {
    return (inner === undefined ? isExportOf(node, exported) : isFunction(node, inner)) ? [node] : [];
  });
  if (owners.length === 0) throw new Error(`${path} has no function ${inner ?? exported}`);
  const inside = all.filter(({ node, around }) => owners.some((owner) => owner === node || around.includes(owner)));
  const near = editsOf(text, inside, fault);
  const edits = near.length > 0 || inner !== undefined ? near : editsOf(text, all, fault);
  if (edits.length !== 1) {
    const lines = edits.map(([edit]) => text.slice(0, edit![0].start).split('\n').length);
    const places = lines.length === 0 ? 'no place' : `several places (lines ${lines.join(', ')})`;
    throw new Error(
      `${path} has ${places} for ${JSON.stringify(fault)}: adapt its words, or name the function that it is in`,
    );
  }
  return edits[0]!
    .toSorted(([a], [b]) => b.start - a.start)
    .reduce((changed, [{ start, end }, by]) => changed.slice(0, start) + by + changed.slice(end), text);
}

/** Each way to make the fault in the nodes. */
function editsOf(text: string, nodes: readonly Placed[], fault: Fault): Edit[] {
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  const replaced = (node: Node, by: string): Edit => [[node, by.replaceAll('$', () => textOf(node))]];
  if ('drop' in fault) {
    const dropped = nodes.filter(({ node }) => node.type === 'ExpressionStatement' && does(node, fault.drop));
    return dropped.map(({ node }) => replaced(node, ';'));
  }
  if ('move' in fault) {
    const pairs = statementPairs(nodes, fault.move, fault.before);
    return pairs.map(([early, late]) => [
      [early, `${textOf(late)}\n${textOf(early)}`],
      [late, ''],
    ]);
  }
  if ('swap' in fault) {
    const pairs = statementPairs(nodes, fault.swap, fault.with);
    return pairs.map(([early, late]) => [
      [early, textOf(late)],
      [late, textOf(early)],
    ]);
  }
  if ('call' in fault) {
    const called = nodes.filter(({ node }) => isCallOf(node, fault.call));
    return called.map(({ node, around }) =>
      replaced(around.at(-1)?.type === 'AwaitExpression' ? around.at(-1)! : node, fault.by),
    );
  }
  if ('condition' in fault) return conditionsWith(nodes, fault.condition).map((node) => replaced(node, fault.by));
  if ('name' in fault) {
    const used = nodes.filter(({ node, around }) => node['name'] === fault.name && isUse(node, around));
    const by = (around: readonly Node[]): string => (isShorthand(around.at(-1)) ? `$: ${fault.by}` : fault.by);
    return used.map(({ node, around }) => replaced(node, by(around)));
  }
  const keyed = nodes.filter(({ node, around }) => isKey(node, around, 'omit' in fault ? fault.omit : fault.value));
  if ('value' in fault) {
    return keyed.map(({ node }) => {
      return isShorthand(node)
        ? replaced(node, `$: ${fault.by}`)
        : replaced(childOf(node, 'value') ?? childOf(node, 'init')!, fault.by);
    });
  }
  const properties = keyed.filter(({ node }) => node.type === 'Property');
  return properties.map(({ node: { start, end } }) => [
    [{ start, end: end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0) }, ''],
  ]);
}

/** A node and those in it, each with those around it. */
export function placedIn(node: Node, around: readonly Node[]): Placed[] {
  return [
    { node, around },
    ...Object.values(node)
      .flatMap(nodesOf)
      .flatMap((child) => placedIn(child, [...around, node])),
  ];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The nodes that a member of a node is: one, or those of a list. */
export const nodesOf = (value: unknown): Node[] => [value].flat().filter(isNode);
export const childOf = (node: Node, member: string): Node | undefined => nodesOf(node[member])[0];

/** The word that a name, a literal or an operator is. */
function wordOf(node: Node | undefined): string | undefined {
  const word = node?.type === 'Literal' ? String(node['value']) : (node?.['name'] ?? node?.['operator']);
  return typeof word === 'string' ? word : undefined;
}

function wordsOf(node: Node): ReadonlySet<string> {
  return new Set(placedIn(node, []).flatMap((placed) => wordOf(placed.node) ?? []));
}

/** The name that a node gives: of a declaration, a property, or a called function. */
function nameOf(node: Node): string | undefined {
  return node.type === 'CallExpression' ? pathOf(node).at(-1) : wordOf(childOf(node, 'id') ?? childOf(node, 'key'));
}

/** A called path's names: `a.b(c)` gives a, b. */
function pathOf(node: Node): string[] {
  const [object, callee] = [childOf(node, 'object'), childOf(node, 'callee')];
  if (object !== undefined) return [...pathOf(object), wordOf(childOf(node, 'property')) ?? ''];
  return callee === undefined ? [wordOf(node) ?? ''] : pathOf(callee);
}

function isCallOf(node: Node, call: string): boolean {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  const [path = '', ...words] = call.split(' ');
  return `.${pathOf(node).join('.')}`.endsWith(`.${path}`) && words.every((word) => wordsOf(node).has(word));
}

function isExportOf(node: Node, name: string): boolean {
  const declaration = node.type === 'ExportNamedDeclaration' ? childOf(node, 'declaration') : undefined;
  if (declaration === undefined) return false;
  return [declaration, ...nodesOf(declaration['declarations'])].some((one) => nameOf(one) === name);
}

function isFunction(node: Node, name: string): boolean {
  const declares = /^(?:FunctionDeclaration|VariableDeclarator|Property|MethodDefinition)$/.test(node.type);
  const value = childOf(node, 'value') ?? childOf(node, 'init') ?? node;
  return declares && /Function/.test(value.type) && nameOf(node) === name;
}

/** Whether a statement makes a call itself, or assigns the variable. */
function does(statement: Node, call: string): boolean {
  const [declared] = nodesOf(statement['declarations']);
  const made = declared === undefined ? childOf(statement, 'expression') : childOf(declared, 'init');
  const done = made?.type === 'AwaitExpression' ? childOf(made, 'argument') : made;
  if (done === undefined) return false;
  return isCallOf(done, call) || (done.type === 'AssignmentExpression' && wordOf(childOf(done, 'left')) === call);
}

/** Statements of an innermost block, of which the later one makes a call itself and the earlier one somehow. */
function statementPairs(nodes: readonly Placed[], later: string, earlier: string): (readonly [Node, Node])[] {
  const found = nodes.flatMap((block) => {
    const body = block.node.type === 'BlockStatement' ? nodesOf(block.node['body']) : [];
    const late = body.find((statement) => does(statement, later));
    const early = body.find((one) => placedIn(one, []).some(({ node }) => isCallOf(node, earlier)));
    return late === undefined || early === undefined || early.start >= late.start ? [] : [{ block, early, late }];
  });
  const innermost = found.filter((one) => found.every(({ block }) => !block.around.includes(one.block.node)));
  return innermost.map(({ early, late }) => [early, late]);
}

const COMPARISONS = /^(?:[!=]==?|[<>]=?|in|instanceof)$/;

function isCondition(node: Node, parent: Node | undefined): boolean {
  const isCompared = node.type === 'BinaryExpression' && COMPARISONS.test(String(node['operator']));
  const isOperand =
    parent?.type === 'LogicalExpression' || (parent?.type === 'UnaryExpression' && parent['operator'] === '!');
  return isCompared || isOperand || parent?.['test'] === node;
}

function conditionsWith(nodes: readonly Placed[], words: string): Node[] {
  const wanted = words.split(' ');
  const having = nodes.flatMap(({ node, around }) => {
    const has = isCondition(node, around.at(-1)) ? wordsOf(node) : new Set();
    return wanted.every((word) => has.has(word)) ? [{ node, around, size: has.size }] : [];
  });
  const smallest = having.filter(({ node }) => having.every(({ around }) => !around.includes(node)));
  const exact = smallest.filter(({ size }) => size === wanted.length);
  return (exact.length === 0 ? smallest : exact).map(({ node }) => node);
}

/** Whether a node is the property of an object or the variable KEY. */
function isKey(node: Node, around: readonly Node[], key: string): boolean {
  const [last, ...outer] = key.split('.').toReversed();
  const isProperty = node.type === 'Property' && around.at(-1)?.type === 'ObjectExpression';
  const holds = isProperty || (node.type === 'VariableDeclarator' && node['init'] !== null);
  return holds && nameOf(node) === last && outer.every((name) => around.some((one) => nameOf(one) === name));
}

const isShorthand = (node: Node | undefined): boolean => node?.['shorthand'] === true;

/** Nodes in which a name is declared, not used. */
const DECLARING = /^(?:Import|Export)Specifier$|Pattern$|^TS(?!AsExpression|NonNull|Satisfies)/;

function isUse(node: Node, around: readonly Node[]): boolean {
  const parent = around.at(-1);
  const declares = [parent?.['id'], parent?.['key'], parent?.['params']].flat().includes(node);
  return node.type === 'Identifier' && !declares && !around.some(({ type }) => DECLARING.test(type));
}
