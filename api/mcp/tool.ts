import type * as z from 'zod';
import type { McpToolName } from '../../engine/contract/index.ts';
import type { BoardReader } from '../../engine/ranking/index.ts';

/** What tools read. */
export type ToolBoard = Pick<BoardReader, 'ask' | 'view'>;

/** What a tool found: data that fits its output schema, and the same for people. */
export interface ToolAnswer<O> {
  readonly structured: O;
  readonly text: string;
}

/** A tool as a value: the listing, the check of what comes in and of what goes out all read this one value. */
export interface McpTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: McpToolName;
  readonly title: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** What a model needs to choose the tool and to read its answer. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** Throws a ToolError where another call would do; any other error is a fault of the service. */
  run(input: z.output<I>, board: ToolBoard): Promise<ToolAnswer<z.input<O>>>;
}

/** Declares a tool: infers what it is given and what it must answer from the schemas beside it. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: McpTool<I, O>): McpTool {
  return tool;
}
