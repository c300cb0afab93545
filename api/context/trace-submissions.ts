import type { LogEntry } from '../../engine/ranking/index.ts';
import type { RunningSpan, TraceParent, Tracing } from '../../ops/runtime/telemetry/index.ts';
import type { ApiContext } from './api-context.ts';

/**
 * The context with traced submissions. Requests whose snapshots form a batch share its span, which belongs to the trace of
 * the first request, has links to the others, and is the parent of the batch's job.
 */
export function traceSubmissions(tracing: Tracing, ctx: ApiContext): ApiContext {
  const requests = new WeakMap<LogEntry, RunningSpan>();
  const batches = new WeakMap<LogEntry, TraceParent>();
  const { ranking, queue, metrics } = ctx;
  return {
    ...ctx,
    onTaken(entry) {
      const request = tracing.running();
      if (request !== null) requests.set(entry, request);
    },
    ranking: {
      ...ranking,
      log: {
        ...ranking.log,
        append(entries) {
          const senders = entries.flatMap((entry) => requests.get(entry) ?? []);
          const write = () => {
            const batch = tracing.running()?.parent;
            if (batch !== undefined) {
              for (const entry of entries) batches.set(entry, batch);
              for (const sender of senders.slice(1)) sender.linkTo(batch);
            }
            return ranking.log.append(entries);
          };
          const facts = { 'upsilon.entries': entries.length };
          return tracing.span('append batch', facts, write, inTraces(senders));
        },
      },
    },
    queue: {
      ...queue,
      enqueue(batch, entries) {
        const causes = entries.slice(0, 1).flatMap((entry) => batches.get(entry) ?? []);
        return tracing.span('enqueue batch', { 'upsilon.batch': batch }, () => queue.enqueue(batch, entries), causes);
      },
    },
    metrics: {
      ...metrics,
      http: {
        ...metrics.http,
        answered(route, method, status, seconds) {
          tracing.setRoute(method, route);
          metrics.http.answered(route, method, status, seconds);
        },
      },
    },
  };
}

const inTraces = (spans: readonly RunningSpan[]): TraceParent[] => spans.map(({ parent }) => parent);
