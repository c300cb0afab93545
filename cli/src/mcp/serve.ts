import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { openScreen } from '../output/screen.ts';
import { VERSION } from '../version.ts';
import { callScanUsage, SCAN_USAGE } from './scan-usage-tool.ts';
import { openServiceTools } from './service-tools.ts';

const INSTRUCTIONS =
  'The Upsilon leaderboard ranks AI operators by Yield = cache_read x output / input^2. The tools read the public board; ' +
  'scan_usage counts the tokens in the local logs of this machine. Nothing is submitted by any of them.';

/** Serves MCP on stdin and stdout until the client disconnects: the service's tools, passed through, and `scan_usage`. */
export const serveMcp: Command = async (command) => {
  // Standard output carries the protocol.
  const context = { ...command, screen: openScreen({ json: true, color: false }) };
  const service = openServiceTools(command.settings.baseUrl);
  const call = async (name: string, input: JsonObject) => {
    try {
      if (name === SCAN_USAGE.name) return await callScanUsage(context, input);
      return await service.call(name, input);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const hint = error.hint === null ? '' : `\n${error.hint}`;
      return { content: [{ type: 'text', text: `${error.message}${hint}` }], isError: true };
    }
  };
  // The local tool stays available when the service becomes unreachable.
  const list = async () => [SCAN_USAGE, ...(await service.list().catch(() => []))];
  const transport = new StdioServerTransport(jsonLines());
  const handle = serveStdio(() => createServer(list, call), { transport });
  await new Promise<void>((resolve) => {
    // A file or /dev/null emits `end` but not `close`.
    for (const event of ['end', 'close']) process.stdin.once(event, resolve);
    process.once('SIGTERM', resolve);
  });
  await handle.close();
  return 'ok';
};

/** JSON-RPC's response to a line that is not JSON, whose id is unknown. */
const PARSE_ERROR = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } });

/** The lines of standard input that are JSON. Responds to the others, which the transport would drop in silence. */
function jsonLines(): PassThrough {
  const lines = new PassThrough();
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      if (parseJson(line) !== undefined) lines.write(`${line}\n`);
      else if (line.trim() !== '') process.stdout.write(`${PARSE_ERROR}\n`);
    })
    .on('close', () => lines.end());
  return lines;
}

/** A low-level server, which passes tool schemas through without parsing and rebuilding them. */
function createServer(
  list: () => Promise<readonly JsonObject[]>,
  call: (name: string, input: JsonObject) => Promise<JsonObject>,
): Server {
  const server = new Server(
    { name: 'upsilon', title: 'Upsilon', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', { params: ANYTHING }, async () => ({ tools: await list() }));
  server.setRequestHandler('tools/call', { params: CALL }, ({ name, arguments: input = {} }) => call(name, input));
  return server;
}

/** Checks only the shape of requests: the tools validate their input. */
const ANYTHING = z.looseObject({}).optional();
const CALL = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });
