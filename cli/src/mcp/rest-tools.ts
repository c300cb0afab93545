import { WINDOWS } from '../../../engine/contract/windows.ts';
import type { JsonObject } from '../json.ts';
import { exchange } from '../net/http.ts';
import { type RemoteTools, toolError } from './remote-tools.ts';

const CODENAME = { type: 'string', description: "The operator's codename.", pattern: '^[A-Za-z0-9-]{3,32}$' };

/**
 * Fallback tools for a service whose MCP endpoint cannot be found, which has more. Each makes one public read of the REST API.
 */
const REST_TOOLS = [
  {
    name: 'get_leaderboard',
    description: 'The first operators of a window, ranked by Yield = cache_read x output / input^2.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        window: { type: 'string', enum: WINDOWS, default: 'all_time' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
    },
    path: ({ window = 'all_time', limit = 10 }: JsonObject) =>
      `/leaderboard?window=${encodeURIComponent(String(window))}&limit=${encodeURIComponent(String(limit))}`,
  },
  {
    name: 'get_operator',
    description: "An operator's rank, percentile, tier and scores.",
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { codename: CODENAME },
      required: ['codename'],
    },
    path: ({ codename }: JsonObject) => `/operators/${encodeURIComponent(String(codename))}`,
  },
];

export function openRestTools(baseUrl: string): RemoteTools {
  return {
    list: async () => REST_TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    call: async (name, input) => {
      const tool = REST_TOOLS.find((each) => each.name === name);
      if (tool === undefined) throw toolError(`there is no tool ${name}`);
      const { status, body, text } = await exchange({ method: 'GET', url: `${baseUrl}${tool.path(input)}` });
      const content = [{ type: 'text', text: body === undefined ? text : JSON.stringify(body) }];
      return { content, isError: status >= 300 };
    },
  };
}
