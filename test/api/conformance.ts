import { expect } from 'chai';
import type { Addresses } from '../../api/http/hosts.ts';
import type { Features } from '../../api/http/route.ts';
import { describeApi } from '../../api/openapi/describe.ts';
import type { OpenApiObject } from '../../api/openapi/schema-objects.ts';
import { ROUTES } from '../../api/routes.ts';
import { loadConfig } from '../../config/config.ts';
import type { Answered } from '../support/answered.ts';

/** Reads a member that has to be there. */
export function member(object: unknown, ...names: readonly string[]): unknown {
  return names.reduce((value: unknown, name) => {
    if (typeof value !== 'object' || value === null) throw new Error(`no object has ${name}`);
    return Reflect.get(value, name);
  }, object);
}

/** Reads an object that has to be there. */
export function objectAt(object: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return { ...anyObject(member(object, ...names), names) };
}

function anyObject(value: unknown, names: readonly string[]): object {
  if (typeof value !== 'object' || value === null) throw new Error(`${names.join('.')} is no object`);
  return value;
}

/** Reads a list of objects that has to be there. */
export function listAt(object: unknown, ...names: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  const list = member(object, ...names);
  if (!Array.isArray(list)) throw new Error(`${names.join('.')} is no list`);
  return list;
}

/** The settings that a description depends on. */
type Described = Addresses & Features;

const descriptions = new WeakMap<Described, OpenApiObject>();

const { stripe } = loadConfig({
  STRIPE_SECRET_KEY: 'sk_test_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
}).billing;

/** The description of a service with these settings and a payment provider: without one its answers are the same. */
export function descriptionFor(settings: Described): OpenApiObject {
  const billing = { ...settings.billing, stripe };
  const known = descriptions.get(settings) ?? describeApi(ROUTES, { ...settings, billing });
  descriptions.set(settings, known);
  return known;
}

/**
 * Holds an answer against the API description: its status is documented for the operation, its media type and body fit,
 * and the headers that the description names are there. Answers of undocumented paths are left alone, and so are 304s,
 * which repeat a documented 200.
 */
export function checkConformance(method: string, path: string, answered: Answered, settings: Described): void {
  const document = descriptionFor(settings);
  const operation = operationAt(document, method === 'HEAD' ? 'get' : method.toLowerCase(), path, settings);
  if (operation === null || answered.status === 304) return;
  const where = `${method} ${path} answered ${answered.status} ${answered.text.slice(0, 200)}`;
  const response = responseAt(document, operation, String(answered.status));
  expect(response, `${where}, which is not documented`).to.be.an('object');
  for (const name of Object.keys(member(response, 'headers') ?? {})) {
    if (OPTIONAL_HEADERS.has(name)) continue;
    expect(answered.headers.get(name), `${where} without ${name}`).to.not.equal(null);
  }
  if (method === 'HEAD') return;
  const content = member(response, 'content');
  if (content === undefined) {
    expect(answered.text, where).to.equal('');
    return;
  }
  const type = (answered.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  expect(Object.keys(objectAt(content)), where).to.include(type);
  if (!type.includes('json')) return;
  expect(faults(answered.json, objectAt(content, type, 'schema'), document), where).to.deep.equal([]);
}

/** The documented response of an operation, by status; undefined when there is none. */
export function responseAt(document: OpenApiObject, operation: unknown, status: string): unknown {
  const reference = member(operation, 'responses', status) && member(operation, 'responses', status, '$ref');
  return typeof reference === 'string'
    ? member(document, ...reference.slice(2).split('/'))
    : member(operation, 'responses', status);
}

/**
 * Headers that come only with some answers of a status, or not with a cached one of an unchanging body; a payment is
 * answered in the version of x402 that it was made in.
 */
const OPTIONAL_HEADERS: ReadonlySet<string> = new Set([
  'Preference-Applied',
  'Link',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
]);

/** The documented operation at a method and a path; null when there is none. */
export function operationIdOf(method: string, path: string, settings: Described): string | null {
  const operation = operationAt(descriptionFor(settings), method.toLowerCase(), path, settings);
  return operation === null ? null : String(member(operation, 'operationId'));
}

/** Every documented answer, as `operationId status`. */
export function documentedAnswers(settings: Described): string[] {
  return Object.values(objectAt(descriptionFor(settings), 'paths')).flatMap((item) =>
    Object.entries(objectAt(item))
      .filter(([method]) => method !== 'servers')
      .flatMap(([, operation]) =>
        Object.keys(objectAt(operation, 'responses')).map(
          (status) => `${String(member(operation, 'operationId'))} ${status}`,
        ),
      ),
  );
}

function operationAt(document: OpenApiObject, method: string, path: string, settings: Described): unknown {
  const [plain = ''] = path.split('?', 1);
  for (const [template, item] of Object.entries(objectAt(document, 'paths'))) {
    const [server] = member(item, 'servers') === undefined ? [] : listAt(item, 'servers');
    const base = new URL(typeof server?.['url'] === 'string' ? server['url'] : settings.baseUrl).pathname.replace(
      /\/$/,
      '',
    );
    const pattern = new RegExp(`^${base}${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    const operation = pattern.test(plain) ? member(item, method) : undefined;
    if (operation !== undefined) return operation;
  }
  return null;
}

/** Where a value does not fit an OpenAPI 3.0 schema: a reading of the standard that shares nothing with zod. */
export function faults(value: unknown, schema: Schema, document: OpenApiObject, at = '$'): string[] {
  const { $ref, nullable, type, enum: values, ...rest } = schema;
  if ($ref !== undefined) return faults(value, objectAt(document, ...$ref.slice(2).split('/')), document, at);
  if (value === null) return nullable === true ? [] : [`${at} is null`];
  if (values !== undefined && !values.includes(value)) return [`${at} is none of ${values.join(', ')}`];
  if (type !== undefined && !TYPE_TESTS[type]?.(value)) return [`${at} is no ${type}`];
  if (typeof value === 'number') return numberFaults(value, rest, at);
  if (typeof value === 'string') return rest.pattern === undefined || new RegExp(rest.pattern).test(value) ? [] : [at];
  if (Array.isArray(value))
    return value.flatMap((item, index) => faults(item, rest.items ?? {}, document, `${at}[${index}]`));
  if (typeof value !== 'object') return [];
  const missing = (rest.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${at}.${name} is missing`);
  const nested = Object.entries(value).flatMap(([name, item]) =>
    faults(item, rest.properties?.[name] ?? {}, document, `${at}.${name}`),
  );
  return [...missing, ...nested];
}

interface Schema {
  readonly $ref?: string;
  readonly nullable?: boolean;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && !Array.isArray(value),
};

function numberFaults(value: number, { minimum = -Infinity, maximum = Infinity }: Schema, at: string): string[] {
  return value >= minimum && value <= maximum ? [] : [`${at} is out of bounds`];
}
