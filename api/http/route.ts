import type { Context } from 'koa';
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import type { ErrorForm } from './error-forms.ts';
import type { RatePolicyName } from './rate-limit/rate-policy.ts';
import type { Representation } from './representation.ts';

/** The four bases that paths are below. */
export type Surface = 'base' | 'site' | 'login' | 'auth';

/** The operator a request acts for, known from its access token. */
export interface Caller {
  /** Subject of the access token. */
  readonly subject: string;
  /** Sequence number. */
  readonly operator: number;
  readonly codename: string;
  /** Whether it hid its row. */
  readonly hidden: boolean;
  readonly plan: string;
  /** Whether the token was issued to the official command-line tool, or by an operator command. */
  readonly usesOfficialClient: boolean;
  /** Whether it may erase the account: no token of an app may, that of the tool neither. */
  readonly erases: boolean;
  /** Whether its leagues may be read: by the official tool, or an app with the scope `leagues`. */
  readonly seesLeagues: boolean;
}

/** One documented success: a JSON body with a schema, other media types with none, or no body. */
export interface SuccessSpec {
  readonly status: number;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media types of a body that is not described by a schema. */
  readonly mediaTypes?: readonly string[];
  /** Headers of this answer by name, with their description, beyond those every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The fields of a submitted form; null where the body is no form, or too large. */
const Form = z.custom<URLSearchParams | null>();

/** The body of a route that takes forms. */
export const FORM_BODY = { schema: Form, required: false, form: true } as const;

/** How shared caches may keep an answer, in seconds. */
export interface CachePolicy {
  readonly maxAge: number;
  readonly sharedMaxAge: number;
  readonly staleWhileRevalidate: number;
}

/** A retired operation: when it ends, and where its replacement or the policy is. */
export interface Deprecation {
  readonly sunset: Date;
  readonly link: { readonly href: string; readonly rel: 'successor-version' | 'deprecation' };
}

/** The settings that decide which operations an installation has, and what they cost. */
export type Features = Pick<Config, 'archive' | 'billing' | 'enforcePlan' | 'premium'>;

/** What an operation costs, for the API description. */
export interface PaymentMetadata {
  readonly method: 'card' | 'stablecoin';
  readonly intent: 'charge';
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
}

/** What a handler returns: JSON that is checked on the way out, finished bytes, nothing, or what it wrote itself. */
export type RouteResult =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly headers?: Headers }
  | ReadyResult
  | StreamedResult
  | EventsResult
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: Headers }
  | typeof WRITTEN;

/** The handler responded in Koa's context, or a library does on Node's response. */
export const WRITTEN = { kind: 'written' } as const;

/** A finished body. */
export interface ReadyResult {
  readonly kind: 'ready';
  readonly status: number;
  readonly body: Representation;
  readonly headers?: Headers;
  /** The board version that the body is of, as it was before the body was made. */
  readonly board?: number;
}

/** A body that is too large to be held: sent as it is read, or not at all when the client is gone. */
export interface StreamedResult {
  readonly kind: 'streamed';
  readonly status: number;
  readonly mediaType: string;
  /** The body, compressed with gzip, and its length in bytes; each call reads it again. */
  readonly gzipped: () => AsyncIterable<Buffer>;
  readonly bytes: number;
  readonly headers?: Headers;
}

/** Server-sent events, until the client or the process ends them. */
interface EventsResult {
  readonly kind: 'events';
  readonly status: number;
  /** Called once the headers are sent; writes to the response from then on. Not called for HEAD. */
  readonly begin: () => void;
}

type Headers = Readonly<Record<string, string>>;

/** What a handler is given beside its parsed input. */
export interface Call<C, U> {
  readonly ctx: C;
  readonly caller: U;
  /** Upper case; HEAD comes to handlers of `get`, too. */
  readonly method: string;
  /** The raw query without its question mark. */
  readonly search: string;
  /** A request header by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The text by which the limiter counts the client: its address, of IPv6 the /64. */
  readonly client: string;
  /** Counts further requests under the route's policy. @throws Problem rate_limited. */
  readonly countMore: (requests: number) => void;
  /** For handlers that return `WRITTEN`. */
  readonly koa: Context;
}

/** `optional`: anybody, counted as the operator of a valid token; `handler`: by a session or the endpoint's protocol. */
export type Auth = 'public' | 'operator' | 'optional' | 'handler';

type CallerOf<A extends Auth> = A extends 'operator' ? Caller : A extends 'optional' ? Caller | null : null;

/** An operation as a value, from which validation, the handler's types, the API description and the check of the answer derive. */
export interface Route<
  C,
  A extends Auth = Auth,
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Further methods, of endpoints that are no operation of the API. */
  readonly alsoMethods?: 'all' | readonly ('post' | 'options')[];
  /** Which base the path is below; `every`: at the root of whatever host is asked, for probes that know no names. */
  readonly surface: Surface | 'every';
  /** As in the API description: `/operators/{codename}`, relative to its base. */
  readonly path: string;
  /** The path is at the root of the host, and the path of the base follows it, as RFC 9728 (3.1) has it for a resource with a path. */
  readonly wellKnown?: true;
  /** Whether its path with a slash leads to it, as that of a page does. */
  readonly slash?: true;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly auth: A;
  /** Refused to tokens of third-party apps, whatever the person allowed them: it changes the operator's identity. */
  readonly officialClientsOnly?: true;
  /** Open to automation tokens, whose one right is to submit. */
  readonly automation?: true;
  /** Path parameters. A path whose parameters do not fit names nothing: `unmatched` is the answer. */
  readonly params?: { readonly schema: P; readonly unmatched: ProblemCode };
  /** Query parameters. Without a schema the query is ignored. */
  readonly query?: Q;
  /** Whether a parameter that would choose what a board shows is refused where `query` lacks it; other unknown ones are ignored. */
  readonly selects?: true;
  readonly body?: {
    readonly schema: B;
    readonly required: boolean;
    /** A body whose bytes matter: it is not parsed, and the schema is given a Buffer. */
    readonly raw?: { readonly maxBytes: number };
    readonly form?: true;
    /** Levels of JSON; the usual limit without it. */
    readonly maxDepth?: number;
  };
  readonly successes: readonly [SuccessSpec, ...SuccessSpec[]];
  /** Every code this operation can answer beyond those that any can; the statuses follow from them. */
  readonly problems?: readonly ProblemCode[];
  /** The policy under which its requests count; null for probes, which are never limited. */
  readonly limit: RatePolicyName | null;
  /** A second policy: with a longer window, or for what the fast path could not repeat. */
  readonly alsoLimit?: RatePolicyName;
  /** Without a policy nothing may keep the answer. */
  readonly cache?: CachePolicy;
  /**
   * Lets the fast path repeat responses of this public read that state their board, for so many milliseconds or until the next
   * board version. For handlers that read no request header; those of pages may read Accept, which the fast path reads as they do.
   */
  readonly fastPath?: { readonly forMs: number };
  readonly deprecation?: Deprecation;
  readonly payment?: (config: Features) => PaymentMetadata | null;
  /** A page for people: its problems are pages, too, and its address with a trailing slash redirects to it. */
  readonly page?: true;
  /** The form of its errors, and of those of unsupported methods; problem details unless given, and pages for pages. */
  readonly errors?: ErrorForm;
  /** Headers of every response, errors included. They are set before the handler runs, which may write the response itself. */
  readonly headers?: Headers;
  /** Request headers that pages of any origin may send, in place of the usual. */
  readonly preflight?: string;
  /** Whether the address exists for a request; without it, for all. */
  exists?(koa: Context): boolean;
  /** Whether an installation has the operation: without it its address is unknown. */
  readonly offered?: (config: Features) => boolean;
  /** False leaves the operation out of the API description. */
  readonly documented?: false | ((config: Features) => boolean);
  /** Checked before path, query and body are read: a condition on the caller. */
  before?(call: Pick<Call<C, CallerOf<A>>, 'ctx' | 'caller'>): Promise<void>;
  handle(
    input: { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> },
    call: Call<C, CallerOf<A>>,
  ): RouteResult | Promise<RouteResult>;
}

/** What the operations of a signed-in operator have in common. */
export const OWN_ROUTE = { surface: 'base', auth: 'operator', limit: 'operator' } as const;

/** What routes have in common whose handler writes the response: pages of sign-in, and endpoints that a library serves. */
export const WRITTEN_ROUTE = {
  auth: 'handler',
  headers: {},
  successes: [{ status: 200, description: 'Written by the handler.' }],
  summary: '',
  description: '',
  tag: '',
  documented: false,
} as const;

/** Problems that any operation can answer. */
export const COMMON_PROBLEMS = [
  'rate_limited',
  'internal_error',
  'storage_unavailable',
] as const satisfies ProblemCode[];

/** Problems that any operation with a token can answer. */
export const TOKEN_PROBLEMS = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_audience',
  'token_scope',
  'token_in_query',
  'account_unknown',
  'account_suspended',
] as const satisfies ProblemCode[];

/** Problems that any operation which looks at its query can answer; public reads ignore unknown parameters. */
export const QUERY_PROBLEMS = ['query_repeated', 'query_malformed'] as const satisfies ProblemCode[];

/** The query of an operation that takes no parameters and refuses any. */
export const NO_QUERY = z.object({});

/** Problems that any operation with a JSON body can answer. */
export const BODY_PROBLEMS = [
  'request_malformed',
  'body_missing',
  'body_too_large',
  'media_type_unsupported',
  'content_encoding_unsupported',
  'json_malformed',
  'json_not_utf8',
  'json_too_deep',
  'json_duplicate_key',
  'json_forbidden_key',
  'json_lone_surrogate',
  'validation_failed',
  'body_not_object',
  'field_missing',
] as const satisfies ProblemCode[];

/** Every code a route can answer. */
export function problemsOf(route: Route<never>): readonly ProblemCode[] {
  const client = route.officialClientsOnly === true ? (['client_not_allowed'] as const) : [];
  const token = route.auth === 'operator' ? [...TOKEN_PROBLEMS, ...client] : [];
  const body = route.body === undefined ? [] : BODY_PROBLEMS;
  const isPublicRead = route.method === 'get' && route.auth === 'public';
  const unknown = isPublicRead ? [] : (['query_unknown'] as const);
  const selection = route.selects === true ? (['parameter_not_supported'] as const) : [];
  const query = route.query === undefined ? selection : [...QUERY_PROBLEMS, ...unknown, ...selection];
  return [...new Set([...(route.problems ?? []), ...token, ...query, ...body, ...COMMON_PROBLEMS])];
}

/** The schema of a route without parameters of a kind. */
type NoMembers = z.ZodObject<Record<string, z.ZodNever>>;

/** Declares a route for handlers that take `C`: infers the handler's input from the schemas beside it. */
export function routesFor<C>() {
  return function defineRoute<
    const A extends Auth,
    P extends z.ZodObject = NoMembers,
    Q extends z.ZodObject = NoMembers,
    B extends z.ZodType = z.ZodUndefined,
  >(route: Route<C, A, P, Q, B>): Route<C> {
    // Handlers are called only with what their own schemas parsed and their own auth let in (`executeRoute`).
    return route;
  };
}
