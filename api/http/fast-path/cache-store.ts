import type { Clock } from '../../../engine/ranking/index.ts';
import type { PageForm } from '../page-forms.ts';
import type { RatePolicyName } from '../rate-limit/rate-policy.ts';
import type { ContentCoding } from '../representation.ts';
import type { ReadyResult, Route } from '../route.ts';
import { type CachedResponse, MAX_TEXT_BYTES } from './cached-response.ts';

/** Maximum number of answers; only a client that reads the whole population requests more different ones. */
const MAX_ENTRIES = 20_000;

/** Bytes kept at once: bodies in all encodings, short ones also as the text that is sent, and what belongs to each answer. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What an answer takes beside its body: the text of its head and the lists of its headers, in one or two encodings. */
const BESIDE_BYTES = 2 * 1024;

/** What is kept for one request target, in one form if it is a page. */
export interface CacheEntry {
  readonly route: Route<never>;
  readonly policy: RatePolicyName;
  /** The Host that it is an answer to; null when it is one to every Host. */
  readonly host: string | null;
  readonly answer: ReadyResult;
  readonly keptAt: number;
  readonly forMs: number;
  /** When one request goes to Koa to refresh the entry, while others still get it. */
  renewAt: number;
  readonly bytes: number;
  /** Made when first asked for. */
  readonly byCoding: Map<ContentCoding, CachedResponse>;
  /** The same by the Accept-Encoding values that asked for them, so that a usual value is weighed once. */
  readonly byAcceptEncoding: Map<string | undefined, CachedResponse>;
}

function keptBytes(body: Buffer | null): number {
  if (body === null) return 0;
  return body.length <= MAX_TEXT_BYTES ? body.length * 2 : body.length;
}

/** Answers by request target, all of one board version; bounded in number and bytes, the oldest make room. */
export class CacheStore {
  readonly #clock: Clock;
  /** By target and, of pages, form. */
  readonly #targets = new Map<string, Map<PageForm | null, CacheEntry>>();
  #version = Number.NaN;
  #size = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a target has an entry, in whatever form and of whatever board version, even an expired one. */
  has(target: string): boolean {
    return this.#targets.has(target);
  }

  /**
   * The entry of a target for this board version, unless it expired. After half of its lifetime one caller gets undefined
   * and refreshes it, so that a popular entry never expires for all clients at once.
   */
  find(target: string, form: PageForm | null, version: number): CacheEntry | undefined {
    if (version !== this.#version) return undefined;
    const entry = this.#targets.get(target)?.get(form);
    if (entry === undefined) return undefined;
    if (entry.forMs === Number.POSITIVE_INFINITY) return entry;
    const now = this.#clock();
    // A clock that was set back makes nothing younger.
    if (now < entry.keptAt || now >= entry.keptAt + entry.forMs) return undefined;
    if (now < entry.renewAt) return entry;
    entry.renewAt = Number.POSITIVE_INFINITY;
    return undefined;
  }

  /** Keeps an answer of the current board version, in place of all answers of other versions. `form`: null for what is no page. */
  keep(
    target: string,
    form: PageForm | null,
    version: number,
    parts: Pick<CacheEntry, 'route' | 'policy' | 'host' | 'answer' | 'forMs'>,
  ): void {
    if (version !== this.#version) this.#clear(version);
    const { identity, gzip, br } = parts.answer.body;
    const keptAt = this.#clock();
    const bytes = BESIDE_BYTES + [identity, gzip, br].reduce((sum, body) => sum + keptBytes(body), 0);
    const forms = new Map(this.#targets.get(target)).set(form, {
      ...parts,
      bytes,
      keptAt,
      renewAt: keptAt + parts.forMs / 2,
      byCoding: new Map(),
      byAcceptEncoding: new Map(),
    });
    this.#drop(target);
    this.#targets.set(target, forms);
    this.#count(forms, 1);
    for (const oldest of this.#targets.keys()) {
      if (this.#size <= MAX_ENTRIES && this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(target: string): void {
    this.#count(this.#targets.get(target) ?? new Map(), -1);
    this.#targets.delete(target);
  }

  #count(forms: ReadonlyMap<PageForm | null, CacheEntry>, sign: 1 | -1): void {
    for (const { bytes } of forms.values()) {
      this.#size += sign;
      this.#bytes += sign * bytes;
    }
  }

  #clear(version: number): void {
    this.#targets.clear();
    this.#size = 0;
    this.#bytes = 0;
    this.#version = version;
  }
}
