import * as z from 'zod';

/** A load: the same requests again and again on some connections, each sending the next when it has its answer. */
export const Load = z.object({
  port: z.int(),
  connections: z.int().min(1),
  /** Whole requests as they go over the wire, used in turns. */
  requests: z.array(z.string()).min(1),
  durationMs: z.number(),
});
export type Load = z.infer<typeof Load>;

/** What a load met with. */
export const LoadResult = z.object({
  responses: z.int(),
  /** Answers by status. */
  statuses: z.record(z.string(), z.int()),
  /** Connections that broke in the middle of an answer. */
  broken: z.int(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});
export type LoadResult = z.infer<typeof LoadResult>;
