import type * as z from 'zod';
import type { McpToolName, Window } from '../../../engine/contract/index.ts';
import type { BoardReader, BoardView, LeagueRequest } from '../../../engine/ranking/index.ts';
import { type boardFields, windowField } from './fields.ts';

export type LeagueAsked = Omit<LeagueRequest, 'league' | 'season'>;

/** What tools read. */
export interface ToolBoard extends Pick<BoardReader, 'withBoardView' | 'view'> {
  /** A page of the board of a league that the caller may see; null where there is no such league. */
  readonly leagueBoard: (
    slug: string,
    asked: LeagueAsked,
  ) => Promise<Awaited<ReturnType<BoardReader['league']>> | null>;
}

/** A tool as a value: the list of tools, input validation and output validation read this one value. */
export interface McpTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: McpToolName;
  readonly title: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** What a model needs to choose the tool and to read its result. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** The data, for `output`, and the same as text. Throws a ToolError when other arguments would succeed. */
  run(
    input: z.output<I>,
    board: ToolBoard,
  ): Promise<{ readonly structured: Record<string, unknown>; readonly text: string }>;
}

/** The result of a query: the data of its output without `boardFields`, and the same as text. */
type Found<O extends z.ZodObject> = readonly [found: Omit<z.input<O>, keyof typeof boardFields>, text: string];

/** Declares a tool that queries one board version, which its result contains. */
export function defineQuery<I extends z.ZodObject, O extends z.ZodObject>({
  find,
  ...tool
}: Omit<McpTool<I, O>, 'run'> & {
  readonly find: (input: z.output<I>, board: BoardView) => Promise<Found<O>>;
}): McpTool {
  return defineTool({
    ...tool,
    run: (input, board) =>
      board.withBoardView(async (view) => {
        const [found, text] = await find(input, view);
        return { structured: { ...boardOf(view.view, windowField.parse(input['window'])), ...found }, text };
      }),
  });
}

/** Declares a tool: infers the type of its input from the schema beside it. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: McpTool<I, O>): McpTool {
  return tool;
}

/** The members of a result that describe its board. */
function boardOf({ version, methodology, generatedAt, readAt, totals }: BoardView['view'], window: Window) {
  const [generated_at, board_at] = [readAt, generatedAt].map((at) => new Date(at).toISOString());
  return { window, board_version: version, methodology, generated_at, board_at, total_operators: totals[window] };
}

/**
 * A call with invalid arguments. The text is for the calling model: the error, and what to call instead. It contains no
 * text from users except codenames and platforms, whose characters are restricted.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
