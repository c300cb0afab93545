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
  .describe('How far each lever alone would have to be moved; null where none can, from a Yield of 0.');

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

/** What `optimize_efficiency` answers. */
export const Optimization = z.object({
  ...boardFields,
  operator: Line.omit({ platform: true }),
  strongest: z
    .object({ lever: z.enum(LEVERS), times: z.number().describe('What its smallest step multiplies Yield by.') })
    .nullable()
    .describe('Null where no step moves Yield: without cache reads or output it stays 0.'),
  steps: z.array(Step),
  next_rank: z
    .object({ codename: z.string(), rank: z.int().min(1), yield_: z.number(), needed: Needed })
    .nullable()
    .describe('The operator next above, and what draws level with it; null for rank 1.'),
  next_tier: z
    .object({ class_tier: z.string(), yield_: z.number(), rank: z.int().min(1), needed: Needed })
    .nullable()
    .describe('Where the next tier begins, and the rank that has; null in the highest.'),
  above: Group.nullable().describe('Those directly above that behind_above was measured by; null for rank 1.'),
  behind_above: z
    .object({
      leverage_ratio: z.number().nullable().describe('Own Leverage over their median.'),
      velocity_ratio: z.number().nullable().describe('Own Velocity over their median.'),
      farther_behind: z.enum(['leverage', 'velocity', 'neither']),
    })
    .nullable(),
});

export type Optimization = z.infer<typeof Optimization>;
