import { toUSVString } from 'node:util';
import * as fc from 'fast-check';
import { listAt, member, objectAt } from '../../api/conformance.ts';
import {
  fitting,
  hostileText,
  hostileValue,
  nearlyFitting,
  type Resolve,
  type SchemaObject,
} from './value-arbitraries.ts';

/** What a fuzzed request sends. `token` is `own` for the operator's, `none` for no token, or the token itself. */
export interface FuzzedRequest {
  readonly method: string;
  /** With the query, below the origin. */
  readonly path: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** One operation of the description. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly template: string;
  /** Path of the server that the template is below, where that is not the data's; undefined: it is. */
  readonly base: string | undefined;
  readonly value: unknown;
}

export function operationsOf(document: unknown): Operation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([template, item]) =>
    Object.entries(objectAt(item))
      .filter(([method]) => method !== 'servers')
      .map(([method, value]) => ({
        id: String(member(value, 'operationId')),
        method: method.toUpperCase(),
        template,
        base: basePathOf(item),
        value,
      })),
  );
}

function basePathOf(item: unknown): string | undefined {
  if (member(item, 'servers') === undefined) return undefined;
  return new URL(String(member(item, 'servers', '0', 'url'))).pathname.replace(/\/$/, '');
}

/** Requests to an operation: right ones, nearly right ones, and hostile ones. `known` are path values that exist. */
export function requestsTo(
  operation: Operation,
  document: unknown,
  base: string,
  known: readonly string[],
): fc.Arbitrary<FuzzedRequest> {
  const resolve: Resolve = (ref) => objectAt(document, ...ref.slice(2).split('/'));
  return fc
    .record({
      path: pathOf(operation, known, resolve),
      token: fc.oneof(
        { weight: 6, arbitrary: fc.constant('own') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('none', '', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(9_000)),
        },
      ),
      headers: oddHeaders,
      body: bodyOf(operation, resolve),
      type: contentType,
    })
    .map(({ path, token, headers, body, type }) => ({
      method: operation.method,
      path: `${base}${path}`,
      token,
      headers: body === undefined ? headers : { 'content-type': type, ...headers },
      body,
    }));
}

function pathOf(operation: Operation, known: readonly string[], resolve: Resolve): fc.Arbitrary<string> {
  const parameters = member(operation.value, 'parameters') === undefined ? [] : listAt(operation.value, 'parameters');
  const inQuery = parameters.filter((parameter) => parameter['in'] === 'query');
  const values = (operation.template.match(/\{\w+\}/g) ?? []).map(() =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...known) },
      { weight: 2, arbitrary: hostileText.filter(isSegment).map(encodeWell) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('%00', '%ff', '%252e%252e', '..%2f..%2f', '%', '%zz', 'a%0d%0ab: c', '%20'),
      },
    ),
  );
  return fc.tuple(fc.tuple(...values), queryOf(inQuery, resolve)).map(([parts, query]) => {
    let next = 0;
    return `${operation.template.replace(/\{\w+\}/g, () => parts[next++] ?? '')}${query}`;
  });
}

/** Clients resolve dots and empty segments away before they send: such a request is one to another path. */
function isSegment(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** Characters that cannot be in a URL at all (lone surrogates) become the replacement character, as clients do. */
function encodeWell(text: string): string {
  return encodeURIComponent(toUSVString(text));
}

/** Parameters of a request. */
const MOST_PARAMETERS = 3;

function queryOf(parameters: readonly Readonly<Record<string, unknown>>[], resolve: Resolve): fc.Arbitrary<string> {
  const fields = parameters.map((parameter) => {
    const name = String(parameter['name']);
    const schema: SchemaObject = objectAt(parameter, 'schema');
    const value = fc.oneof(
      { weight: 3, arbitrary: fitting(schema, resolve).map(String) },
      { weight: 2, arbitrary: hostileText },
    );
    return value.map((text) => `${name}=${encodeWell(text)}`);
  });
  const odd = fc.constantFrom('a=b', '=', '&&', 'window[$ne]=1', 'limit=1&limit=2', '%ff=%ff', '__proto__[a]=b', '?');
  // Few at a time: with all of them each request would have one that is wrong.
  const chosen = fc
    .subarray(fields, { maxLength: Math.min(MOST_PARAMETERS, fields.length) })
    .chain((some) => fc.tuple(...some, fc.option(odd, { nil: '', freq: 4 })));
  return chosen.map((parts) => {
    const given = parts.filter((part) => part !== '');
    return given.length === 0 ? '' : `?${given.join('&')}`;
  });
}

/** Values as JSON text. */
function jsonOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return value.map((one) => JSON.stringify(one));
}

function bodyOf(operation: Operation, resolve: Resolve): fc.Arbitrary<string | undefined> {
  const body = member(operation.value, 'requestBody');
  if (body === undefined) return fc.constant(undefined);
  const schema: SchemaObject = objectAt(body, 'content', 'application/json', 'schema');
  return fc.oneof(
    { weight: 4, arbitrary: jsonOf(fitting(schema, resolve)) },
    { weight: 4, arbitrary: jsonOf(nearlyFitting(schema, resolve)) },
    { weight: 1, arbitrary: jsonOf(hostileValue) },
    { weight: 1, arbitrary: fc.constantFrom('{', '{"a":1}{"b":2}', '\ufeff{}', '{"a":1,"a":2}', '['.repeat(20_000)) },
    { weight: 1, arbitrary: fc.constant('{"__proto__":{"listed":true},"constructor":{"prototype":{"x":1}}}') },
  );
}

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/json, text/html',
      'x',
    ),
  },
);

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'text/html' },
  { accept: 'application/json;q=0' },
  { accept: ',;q=,*/*;q=2,;;' },
  { prefer: 'wait=0' },
  { prefer: 'wait=999999999999999999999' },
  { prefer: 'respond-async, wait=-1, "' },
  { 'if-none-match': '*' },
  { 'if-none-match': `${'"a", '.repeat(500)}"b"` },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, br, br' },
  { 'accept-encoding': 'identity;q=0, *;q=0' },
  { range: 'bytes=0-18446744073709551615' },
  { cookie: `${'a=b; '.repeat(700)}__Host-upsilon=x` },
  { 'x-forwarded-for': '::::, 1.2.3.4.5, <script>' },
  { 'x-http-method-override': 'DELETE' },
  { origin: 'null' },
];

const oddHeaders = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Readonly<Record<string, string>>>({}) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_HEADERS) },
);
