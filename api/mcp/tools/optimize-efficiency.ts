import * as z from 'zod';
import { STEP_FACTORS, strongestLever } from '../analysis/levers.ts';
import { defineTool } from '../tool.ts';
import { boardOf } from './board-of.ts';
import { codenameField, windowField } from './fields.ts';
import { Optimization } from './optimize/output.ts';
import { readGoals, readSteps, readThoseAbove } from './optimize/reads.ts';
import { showOptimization } from './optimize/text.ts';
import { requireOperator, requireRanked } from './require-operator.ts';

export const optimizeEfficiency = defineTool({
  name: 'optimize_efficiency',
  title: 'What would raise the Yield',
  summary: "Which lever changes an operator's Yield most, and the rank that each step would reach.",
  description:
    "Changes each lever of an operator's Yield separately (cache reads and output multiplied by, input divided by " +
    `${STEP_FACTORS.join(', ')}) and looks up the rank of each result on the current board, with all other operators unchanged. ` +
    'strongest is the lever whose smallest step raises Yield most; behind_above states which ratio is farther below the median of ' +
    'up to 50 operators directly above. next_rank and next_tier state how far each lever alone would have to change. The steps ' +
    'are arithmetic on totals of the window, not advice on how to work: totals of all time only grow, so less input ' +
    'means using less from now on, and its effect appears sooner in shorter windows.',
  input: z.strictObject({ codename: codenameField, window: windowField }),
  output: Optimization,
  run: ({ codename, window }, board) =>
    board.ask(async (asked) => {
      const profile = await requireOperator(asked, codename);
      const { percentile: _, ...standing } = requireRanked(profile, window);
      const operator = { codename: profile.codename, ...standing };
      const steps = await readSteps(asked, operator, window);
      const goals = await readGoals(asked, operator, window);
      const above = await readThoseAbove(asked, operator, window);
      const strongest = strongestLever(steps, operator.yield_);
      const structured = { ...boardOf(asked.view, window), operator, strongest, steps: [...steps], ...goals, ...above };
      return { structured, text: showOptimization(structured) };
    }),
});
