import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { type Exception, SpanKind as QueueSpanKind, type SpanOptions, type Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';
import type { ThrottledLog } from '../create-logger.ts';

/** A span that is not exported: work inside it belongs to the surrounding span. */
const UNRECORDED = {
  setSpanOnContext: (around: Context) => around,
  setAttribute: ignore,
  setAttributes: ignore,
  addEvent: ignore,
  recordException: ignore,
  end: ignore,
};

/**
 * A BullMQ span without the job's result, which identifies operators and what they submitted, and without the message of
 * its error, which may contain anything. The name of the error stays.
 */
class QuietSpan extends BullMQOTelSpan {
  override addEvent(name: string): void {
    super.addEvent(name);
  }

  override recordException(exception: Exception): void {
    super.recordException({ name: exception instanceof Error ? exception.name : 'error' });
  }
}

/** Time limit for exporting the last spans when the process ends, in milliseconds. */
const CLOSE_MS = 2_000;
const FIRST_ERROR_STATUS = 500;

/** Attributes of a span: names and numbers, never tokens, signatures or addresses. */
type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A W3C `traceparent`: the context that later work, in this process or another, continues. */
export type TraceParent = string;

/** An active span. */
export interface RunningSpan {
  readonly parent: TraceParent;
  /** Adds a link to a span of another trace that continues the work. */
  linkTo(other: TraceParent): void;
}

export interface TracingOptions {
  /** OTLP over HTTP endpoint that receives the spans. */
  readonly tracesUrl: string;
  /** The service name in traces. */
  readonly service: string;
  /** Called when spans cannot be sent. */
  readonly logThrottled: ThrottledLog;
}

/** Tracing of one process by OpenTelemetry. It is off unless the settings contain a collector. */
export type Tracing = Readonly<ReturnType<typeof openTelemetry>>;

let registered = false;

/** Creates tracing by OpenTelemetry. The `OTEL_*` variables set sampling, headers and limits. */
export function openTelemetry({ tracesUrl, service, logThrottled }: TracingOptions) {
  diag.setLogger(diagLogger(logThrottled), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({ url: tracesUrl });
  const named = resourceFromAttributes({ 'service.name': service });
  // The environment takes precedence: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  // Sets the context manager, of which a process has one.
  if (!registered) provider.register();
  registered = true;
  const tracer = provider.getTracer(service);
  return {
    /** The parent is the first of `causes`, linked to the others, or the active span. Failed when `work` rejects. */
    async span<T>(
      name: string,
      facts: SpanFacts,
      work: () => Promise<T>,
      causes: readonly TraceParent[] = [],
    ): Promise<T> {
      const { parent, links } = origin(causes);
      const span = tracer.startSpan(name, { attributes: { ...facts }, links }, parent);
      return within(span, parent, work);
    },
    /** Records a span that ends now and took `seconds`. */
    recordSpan(name: string, facts: SpanFacts, seconds: number, causes: readonly TraceParent[]): void {
      const { parent, links } = origin(causes);
      // The clock may have been set back: a span must not end before it starts.
      const startTime = Date.now() - Math.max(0, seconds) * 1_000;
      tracer.startSpan(name, { attributes: { ...facts }, links, startTime }, parent).end();
    },
    /** The active span; null without one. */
    running: () => asRunning(trace.getActiveSpan()),
    /** Sets the route of the active request span. */
    setRoute(method: string, route: string): void {
      whileOpen(trace.getActiveSpan(), (span) =>
        span.updateName(`${method} ${route}`).setAttribute('http.route', route),
      );
    },
    /** Wraps a listener in a new trace per request. A caller's trace is linked, not continued. */
    listener: (inner: RequestListener) => tracedListener(tracer, inner),
    /** BullMQ telemetry, through which a job continues the trace in which it was added. */
    queues: queueTelemetry(tracer),
    /** Exports the remaining spans for at most 2 s and stops. Never rejects. */
    async close(): Promise<void> {
      // Without a reachable collector the export does not end by itself.
      await Promise.race([provider.shutdown().catch(logThrottled), pause(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // Only the error's name: its message may contain anything, and the log has it.
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
    throw error;
  } finally {
    span.end();
  }
}

/** The parent context of a span, and links to its other causes. */
function origin([first, ...others]: readonly TraceParent[]) {
  if (first === undefined) return { parent: context.active(), links: [] };
  return { parent: contextOf(first), links: others.flatMap(linkOf) };
}

function contextOf(traceparent: TraceParent): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

function linkOf(traceparent: TraceParent) {
  const linked = trace.getSpanContext(contextOf(traceparent));
  return linked === undefined ? [] : [{ context: linked }];
}

function asRunning(span: Span | undefined): RunningSpan | null {
  if (span === undefined) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier);
  if (carrier.traceparent === undefined) return null;
  const { traceparent } = carrier;
  return { parent: traceparent, linkTo: (other) => whileOpen(span, () => span.addLinks(linkOf(other))) };
}

/** Adds to a span unless it has ended, as it has when the client disconnected: OpenTelemetry warns about changes of an ended span. */
function whileOpen(span: Span | undefined, add: (span: Span) => void): void {
  if (span?.isRecording() === true) add(span);
}

function tracedListener(tracer: Tracer, inner: RequestListener): RequestListener {
  return (request, response) => {
    const { method = '', headers } = request;
    const caller = headers['traceparent'];
    const span = tracer.startSpan(method, {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method } satisfies SpanFacts,
      links: typeof caller === 'string' ? linkOf(caller) : [],
      root: true,
    });
    response.once('close', () => {
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= FIRST_ERROR_STATUS) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(ROOT_CONTEXT, span), () => inner(request, response));
  };
}

function ignore(): void {
  // Nothing is recorded.
}

/** Throttles OpenTelemetry's diagnostics, which without a collector repeat with every batch. */
function diagLogger(logThrottled: (error: unknown) => void) {
  const report = (): void => logThrottled(new Error('traces cannot be sent: see OTEL_EXPORTER_OTLP_ENDPOINT'));
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
}

/** Spans of BullMQ for added and processed jobs, without its periodic housekeeping. */
function queueTelemetry(tracer: Tracer): Telemetry<Context> {
  const { contextManager } = new BullMQOtel();
  return {
    contextManager,
    tracer: {
      startSpan(name: string, options?: SpanOptions, parent?: Context) {
        const kind = kindOf(options);
        return kind === null ? UNRECORDED : new QuietSpan(tracer.startSpan(name, { kind }, parent));
      },
    },
  };
}

function kindOf(options: SpanOptions | undefined): SpanKind | null {
  if (options?.kind === QueueSpanKind.PRODUCER) return SpanKind.PRODUCER;
  return options?.kind === QueueSpanKind.CONSUMER ? SpanKind.CONSUMER : null;
}
