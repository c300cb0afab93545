import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { SpanKind as QueueSpanKind, type SpanOptions, type Telemetry } from 'bullmq';
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

/** BullMQ's spans of jobs that are added and processed. Its own housekeeping, every few seconds, is left out. */
export function queueTelemetry(tracer: Tracer): Telemetry<Context> {
  const { contextManager } = new BullMQOtel();
  return {
    contextManager,
    tracer: {
      startSpan(name: string, options?: SpanOptions, parent?: Context) {
        const kind = kindOf(options);
        return kind === null ? NOT_KEPT : new BullMQOTelSpan(tracer.startSpan(name, { kind }, parent));
      },
    },
  };
}

function kindOf(options: SpanOptions | undefined): SpanKind | null {
  if (options?.kind === QueueSpanKind.PRODUCER) return SpanKind.PRODUCER;
  return options?.kind === QueueSpanKind.CONSUMER ? SpanKind.CONSUMER : null;
}
