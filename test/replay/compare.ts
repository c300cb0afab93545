import { readFile } from 'node:fs/promises';
import type { Recorded } from './record.ts';
import type { Received } from './send-raw.ts';

const SHOWN_OF_A_KIND = 12;

/** What differs between two runs of the same service, in headers and bodies. */
const VOLATILE: readonly (readonly [pattern: RegExp, as: string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [
    /(?:\b\w{3}, )?\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?: \d{4})?(?:,? \d\d:\d\d(?::\d\d)?)?/g,
    '<date>',
  ],
  [/(?<="client_id_issued_at":)\d+/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/(?:(?<![\w-])|(?<=%3D))[\w-]{43}(?![\w-])/g, '<id>'],
  [/\beyJ[\w-]+\.[\w-]*\.[\w-]+/g, '<token>'],
  [/(?<=upsilon-mail=)[\w-]+:\d+/g, '<proof>'],
  [/(?<=\.sig=)[\w-]{27}/g, '<signature>'],
  [/(?<="client_secret":")[\w-]{86}/g, '<secret>'],
  [/(?<="xsrf" value=")[0-9a-f]{48}/g, '<ticket>'],
  [/\b[B-Z]{4}-[B-Z]{4}\b/g, '<code>'],
  [/(?<=>ups_)[\w-]{60}/g, '<token>'],
  [/(?<="sub(?:ject)?": ?")[\w-]{22}/g, '<subject>'],
  [/\b[a-z]{4,12}-\d{3}\b/g, '<codename>'],
  [/(?<="board_version":)\d+/g, '<version>'],
];

/** The time until a quota is renewed, in the body of a refusal. */
const UNTIL_RESET = /\b\d+ (?:second|minute|hour)s?\b|(?<="retry_after_seconds":)\d+/g;

/** Prints the differences of two records, grouped by kind; returns their number. */
export async function compare(one: string, other: string, print: (text: string) => void): Promise<number> {
  const [before, after] = await Promise.all([read(one), read(other)]);
  const kinds = new Map<string, string[]>();
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    for (const [kind, about] of differences(before.get(key), after.get(key))) {
      kinds.set(kind, [...(kinds.get(kind) ?? []), `  ${key}\n${about}`]);
    }
  }
  for (const [kind, found] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
    print(`${kind}: ${found.length}\n${found.slice(0, SHOWN_OF_A_KIND).join('\n')}`);
  }
  const count = [...kinds.values()].reduce((sum, found) => sum + found.length, 0);
  print(`${before.size} and ${after.size} requests, ${count} differences`);
  return count;
}

async function read(file: string): Promise<ReadonlyMap<string, Received>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line): [string, Received] => {
      const { key, response }: Recorded = JSON.parse(line);
      return [key, normalise(response)];
    }),
  );
}

function* differences(
  one: Received | undefined,
  other: Received | undefined,
): Generator<readonly [kind: string, about: string]> {
  if (one === undefined || other === undefined) {
    yield [`only in the ${one === undefined ? 'second' : 'first'} record`, ''];
    return;
  }
  if (one.status !== other.status) yield [`status ${one.status} -> ${other.status}`, ''];
  if (one.fault !== other.fault) yield ['framing', line(one.fault, other.fault)];
  const [first, second] = [valuesOf(one), valuesOf(other)];
  for (const name of new Set([...first.keys(), ...second.keys()])) {
    if (first.get(name) !== second.get(name)) yield [`header ${name}`, line(first.get(name), second.get(name))];
  }
  const names = ({ headers }: Received): string =>
    headers
      .map(([name]) => name)
      // Its place differs between a response that is made and one that is repeated.
      .filter((name) => first.has(name) && second.has(name) && name !== 'Content-Length')
      .join(', ');
  if (names(one) !== names(other)) yield ['order of headers', line(names(one), names(other))];
  const [a, b] = [one.text ?? one.base64 ?? '', other.text ?? other.base64 ?? ''];
  if (a !== b) {
    const at = Array.from(a).findIndex((character, index) => character !== b[index]);
    const from = Math.max(0, (at < 0 ? a.length : at) - 60);
    yield ['body', line(JSON.stringify(a.slice(from, from + 200)), JSON.stringify(b.slice(from, from + 200)))];
  }
}

const line = (a = '(none)', b = '(none)'): string => `    - ${a}\n    + ${b}`;

const valuesOf = ({ headers }: Received): ReadonlyMap<string, string> =>
  headers.reduce(
    (all, [name, value]) => all.set(name, all.has(name) ? `${all.get(name)}\n      ${value}` : value),
    new Map<string, string>(),
  );

function normalise(response: Received): Received {
  const { text, bytes } = response;
  const replaced = text === undefined ? undefined : withoutVolatile(text, response.status.includes(' 429 '));
  // An operator's requests of a minute count together, and a minute can end between them.
  const isOfOperator = response.headers.some(
    ([name, value]) => name === 'RateLimit-Policy' && /^"(?:operator|snapshots)"/.test(value),
  );
  const isVolatile = replaced !== text;
  const headers = response.headers.map(([name, value]) => [name, headerOf(name.toLowerCase(), value)] as const);
  return { ...response, headers, ...(replaced === undefined ? {} : { text: replaced }) };

  function headerOf(name: string, value: string): string {
    if (name === 'date') return '<date>';
    if (name === 'content-length' && value !== '0' && (bytes === 0 || (isVolatile && Number(value) === bytes)))
      return '<length>';
    if (name === 'etag' && (bytes === 0 || isVolatile)) return '<etag>';
    if (name === 'ratelimit-reset' || name === 'retry-after') return '<seconds>';
    if (name === 'ratelimit')
      return value.replace(/t=\d+/, 't=<seconds>').replace(/(?<="(?:operator|snapshots)";r=)[1-9]\d*/, '<rest>');
    if (name === 'ratelimit-remaining' && value !== '0' && isOfOperator) return '<rest>';
    return withoutVolatile(value);
  }
}

function withoutVolatile(text: string, isRefusal = false): string {
  const stable = VOLATILE.reduce((all, [pattern, as]) => all.replace(pattern, as), text);
  return isRefusal ? stable.replace(UNTIL_RESET, '<seconds>') : stable;
}
