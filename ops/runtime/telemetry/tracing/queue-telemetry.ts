import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { type Exception, SpanKind as QueueSpanKind, type SpanOptions, type Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';

/** A span that is not exported: work inside it belongs to the surrounding span. */
const UNRECORDED = {
  setSpanOnContext: (around: Context) => around,
  setAttribute: ignore,
  setAttributes: ignore,
  addEvent: ignore,
  recordException: ignore,
  end: ignore,
};

function ignore(): void {
  // Nothing is recorded.
}

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

/** Spans of BullMQ for added and processed jobs, without its periodic housekeeping. */
export function queueTelemetry(tracer: Tracer): Telemetry<Context> {
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
