import * as fc from 'fast-check';

/** Values that have broken services of this kind: query operators, prototypes, odd numbers, odd text. */
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  [],
  {},
  { $gt: '' },
  { $ne: null },
  { $where: 'sleep(1000)' },
  { __proto__: { listed: true } },
  { constructor: { prototype: { polluted: true } } },
  -0,
  -1,
  0.1,
  1e-320,
  2 ** 53,
  1.7976931348623157e308,
  '1e400',
  'NaN',
  'Infinity',
  '9'.repeat(400),
  'a'.repeat(10_000),
  '(((((((((((((((((((((((((((((((((a+)+)+)+)+',
  '\u0000',
  '\ud800',
  '\u202e\u200b',
  'é́',
  'ﬀ',
  'İ',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  "' or 1=1 --",
  '\r\nSet-Cookie: a=b',
];

/** A value that no schema asks for: a known troublemaker, or any JSON. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_VALUES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/** Text for a place that takes text: hostile values as text, or any characters. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  hostileValue.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** The part of OpenAPI 3.0's schema object that the description uses. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: SchemaObject;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
}

/** Resolves a `$ref`. */
export type Resolve = (ref: string) => SchemaObject;

/** Values that match a schema. */
export function fitting(schema: SchemaObject, resolve: Resolve): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(resolve(schema.$ref), resolve);
  const value = fittingValue(schema, resolve);
  return schema.nullable === true ? fc.option(value) : value;
}

function fittingValue(schema: SchemaObject, resolve: Resolve): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e15, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting(schema.items ?? {}, resolve), { maxLength: 4 });
    case 'object':
      return fittingObject(schema, resolve);
    case 'string':
      return fittingText(schema);
    case undefined:
    default:
      return fc.jsonValue();
  }
}

function fittingText({ pattern, minLength = 0, maxLength = 40 }: SchemaObject): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
}

function fittingObject({ properties = {}, required = [] }: SchemaObject, resolve: Resolve): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, fitting(value, resolve)]),
  );
  return fc.record(members, { requiredKeys: [...required] });
}

/** A fitting object with one member replaced, taken away or added. */
export function nearlyFitting(schema: SchemaObject, resolve: Resolve): fc.Arbitrary<unknown> {
  return fc
    .tuple(fitting(schema, resolve), fc.nat(), hostileValue, fc.constantFrom('replace', 'remove', 'add'))
    .map(([value, at, hostile, change]) => {
      if (typeof value !== 'object' || value === null) return hostile;
      const entries = Object.entries(value);
      const index = entries.length === 0 ? 0 : at % entries.length;
      if (change === 'add' || entries.length === 0) return Object.fromEntries([...entries, ['$added', hostile]]);
      if (change === 'remove') return Object.fromEntries(entries.filter((_, other) => other !== index));
      return Object.fromEntries(entries.map(([name, old], other) => [name, other === index ? hostile : old]));
    });
}
