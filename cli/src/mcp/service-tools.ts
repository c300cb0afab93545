import { WINDOWS } from '../../../engine/contract/windows.ts';
import { CliError } from '../cli-error.ts';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.ts';
import { exchange } from '../net/http.ts';

/** The protocol revision of requests to the service: one that needs no session. */
const PROTOCOL_VERSION = '2025-06-18';

const MANIFEST_PATH = '/.well-known/mcp';

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

/** The service's tools. Definitions and results are passed through unchanged. */
interface ServiceTools {
  list(): Promise<readonly JsonObject[]>;
  call(name: string, input: JsonObject): Promise<JsonObject>;
}

/** The service's tools over its Streamable HTTP endpoint, sought again after each failure; else the fallback tools. */
export function openServiceTools(baseUrl: string): ServiceTools {
  let found: Promise<ServiceTools | null> | null = null;
  const service = async (): Promise<ServiceTools> => {
    found ??= findRemoteTools(baseUrl);
    const tools = await found.catch(() => null);
    if (tools === null) found = null;
    return tools ?? openRestTools(baseUrl);
  };
  return {
    list: async () => (await service()).list(),
    call: async (name, input) => (await service()).call(name, input),
  };
}

/** Finds the service's MCP endpoint in its manifest; null when there is none. */
async function findRemoteTools(baseUrl: string): Promise<ServiceTools | null> {
  const { status, body } = await exchange({ method: 'GET', url: new URL(MANIFEST_PATH, baseUrl).href });
  const { endpoint } = objectOf(body);
  if (status >= 300 || typeof endpoint !== 'string' || !URL.canParse(endpoint)) return null;
  return openRemoteTools(endpoint);
}

function openRemoteTools(url: string): ServiceTools {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': PROTOCOL_VERSION };
  let id = 0;
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    id += 1;
    const response = await exchange({
      method: 'POST',
      url,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      headers,
    });
    const { error, result } = objectOf(response.body ?? lastEvent(response.text));
    if (isObject(error)) throw toolError(String(error['message']));
    if (!isObject(result)) throw toolError(`${url} returned no result for ${method}`);
    return result;
  };
  return {
    list: async () => {
      const { tools } = await request('tools/list', {});
      return Array.isArray(tools) ? tools.filter(isObject) : [];
    },
    call: (name, input) => request('tools/call', { name, arguments: input }),
  };
}

/** The JSON of an event stream's last event: the response, after any notifications. */
function lastEvent(text: string): unknown {
  const data = text.split('\n').filter((line) => line.startsWith('data:'));
  return parseJson(data.at(-1)?.slice('data:'.length) ?? '');
}

function openRestTools(baseUrl: string): ServiceTools {
  return {
    list: async () => REST_TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    call: async (name, input) => {
      const tool = REST_TOOLS.find((each) => each.name === name);
      if (tool === undefined) throw toolError(`unknown tool: ${name}`);
      const { status, body, text } = await exchange({ method: 'GET', url: `${baseUrl}${tool.path(input)}` });
      const content = [{ type: 'text', text: body === undefined ? text : JSON.stringify(body) }];
      return { content, isError: status >= 300 };
    },
  };
}

/** The error when the service returns an error instead of a result. */
function toolError(message: string): CliError {
  return new CliError('network', 'tool_failed', message);
}
