import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The parts of an assistant line that decide how it is counted. Absent members are absent from the line. */
export interface AssistantLine {
  readonly id?: string;
  readonly request?: string;
  readonly uuid?: string;
  readonly sidechain?: boolean;
  readonly model?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly text?: string;
}

/** An assistant line in Claude Code's form. Counts default to 10, 20, 30 and 40. */
export function assistantLine(parts: AssistantLine): string {
  return JSON.stringify({
    isSidechain: parts.sidechain ?? false,
    cwd: '/srv/atlas',
    sessionId: '44444444-4444-4444-8444-444444444444',
    message: {
      model: parts.model ?? 'claude-sonnet-4-5-20250929',
      id: parts.id,
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: parts.text ?? 'Naturally.' }],
      usage: {
        input_tokens: 'input' in parts ? parts.input : 10,
        cache_creation_input_tokens: 'cacheWrite' in parts ? parts.cacheWrite : 40,
        cache_read_input_tokens: 'cacheRead' in parts ? parts.cacheRead : 30,
        output_tokens: 'output' in parts ? parts.output : 20,
      },
    },
    requestId: parts.request,
    type: 'assistant',
    uuid: parts.uuid,
    timestamp: '2026-05-01T10:00:00.000Z',
  });
}

/** Writes lines, each ended by a line feed, into a file under a folder; returns its path. */
export async function writeLog(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}
