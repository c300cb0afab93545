import type { RequestListener } from 'node:http';
import type { Telemetry } from 'bullmq';
import type { ThrottledLog } from '../create-throttled-log.ts';

/** Attributes of a span: names and numbers, never tokens, signatures or addresses. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A W3C `traceparent`: the context that later work, in this process or another, continues. */
export type TraceParent = string;

/** An active span. */
export interface RunningSpan {
  readonly parent: TraceParent;
  /** Adds a link to a span of another trace that continues the work. */
  linkTo(other: TraceParent): void;
}

/** Tracing of one process by OpenTelemetry. It is off unless the settings contain a collector. */
export interface Tracing {
  /**
   * Runs `work` in a span. Its parent is the first of `causes`, with links to the others, or else the active span. The
   * span is marked as failed when `work` rejects.
   */
  span<T>(name: string, facts: SpanFacts, work: () => Promise<T>, causes?: readonly TraceParent[]): Promise<T>;
  /** Records a span that ends now and took `seconds`. */
  recordSpan(name: string, facts: SpanFacts, seconds: number, causes: readonly TraceParent[]): void;
  /** The active span; null without one. */
  running(): RunningSpan | null;
  /** Sets the route of the active request span. */
  setRoute(method: string, route: string): void;
  /** Wraps a listener in a new trace per request. A caller's trace is linked, not continued. */
  listener(inner: RequestListener): RequestListener;
  /** BullMQ telemetry, through which a job continues the trace in which it was added. */
  readonly queues: Telemetry;
  /** Exports the remaining spans for at most 2 s and stops. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** OTLP over HTTP endpoint that receives the spans. */
  readonly tracesUrl: string;
  /** The service name in traces. */
  readonly service: string;
  /** Called when spans cannot be sent. */
  readonly logThrottled: ThrottledLog;
}
