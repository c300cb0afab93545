import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A PNG of one pixel, and a WAV of no sound, base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = { type: 'text', text: 'This is a simple text response for testing.' } as const;
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const;
const audio = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' } as const;

function resource(uri: string, mimeType: string, body: string) {
  return { type: 'resource', resource: { uri, mimeType, text: body } } as const;
}

/** The tools that the conformance suite looks for by name, as far as a server that only has tools can have them. */
export function createFixtureServer(): McpServer {
  const server = new McpServer({ name: 'conformance', version: '1.0.0' }, { capabilities: { logging: {} } });
  const noInput = { description: 'A fixture of the conformance suite.', inputSchema: z.object({}) };
  server.registerTool('test_simple_text', noInput, async () => ({ content: [text] }));
  server.registerTool('test_image_content', noInput, async () => ({ content: [image] }));
  server.registerTool('test_audio_content', noInput, async () => ({ content: [audio] }));
  server.registerTool('test_embedded_resource', noInput, async () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  server.registerTool('test_multiple_content_types', noInput, async () => ({
    content: [
      text,
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  server.registerTool('test_error_handling', noInput, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_tool_with_progress', noInput, async (_input, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return { content: [text] };
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, noInput, async (_input, { mcpReq }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', data);
      }
      return { content: [text] };
    });
  }
  return server;
}
