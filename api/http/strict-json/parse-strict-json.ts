import { Problem } from '../problem.ts';
import { scanJson } from './scan-json.ts';

// A byte order mark is kept, so that JSON.parse refuses it: RFC 8259 forbids one.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body, refusing what two parsers could read differently.
 *
 * @throws Problem body_missing, json_not_utf8, json_malformed, json_too_deep, json_duplicate_key, json_forbidden_key,
 * json_lone_surrogate.
 */
export function parseStrictJson(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) throw new Problem('body_missing');
  const text = decode(bytes);
  const value = parse(text);
  const refusal = scanJson(text, maxDepth);
  if (refusal !== null) throw new Problem(refusal.code, { detail: refusal.detail });
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('json_not_utf8', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's own words would repeat the body; they are kept for the log.
    throw new Problem('json_malformed', { detail: 'The body could not be parsed as JSON.', cause });
  }
}
