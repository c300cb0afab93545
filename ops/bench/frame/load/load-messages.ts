import * as z from 'zod';

/** A load: requests repeated on several connections; each sends the next when it has received a response. */
export const Load = z.object({
  port: z.int(),
  connections: z.int().min(1),
  /** Complete HTTP requests, used in rotation. */
  requests: z.array(z.string()).min(1),
  durationMs: z.number(),
});
export type Load = z.infer<typeof Load>;

/** Result of a load. */
export const LoadResult = z.object({
  responses: z.int(),
  /** Responses by status. */
  statuses: z.record(z.string(), z.int()),
  /** Connections that broke during a response. */
  broken: z.int(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});
export type LoadResult = z.infer<typeof LoadResult>;
