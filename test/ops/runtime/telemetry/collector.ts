import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOnFreePort } from '../../../support/listen.ts';

const VALUE = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  boolValue: z.boolean().optional(),
});

const SPAN = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: VALUE })).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});

const EXPORT = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: VALUE })) }),
      scopeSpans: z.array(z.object({ spans: z.array(SPAN) })),
    }),
  ),
});

/** A received span with the service that sent it. */
export type ReceivedSpan = z.infer<typeof SPAN> & { readonly service: string };

/** A replacement for an OpenTelemetry collector: receives spans by OTLP over HTTP as JSON and keeps them. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The received request bodies. */
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

export async function openCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      for (const { resource, scopeSpans } of EXPORT.parse(JSON.parse(body)).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push({ ...span, service });
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
