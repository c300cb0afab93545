import type { Close } from './lifecycle.ts';

/** Closes something and says what went wrong: its error, or that it took too long; null when nothing did. */
export async function closeWithin(close: Close, timeoutMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`took longer than ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([Promise.resolve(close()).then(() => null), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
