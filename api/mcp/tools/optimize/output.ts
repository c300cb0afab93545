import * as z from 'zod';
import { LEVERS } from '../../analysis/levers.ts';
import { boardFields, Line } from '../fields.ts';
import { Group } from '../group.ts';

const Needed = z
  .object({
    more_cache_reads: z.number().describe('Cache reads times this.'),
    less_input: z.number().describe('Input divided by this.'),
    more_output: z.number().describe('Output times this.'),
  })
  .nullable()
  .describe('How far each lever alone would have to change; null from a Yield of 0, which no factor raises.');

const Step = z.object({
  lever: z.enum(LEVERS),
  factor: z.number().describe('Cache reads or output times this, or input divided by it.'),
  yield_: z.number(),
  leverage: z.number(),
  velocity: z.number(),
  class_tier: z.string(),
  rank: z.int().min(1).describe('The rank this Yield has on the current board, all others unchanged.'),
  ranks_gained: z.int(),
});

/** The result of `optimize_efficiency`. */
export const Optimization = z.object({
  ...boardFields,
  operator: Line.omit({ platform: true }),
  strongest: z
    .object({ lever: z.enum(LEVERS), times: z.number().describe('What its smallest step multiplies Yield by.') })
    .nullable()
    .describe('Null where no step changes Yield: without cache reads or output it stays 0.'),
  steps: z.array(Step),
  next_rank: z
    .object({ codename: z.string(), rank: z.int().min(1), yield_: z.number(), needed: Needed })
    .nullable()
    .describe('The next operator above, and the changes that reach its Yield; null for rank 1.'),
  next_tier: z
    .object({ class_tier: z.string(), yield_: z.number(), rank: z.int().min(1), needed: Needed })
    .nullable()
    .describe('The minimum Yield of the next tier, and the rank of that Yield; null in the highest tier.'),
  above: Group.nullable().describe('The operators directly above with which behind_above compares; null for rank 1.'),
  behind_above: z
    .object({
      leverage_ratio: z.number().nullable().describe('Own Leverage over their median.'),
      velocity_ratio: z.number().nullable().describe('Own Velocity over their median.'),
      farther_behind: z.enum(['leverage', 'velocity', 'neither']),
    })
    .nullable(),
});

export type Optimization = z.infer<typeof Optimization>;
