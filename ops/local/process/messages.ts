/** What a child process tells its parent over IPC. */
export type ChildMessage =
  /** It serves; whatever else the message has is about how. */
  | { readonly type: 'ready'; readonly [detail: string]: unknown }
  /** It cannot serve, for this reason, and ends. */
  | { readonly type: 'failed'; readonly reason: string };

/** The message, when what arrived over IPC is one. */
export function asChildMessage(value: unknown): ChildMessage | null {
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  if (value.type === 'ready') return { ...value, type: 'ready' };
  if (value.type === 'failed' && 'reason' in value) return { type: 'failed', reason: String(value.reason) };
  return null;
}
