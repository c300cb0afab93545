import type { LogEntry } from '../engine/ranking/index.ts';
import type { RunningSpan, TraceParent, Tracing } from '../ops/runtime/telemetry/index.ts';
import type { ApiPorts } from './ports.ts';

type TracedPorts = Pick<ApiPorts, 'log' | 'queue' | 'metrics'>;

/**
 * The ports with the way of a snapshot traced: requests that are written together share the span of their group, which
 * belongs to the trace of the first and is linked with the others', and which its job goes on with.
 */
export function traceSubmissions(tracing: Tracing, ports: TracedPorts): TracedPorts & Pick<ApiPorts, 'onTaken'> {
  const requests = new WeakMap<LogEntry, RunningSpan>();
  const batches = new WeakMap<LogEntry, TraceParent>();
  const { log, queue, metrics } = ports;
  return {
    onTaken(entry) {
      const request = tracing.running();
      if (request !== null) requests.set(entry, request);
    },
    log: {
      ...log,
      append(entries) {
        const senders = entries.flatMap((entry) => requests.get(entry) ?? []);
        const write = () => {
          const batch = tracing.running()?.parent;
          if (batch !== undefined) {
            for (const entry of entries) batches.set(entry, batch);
            for (const sender of senders.slice(1)) sender.linkTo(batch);
          }
          return log.append(entries);
        };
        const facts = { 'upsilon.entries': entries.length };
        return tracing.span('append batch', facts, write, inTraces(senders));
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
