import type * as z from 'zod';
import type { McpToolName, Window } from '../../../engine/contract/index.ts';
import type { BoardReader, BoardView } from '../../../engine/ranking/index.ts';
import { type boardFields, windowField } from './fields.ts';

/** What tools read. */
export type ToolBoard = Pick<BoardReader, 'withBoardView' | 'view'>;

/** The listing, the check of what comes in and of what goes out all read this one value. */
interface ToolListing<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: McpToolName;
  readonly title: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** What a model needs to choose the tool and to read its answer. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
}

/** A tool as a value. */
export interface McpTool<I extends z.ZodObject = z.ZodObject> extends ToolListing<I, z.ZodObject> {
  /**
   * The data, which `output` parses, and the same for people. Throws a ToolError where another call would do; any other error
   * is a fault of the service.
   */
  run(
    input: z.output<I>,
    board: ToolBoard,
  ): Promise<{ readonly structured: Record<string, unknown>; readonly text: string }>;
}

/** What a tool found: the data of its output without `boardFields`, and the same for people. */
type Found<O extends z.ZodObject> = readonly [found: Omit<z.input<O>, keyof typeof boardFields>, text: string];

/** Declares a tool that asks one version of the board, which its answer names. */
export function defineQuery<I extends z.ZodObject, O extends z.ZodObject>(
  query: ToolListing<I, O> & { find(input: z.output<I>, board: BoardView): Promise<Found<O>> },
): McpTool {
  return defineTool({
    ...query,
    run: (input, board) =>
      board.withBoardView(async (asked) => {
        const [found, text] = await query.find(input, asked);
        return { structured: { ...boardOf(asked.view, windowField.parse(input['window'])), ...found }, text };
      }),
  });
}

/** Declares a tool: infers what it is given from the schema beside it. */
export function defineTool<I extends z.ZodObject>(tool: McpTool<I>): McpTool {
  return tool;
}

/** The members that tell which board an answer was read from. */
export function boardOf({ generatedAt, totals }: BoardView['view'], window: Window) {
  return { window, generated_at: new Date(generatedAt).toISOString(), total_operators: totals[window] };
}

/**
 * A call with invalid arguments. The text is for the calling model: the error, and what to call instead. It contains no
 * text from users except codenames and platforms, whose characters are restricted.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
