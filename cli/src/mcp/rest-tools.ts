import { WINDOWS } from '../../../engine/contract/windows.ts';
import { exchange, NoResponseError } from '../net/http.ts';
import { type JsonObject, RemoteError, type RemoteTools } from './remote-tools.ts';

/** A tool that makes one public read of the REST API. */
interface RestTool {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly path: (input: JsonObject) => string;
}

const CODENAME = { type: 'string', description: "The operator's codename.", pattern: '^[A-Za-z0-9-]{3,32}$' };

/** Fallback tools for a service whose MCP endpoint cannot be found. The endpoint has more. */
const REST_TOOLS: Readonly<Record<string, RestTool>> = {
  get_leaderboard: {
    description: 'The first operators of a window, ranked by Yield = cache_read x output / input^2.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        window: { type: 'string', enum: WINDOWS, default: 'all_time' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
    },
    path: ({ window = 'all_time', limit = 10 }) =>
      `/leaderboard?window=${encodeURIComponent(String(window))}&limit=${encodeURIComponent(String(limit))}`,
  },
  get_operator: {
    description: "An operator's rank, percentile, tier and scores.",
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { codename: CODENAME },
      required: ['codename'],
    },
    path: ({ codename }) => `/operators/${encodeURIComponent(String(codename))}`,
  },
};

export function openRestTools(baseUrl: string): RemoteTools {
  return {
    list: () =>
      Promise.resolve(
        Object.entries(REST_TOOLS).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
      ),
    call: async (name, input) => {
      const tool = Object.hasOwn(REST_TOOLS, name) ? REST_TOOLS[name] : undefined;
      if (tool === undefined) throw new RemoteError(`there is no tool ${name}`);
      const { status, body, text } = await get(`${baseUrl}${tool.path(input)}`);
      const content = [{ type: 'text', text: body === undefined ? text : JSON.stringify(body) }];
      return { content, isError: status >= 300 };
    },
  };
}

async function get(url: string) {
  try {
    return await exchange({ method: 'GET', url, token: null });
  } catch (error) {
    if (error instanceof NoResponseError) throw new RemoteError(`cannot reach ${url}: ${error.message}`);
    throw error;
  }
}
