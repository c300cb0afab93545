import type { RequestListener } from 'node:http';
import type { Telemetry } from 'bullmq';
import type { ThrottledLog } from '../create-throttled-log.ts';

/** What a span says of itself: names and numbers, never tokens, signatures or addresses. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Where work was begun, for those who go on with it, in this process or another: a W3C `traceparent`. */
export type TraceParent = string;

/** A span that runs, to be pointed at from elsewhere. */
export interface RunningSpan {
  readonly parent: TraceParent;
  /** Says that work went on in another trace as well. */
  linkTo(other: TraceParent): void;
}

/** Traces of one process, as OpenTelemetry has them. There is none unless the settings name a collector. */
export interface Tracing {
  /**
   * Runs `work` in a span: below the first of `causes`, with links to the others, or below the span that runs. It is marked
   * as failed when `work` rejects.
   */
  span<T>(name: string, facts: SpanFacts, work: () => Promise<T>, causes?: readonly TraceParent[]): Promise<T>;
  /** A span that ended now after some seconds. */
  past(name: string, facts: SpanFacts, seconds: number, causes: readonly TraceParent[]): void;
  /** The span that runs; null without one. */
  running(): RunningSpan | null;
  /** Names the request that is being answered by its route. */
  answers(method: string, route: string): void;
  /** The same listener, with a trace of its own for every request. A caller's trace is linked to, not joined. */
  listener(inner: RequestListener): RequestListener;
  /** What BullMQ is given, so that jobs carry on the trace of whoever added them. */
  readonly queues: Telemetry;
  /** Sends what is left, for a moment, and ends. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** Where spans go, by OTLP over HTTP. */
  readonly tracesUrl: string;
  /** What this process is called in traces. */
  readonly service: string;
  /** Told when spans cannot be sent. */
  readonly logThrottled: ThrottledLog;
}
