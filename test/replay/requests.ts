import { readFileSync } from 'node:fs';

/** A request of the list, with the placeholders of its values. */
export interface Sent {
  /** Its line, the same in every record. */
  readonly line: string;
  readonly surface: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** Cookies and values that it uses and keeps. */
  readonly jar: string | null;
  /** Names of values to keep from the response. */
  readonly keep: readonly string[];
  /** Whether redirects within the service are followed; each is recorded. */
  readonly follow: boolean;
  /** Whether the board has to be up to date before. */
  readonly settled: boolean;
  /** Requests of the same client that come before, to use up a quota. */
  readonly over: number;
}

const TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' };

/** Ways to write a path that should be refused, redirected or the same. */
const WAYS: Readonly<Record<string, (path: string, query: string) => string>> = {
  slash: (path, query) => `${path}/${query}`,
  upper: (path, query) => `${path.toUpperCase()}${query}`,
  escaped: (path, query) => `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}${query}`,
  malformed: (path, query) => `${path}%${query}`,
  longer: (path, query) => `${path}/more${query}`,
  doubled: (path, query) => `/${path}${query}`,
  unknown: (path, query) => `${path}${query === '' ? '?' : `${query}&`}unknown=1&unknown=2&access_token=x`,
};

/** The requests of `requests.txt` to each service, in order. */
export function readRequests(): ReadonlyMap<string, readonly Sent[]> {
  const services = new Map<string, Sent[]>();
  const lists = new Map<string, string>();
  let requests: Sent[] = [];
  for (const line of readFileSync(new URL('requests.txt', import.meta.url), 'utf8').split('\n')) {
    const [, list, content] = /^@(\w+) = (.*)$/.exec(line) ?? [];
    const service = /^== (.*)$/.exec(line)?.[1];
    if (list !== undefined && content !== undefined) lists.set(list, content);
    else if (service !== undefined) services.set(service, (requests = []));
    else if (line !== '' && !line.startsWith('#')) requests.push(...expand(line, lists).map(parseLine));
  }
  return services;
}

/** The lines that a line with alternatives stands for. */
function expand(text: string, lists: ReadonlyMap<string, string>): string[] {
  const start = text.indexOf('[[');
  if (start < 0) return [text];
  const parts: string[] = [];
  let [depth, from] = [0, start + 2];
  for (const { 0: mark, index } of text.matchAll(/\[\[|\]\]|\|\|/g)) {
    if (mark !== '||') depth += mark === '[[' ? 1 : -1;
    if (depth !== (mark === '||' ? 1 : 0)) continue;
    parts.push(text.slice(from, index).trim());
    from = index + 2;
    if (depth === 0) break;
  }
  if (depth !== 0) throw new Error(`unclosed alternatives in ${text}`);
  const choices = parts.flatMap((part) =>
    expand(part.startsWith('@') ? `[[${lists.get(part.slice(1))}]]` : part, lists),
  );
  const rests = expand(text.slice(from), lists);
  return choices.flatMap((choice) => rests.map((rest) => `${text.slice(0, start)}${choice}${rest}`));
}

function parseLine(line: string): Sent {
  const at = line.search(/ <</);
  const [about = '', ...pairs] = (at < 0 ? line : line.slice(0, at)).split(/ +\| */);
  const [surface = '', ...words] = about.split(/ +/);
  const path = words.find((word) => word.startsWith('/')) ?? '';
  const [, bare = '', query = ''] = /^([^?]*)(.*)$/.exec(path) ?? [];
  const way = WAYS[words.find((word) => Object.hasOwn(WAYS, word)) ?? ''];
  const option = (name: string): string | null =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  const types = Object.entries(TYPES).filter(([name]) => words.includes(name));
  const given = pairs.map((pair): [string, string] => [
    pair.slice(0, pair.indexOf(':')),
    pair.slice(pair.indexOf(':') + 1).trim(),
  ]);
  const hasType = given.some(([name]) => name === 'Content-Type');
  return {
    line: line.replaceAll(/ +/g, ' '),
    surface,
    method: words.find((word) => /^[A-Z]+$/.test(word)) ?? '',
    target: way === undefined ? path : way(bare, query),
    headers: [...(hasType ? [] : types.map(([, type]): [string, string] => ['Content-Type', type])), ...given],
    body: at < 0 ? null : line.slice(at + 3).trimStart(),
    jar: option('jar'),
    keep: option('keep')?.split(',') ?? [],
    follow: words.includes('follow'),
    settled: words.includes('settled'),
    over: Number(option('over') ?? 0),
  };
}
