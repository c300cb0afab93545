type Closing = () => unknown;

/** How the fixtures that are open are closed, in the order of opening: what a fixture is built on outlives it. */
const closings: Closing[] = [];

/** Opens a fixture once before the tests of a suite, and closes it behind them. Returns how to get it. */
export function useFixture<T>(open: () => T | Promise<T>): () => T {
  return fixture(open, before, after);
}

/** A fixture of its own for each test of a suite. */
export function useFreshFixture<T>(open: () => T | Promise<T>): () => T {
  return fixture(open, beforeEach, afterEach);
}

function fixture<T>(
  open: () => T | Promise<T>,
  first: (hook: () => Promise<void>) => void,
  last: (hook: () => Promise<void>) => void,
): () => T {
  let opened: { readonly value: T } | null = null;
  first(async () => {
    const value = await open();
    opened = { value };
    closings.push(closingOf(value));
  });
  last(async () => {
    // One that could not be opened leaves nothing to close.
    if (opened === null) return;
    opened = null;
    await closings.pop()?.();
  });
  return () => {
    if (opened === null) throw new Error('the fixture is not open: it is for hooks and tests');
    return opened.value;
  };
}

function closingOf(value: unknown): Closing {
  const object = Object(value);
  const close: unknown = object[Symbol.asyncDispose] ?? object[Symbol.dispose] ?? object.close;
  return () => (typeof close === 'function' ? Reflect.apply(close, value, []) : undefined);
}
