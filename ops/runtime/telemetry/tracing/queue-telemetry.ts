import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { type Exception, SpanKind as QueueSpanKind, type SpanOptions, type Telemetry } from 'bullmq';
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel';

/** A span that is not kept: what runs in it belongs to whatever is around it. */
const NOT_KEPT = {
  setSpanOnContext: (around: Context) => around,
  setAttribute: ignore,
  setAttributes: ignore,
  addEvent: ignore,
  recordException: ignore,
  end: ignore,
};

function ignore(): void {
  // Nothing is kept.
}

/**
 * A span of BullMQ's without what it would tell of a job: its result, which names who submitted what, and the words of its
 * failure, which may be anything. The kind of the failure stays.
 */
class QuietSpan extends BullMQOTelSpan {
  override addEvent(name: string): void {
    super.addEvent(name);
  }

  override recordException(exception: Exception): void {
    super.recordException({ name: exception instanceof Error ? exception.name : 'error' });
  }
}

/** BullMQ's spans of jobs that are added and processed. Its own housekeeping, every few seconds, is left out. */
export function queueTelemetry(tracer: Tracer): Telemetry<Context> {
  const { contextManager } = new BullMQOtel();
  return {
    contextManager,
    tracer: {
      startSpan(name: string, options?: SpanOptions, parent?: Context) {
        const kind = kindOf(options);
        return kind === null ? NOT_KEPT : new QuietSpan(tracer.startSpan(name, { kind }, parent));
      },
    },
  };
}

function kindOf(options: SpanOptions | undefined): SpanKind | null {
  if (options?.kind === QueueSpanKind.PRODUCER) return SpanKind.PRODUCER;
  return options?.kind === QueueSpanKind.CONSUMER ? SpanKind.CONSUMER : null;
}
