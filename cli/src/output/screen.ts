/** Colours of the two output streams: identity functions where colours are off. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** Where a command writes. With `--json` only `result` prints, exactly once. */
export interface Screen {
  readonly json: boolean;
  /** Columns to lay text out for; null when the output is no terminal and nothing should be wrapped. */
  readonly columns: number | null;
  readonly paint: Paint;
  /** Text for stdout, as it stands. */
  print(text: string): void;
  /** One paragraph for stdout, wrapped. */
  say(text: string): void;
  /** Passing news for stderr, wrapped. */
  note(text: string): void;
  /** What the user has to see even when the run prints JSON, as an address to visit: stderr, as it stands. */
  tell(text: string): void;
  /** Something the user should know before trusting the result: stderr, wrapped. */
  warning(text: string): void;
  /** A line on a terminal that replaces itself, for what takes long; null takes it away. Nothing where there is no terminal. */
  progress(text: string | null): void;
  /** The end of a run that failed: what happened and what to do next. */
  failure(message: string, hint: string | null): void;
  /** The one JSON object of `--json`; later calls are ignored. Does nothing otherwise. */
  result(value: unknown): void;
}

/** Narrower terminals are treated as this wide: below it wrapping helps nobody. */
const MIN_COLUMNS = 20;

/** Opens the screen over stdout and stderr; colours only where each is a terminal. */
export function openScreen(options: { readonly json: boolean; readonly color: boolean }): Screen {
  const { json } = options;
  const outPaint = makePaint(options.color && process.stdout.isTTY);
  const errPaint = makePaint(options.color && process.stderr.isTTY);
  const columns = process.stdout.isTTY ? Math.max(MIN_COLUMNS, process.stdout.columns) : null;
  const errColumns = process.stderr.isTTY ? Math.max(MIN_COLUMNS, process.stderr.columns) : null;
  let told = false;
  let shown = false;
  const progress = (text: string | null): void => {
    if (json || errColumns === null || (text === null && !shown)) return;
    shown = text !== null;
    process.stderr.write(`\r\u001b[K${text === null ? '' : text.slice(0, errColumns - 1)}`);
  };
  const err = (text: string, paint: (text: string) => string): void => {
    progress(null);
    if (!json) process.stderr.write(`${paint(wrap(text, errColumns))}\n`);
  };
  const out = (text: string): void => {
    progress(null);
    if (!json) process.stdout.write(`${text}\n`);
  };
  return {
    json,
    columns,
    paint: outPaint,
    print: out,
    say: (text) => out(wrap(text, columns)),
    note: (text) => err(text, errPaint.dim),
    tell: (text) => void process.stderr.write(`${text}\n`),
    warning: (text) => err(`Note: ${text}`, errPaint.warn),
    progress,
    failure: (message, hint) => {
      err(`upsilon: ${message}`, errPaint.bad);
      if (hint !== null) err(hint, (text) => text);
    },
    result: (value) => {
      if (!json || told) return;
      told = true;
      process.stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

function makePaint(on: boolean): Paint {
  const sgr = (open: number, close: number) => (text: string) => (on ? `\u001b[${open}m${text}\u001b[${close}m` : text);
  return { bold: sgr(1, 22), dim: sgr(2, 22), good: sgr(32, 39), warn: sgr(33, 39), bad: sgr(31, 39) };
}

/** Breaks a paragraph at spaces so that no line is wider than `columns`, save for words that are wider themselves. */
export function wrap(text: string, columns: number | null): string {
  if (columns === null) return text;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && visibleLength(line) + 1 + visibleLength(word) > columns) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines.join('\n');
}

/** The columns that a text takes up: colours take none. */
function visibleLength(text: string): number {
  // oxlint-disable-next-line no-control-regex -- the escape character is what starts a colour
  return text.replace(/\u001b\[\d+m/g, '').length;
}
