import { CliError } from '../cli-error.ts';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.ts';
import { exchange, NoResponseError } from '../net/http.ts';

/** The protocol revision of requests to the service: one that needs no session. */
const PROTOCOL_VERSION = '2025-06-18';

const MANIFEST_PATH = '/.well-known/mcp';

/** The service's own tools, reached over its Streamable HTTP endpoint. Definitions and results are passed through unchanged. */
export interface RemoteTools {
  list(): Promise<readonly JsonObject[]>;
  call(name: string, input: JsonObject): Promise<JsonObject>;
}

/** The error when the service returns an error instead of a result. */
export function toolError(message: string): CliError {
  return new CliError('network', 'tool_failed', message);
}

/** Finds the service's MCP endpoint in its manifest; null when there is none, or the service is unreachable. */
export async function findRemoteTools(baseUrl: string): Promise<RemoteTools | null> {
  try {
    const { status, body } = await exchange({ method: 'GET', url: new URL(MANIFEST_PATH, baseUrl).href });
    const { endpoint } = objectOf(body);
    if (status >= 300 || typeof endpoint !== 'string' || !URL.canParse(endpoint)) return null;
    return openRemoteTools(endpoint);
  } catch (error) {
    if (error instanceof NoResponseError) return null;
    throw error;
  }
}

function openRemoteTools(url: string): RemoteTools {
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
