type Closing = () => unknown;
type Hook = (this: Mocha.Context) => Promise<void>;

/** How the fixtures that are open are closed, in the order of opening: what a fixture is built on outlives it. */
const closings: Closing[] = [];

/**
 * Opens a fixture once before the tests of a suite, and closes it behind them and behind the suite's own hooks, by its
 * method of disposal, `close` or `stop`, if it has one. Returns how to get it.
 */
export function useFixture<T>(open: () => T | Promise<T>): () => T {
  return fixture(open, before, (suite, hook) => suite.afterAll(hook));
}

/** A separate fixture for each test of a suite. */
export function useFreshFixture<T>(open: () => T | Promise<T>): () => T {
  return fixture(open, beforeEach, (suite, hook) => suite.afterEach(hook));
}

function fixture<T>(
  open: () => T | Promise<T>,
  first: (hook: Hook) => void,
  last: (suite: Mocha.Suite, hook: Hook) => void,
): () => T {
  let opened: { readonly value: T } | null = null;
  let closes = false;
  first(async function () {
    const value = await open();
    opened = { value };
    closings.push(closingOf(value));
    // Not earlier: hooks run in the order in which they were registered.
    if (!closes) last(this.test!.parent!, close);
    closes = true;
  });
  async function close(): Promise<void> {
    // One that could not be opened leaves nothing to close.
    if (opened === null) return;
    opened = null;
    await closings.pop()?.();
  }
  return () => {
    if (opened === null) throw new Error('the fixture is not open: it is for hooks and tests');
    return opened.value;
  };
}

function closingOf(value: unknown): Closing {
  const object = Object(value);
  const close: unknown = object[Symbol.asyncDispose] ?? object[Symbol.dispose] ?? object.close ?? object.stop;
  return () => (typeof close === 'function' ? Reflect.apply(close, value, []) : undefined);
}
