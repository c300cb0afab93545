import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { MS_PER_SECOND } from '../../config/units.ts';
import { SELECTION_HINTS } from '../../engine/contract/index.ts';
import { clientOf } from './client-key.ts';
import { addStandardHeaders, isPublicRead } from './execute-route.ts';
import { finishResult } from './finish-result.ts';
import type { HttpContext } from './http-context.ts';
import { negotiate } from './negotiate.ts';
import { PAGE_FORMS, type PageForm, pageFormOf } from './page-forms.ts';
import { bytesOf, type ContentCoding, chooseCoding, entityTag, matchesTag } from './representation.ts';
import type { ReadyResult, Route, RouteResult } from './route.ts';

/** Maximum number of answers; only a client that reads the whole population requests more different ones. */
const MAX_ENTRIES = 20_000;

/** Bytes kept at once: bodies in all encodings, and what belongs to each answer. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Bytes that an answer takes beside its body: its headers, in one or two encodings. */
const BESIDE_BYTES = 2 * 1024;

/**
 * The targets that are kept. Most other spellings of the same go to Koa, so that clients cannot fill the cache with them: capitals
 * are those of moments.
 */
const PLAIN_TARGET =
  /^(?:\/|(?:\/[a-z0-9._~-]+)+)(?:\?[a-z_]{1,16}=[a-z1-9][a-z0-9_:TZ-]{0,31}(?:&[a-z_]{1,16}=[a-z1-9][a-z0-9_:TZ-]{0,31})*)?$/;

/** Characters of the longest target that is kept, and of the longest whose unknown parameters are left out. */
const MAX_TARGET_LENGTH = 256;
const MAX_ASKED_LENGTH = 1_024;

/** Queries that are split as Koa splits them: no fragment, nothing that a parser trims or rewrites. */
const PLAIN_QUERY = /^[\w!$%&'()*+,\-./:;=?@[\]~]*$/;

/** What is kept for one request target, in one form if it is a page. */
interface Entry {
  readonly route: Route<never>;
  readonly limit: NonNullable<Route<never>['limit']>;
  /** The Host that it is an answer to; null when it is one to every Host. */
  readonly host: string | null;
  readonly answer: ReadyResult;
  readonly keptAt: number;
  readonly forMs: number;
  /** When one request goes to Koa to refresh the entry, while others still get it. */
  renewAt: number;
  /** Made when first asked for. */
  readonly byCoding: Map<ContentCoding, Coded>;
}

/** An answer in one encoding. The headers are flat lists as `writeHead` takes them: names and values alternate. */
interface Coded {
  readonly tag: string;
  readonly body: Buffer;
  readonly headers: readonly string[];
  readonly notModified: readonly string[];
}

/** Entries by target and, of pages, form, all of the current board version; those that were used least recently make room. */
function createEntries({ clock, board }: Pick<HttpContext, 'clock' | 'board'>) {
  const entries = new LRUCache<string, Entry>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ answer: { body } }) =>
      BESIDE_BYTES + body.identity.length + (body.gzip?.length ?? 0) + (body.br?.length ?? 0),
  });
  // A store that lost its last writes assigns a version twice.
  let generation = '';

  /** After half of its lifetime one caller gets null and refreshes an entry, so that it never expires for all clients at once. */
  function current(key: string): Entry | null {
    const entry = entries.get(key);
    if (entry === undefined || entry.forMs === Number.POSITIVE_INFINITY) return entry ?? null;
    const now = clock();
    // A clock that was set back makes nothing younger.
    if (now < entry.keptAt || now >= entry.keptAt + entry.forMs) return null;
    if (now < entry.renewAt) return entry;
    entry.renewAt = Number.POSITIVE_INFINITY;
    return null;
  }

  return {
    find(target: string, accept: string | undefined): Entry | null {
      if (generation !== board.view().generation) return null;
      return current(target) ?? current(keyOf(target, negotiate(accept, PAGE_FORMS)));
    },
    /** `form`: null for what is no page. Entries of other generations than `of` end. */
    set(
      target: string,
      form: PageForm | null,
      of: string,
      entry: Omit<Entry, 'keptAt' | 'renewAt' | 'byCoding'>,
    ): void {
      if (of !== generation) entries.clear();
      generation = of;
      const keptAt = clock();
      const dated = { ...entry, keptAt, renewAt: keptAt + entry.forMs / 2, byCoding: new Map() };
      entries.set(form === null ? target : keyOf(target, form), dated);
    },
    size: () => entries.size,
  };
}

/** The key of a page in one form. */
function keyOf(target: string, form: PageForm | null): string {
  return `${form} ${target}`;
}

/**
 * The response cache, in front of Koa: repeats the answer of a public read to the same request target until the board version
 * changes. Limiter, metrics, validators, encodings and headers come from the same functions as in Koa. All other requests go to
 * Koa, and so do those over a quota.
 */
export function createResponseCache(ctx: HttpContext, routes: readonly Route<never>[]) {
  const { board, limiter, clientKey, metrics, hosts } = ctx;
  const entries = createEntries(ctx);
  const known = new Set([
    ...SELECTION_HINTS.keys(),
    ...routes.filter(({ fastPath }) => fastPath !== undefined).flatMap(({ query }) => Object.keys(query?.shape ?? {})),
  ]);
  let served = 0;
  return {
    /** Responds and returns true, or leaves the request untouched and returns false. */
    serve(request: IncomingMessage, response: ServerResponse): boolean {
      const { method, url, headers } = request;
      if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return false;
      const startedAt = performance.now();
      const entry = entries.find(withoutUnknown(url, known), headers.accept);
      if (entry === null || (entry.host !== null && headers.host !== entry.host)) return false;
      const rate = limiter.take(entry.limit, clientOf(request, clientKey));
      // Koa refuses it: a quota that is used up counts no further requests.
      if (!rate.allowed) return false;
      const coded = inCoding(entry, headers['accept-encoding']);
      const isModified = !matchesTag(headers['if-none-match'], coded.tag);
      const status = isModified ? 200 : 304;
      const list = [...(isModified ? coded.headers : coded.notModified), ...rate.list];
      response.writeHead(status, list).end(isModified && method === 'GET' ? coded.body : undefined);
      served += 1;
      const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
      metrics.http.answered(entry.route.operationId, method, status, seconds);
      return true;
    },
    /** Keeps the answer of a route to a target, if it is of the current board version. */
    keep(this: void, route: Route<never>, url: string, answer: RouteResult): void {
      const { version, generation } = board.view();
      if (answer.kind !== 'ready' || answer.status !== 200 || answer.board !== version) return;
      const { fastPath, limit } = route;
      const target = withoutUnknown(url, known);
      if (fastPath === undefined || limit === null || !isPublicRead(route) || !isPlain(route, target)) return;
      const form = route.page === true ? pageFormOf(answer.body.mediaType) : null;
      if (route.page === true && form === null) return;
      const host = hosts.hostOf(route.surface);
      const headers = { ...answer.headers, ...hosts.transportOf(host) };
      entries.set(target, form, generation, {
        route,
        limit,
        host,
        answer: { ...answer, headers },
        forMs: fastPath.forMs,
      });
    },
    /** Requests answered so far. */
    served: () => served,
    /** Answers kept at the moment. */
    kept: entries.size,
  };
}

/** The target without parameters that no kept route knows, such as campaign tags; unchanged when an escape hides a name. */
function withoutUnknown(url: string, known: ReadonlySet<string>): string {
  const at = url.indexOf('?');
  if (at < 0 || url.length > MAX_ASKED_LENGTH || !PLAIN_QUERY.test(url.slice(at + 1))) return url;
  const kept: string[] = [];
  for (const pair of url.slice(at + 1).split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (/[%+]/.test(name)) return url;
    if (known.has(name)) kept.push(pair);
  }
  const path = url.slice(0, at);
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** Whether a target is one of the few usual spellings, all of whose parameters the route reads. */
function isPlain({ query }: Route<never>, target: string): boolean {
  if (target.length > MAX_TARGET_LENGTH || !PLAIN_TARGET.test(target)) return false;
  const [, search] = target.split('?');
  return (
    search === undefined || search.split('&').every((pair) => Object.hasOwn(query?.shape ?? {}, pair.split('=', 1)[0]!))
  );
}

/** The answer in the encoding that a client prefers, finished by the code that finishes all of the route's answers. */
function inCoding({ route, answer, byCoding }: Entry, acceptEncoding: string | undefined): Coded {
  const coding = chooseCoding(answer.body, acceptEncoding);
  const known = byCoding.get(coding);
  if (known !== undefined) return known;
  const finished = (ifNoneMatch: string | undefined): string[] => {
    const asked: Readonly<Record<string, string | undefined>> = {
      'accept-encoding': coding,
      'if-none-match': ifNoneMatch,
    };
    const { headers } = finishResult(route, answer, { method: 'GET', header: (name) => asked[name] });
    addStandardHeaders(headers, route, null);
    return Object.entries(headers).flat();
  };
  const coded = {
    tag: entityTag(answer.body, coding),
    body: bytesOf(answer.body, coding),
    headers: finished(undefined),
    notModified: finished('*'),
  };
  byCoding.set(coding, coded);
  return coded;
}
