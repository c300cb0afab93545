import { isObject } from '../json.ts';
import { exchange, NoResponseError } from '../net/http.ts';

/** The protocol revision of requests to the service: one that needs no session. */
const PROTOCOL_VERSION = '2025-06-18';

const MANIFEST_PATH = '/.well-known/mcp';

/** A tool definition or a tool result, passed through unchanged. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The service's own tools, reached over its Streamable HTTP endpoint. */
export interface RemoteTools {
  list(): Promise<readonly JsonObject[]>;
  call(name: string, input: JsonObject): Promise<JsonObject>;
}

/** The service returned an error instead of a result, or is unreachable. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
}

/** Finds the service's MCP endpoint in its manifest; null when there is none, or the service is unreachable. */
export async function findRemoteTools(baseUrl: string): Promise<RemoteTools | null> {
  try {
    const url = new URL(MANIFEST_PATH, baseUrl).href;
    const { status, body } = await exchange({ method: 'GET', url, token: null });
    const endpoint = isObject(body) ? body['endpoint'] : undefined;
    if (status >= 300 || typeof endpoint !== 'string' || !URL.canParse(endpoint)) return null;
    return openRemoteTools(endpoint);
  } catch (error) {
    if (error instanceof NoResponseError) return null;
    throw error;
  }
}

function openRemoteTools(endpoint: string): RemoteTools {
  let last = 0;
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = (last += 1);
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const response = await post(endpoint, body);
    const error = isObject(response) ? response['error'] : undefined;
    if (isObject(error)) throw new RemoteError(String(error['message']));
    const result = isObject(response) ? response['result'] : undefined;
    if (!isObject(result)) throw new RemoteError(`${endpoint} returned no result for ${method}`);
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

async function post(endpoint: string, body: string): Promise<unknown> {
  try {
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': PROTOCOL_VERSION };
    const response = await exchange({ method: 'POST', url: endpoint, token: null, body, headers });
    return response.body ?? lastEvent(response.text);
  } catch (error) {
    if (error instanceof NoResponseError) throw new RemoteError(`cannot reach ${endpoint}: ${error.message}`);
    throw error;
  }
}

/** The JSON of an event stream's last event: the response, after any notifications. */
function lastEvent(text: string): unknown {
  const data = text.split('\n').filter((line) => line.startsWith('data:'));
  try {
    return JSON.parse(data.at(-1)?.slice('data:'.length) ?? '');
  } catch {
    return undefined;
  }
}
