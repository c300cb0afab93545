import { nextTierFrom } from '../../../engine/contract/tiers.ts';
import { cutText, textWidth } from './text-width.ts';

/** Colours of an output stream: identity functions where colours are off. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'good' | 'warn' | 'bad', (text: string) => string>>;

/** The output of a command. With `--json` only `result` prints, exactly once. */
export type Screen = Readonly<ReturnType<typeof openScreen>>;

/** Narrower terminals are treated as this wide: below it wrapped text is unreadable. */
const MIN_COLUMNS = 20;

/** A command of this tool in a text, with its options and their values. Names of keys are in quotes. */
const COMMAND =
  /(?<![\w./\\"-])upsilon(?:$| (?:--)?[a-z][\w-]*(?: (?:install|status|uninstall)| --[a-z-]+(?: [^\s-]\S*)?)*)/g;

/** In place of the spaces of a command until its text is wrapped. */
const UNBROKEN = '\u00a0';
const unbroken = (text: string): string => text.replaceAll(' ', UNBROKEN);

/** Opens the screen over stdout and stderr; colours only where each is a terminal. `verbose`: bookkeeping is shown. */
export function openScreen(
  options: Readonly<Record<'json' | 'color', boolean> & { verbose?: boolean; command?: string }>,
) {
  const { json, verbose = false, command = 'upsilon' } = options;
  /** Texts name commands as those of the installed tool, which is seldom how it is run. */
  const asRun = (text: string, change = (found: string) => found): string =>
    text.replace(COMMAND, (found) => change(command + found.slice('upsilon'.length)));
  /** A text in lines, of which none breaks a command. */
  const lines = (text: string, width: number | null): string =>
    wrap(asRun(text, unbroken), width).replaceAll(UNBROKEN, ' ');
  const outPaint = makePaint(options.color && process.stdout.isTTY);
  const errPaint = makePaint(options.color && process.stderr.isTTY);
  const columns = process.stdout.isTTY ? Math.max(MIN_COLUMNS, process.stdout.columns) : null;
  const errColumns = process.stderr.isTTY ? Math.max(MIN_COLUMNS, process.stderr.columns) : null;
  let hasResult = false;
  let shown = false;
  const progress = (text: string | null): void => {
    if (json || errColumns === null || (text === null && !shown)) return;
    shown = text !== null;
    process.stderr.write(`\r\u001b[K${text === null ? '' : cutText(text, errColumns - 1)}`);
  };
  const err = (text: string, paint: (text: string) => string): void => {
    progress(null);
    if (!json) process.stderr.write(`${paint(lines(text, errColumns))}\n`);
  };
  const out = (text: string): void => {
    progress(null);
    if (!json) process.stdout.write(`${text}\n`);
  };
  return {
    json,
    asRun,
    /** Width of the terminal; null when the output is not a terminal, so that nothing is wrapped. */
    columns,
    paint: outPaint,
    /** Text to stdout, unwrapped. */
    print: out,
    /** A paragraph to stdout, wrapped. */
    printWrapped: (text: string): void => out(lines(text, columns)),
    /** Bookkeeping to stdout, wrapped, with `--verbose` alone. */
    detail: (text: string): void => {
      if (verbose) out(lines(text, columns));
    },
    /** Progress to stderr, wrapped. */
    note: (text: string): void => err(text, errPaint.dim),
    /** What the user must see even with `--json`, such as an address to visit: to stderr, unwrapped. */
    printAlways: (text: string): void => void process.stderr.write(`${text}\n`),
    /** A reason to doubt the result: to stderr, wrapped. */
    warning: (text: string): void => err(`Note: ${text}`, errPaint.warn),
    /** A status line on the terminal that replaces itself; null removes it. Does nothing without a terminal. */
    progress,
    /** The failure of a run: what happened and what to do next. */
    failure: (message: string, hint: string | null): void => {
      err(`upsilon: ${message}`, errPaint.bad);
      if (hint !== null) err(hint, (text) => text);
    },
    /** The one JSON object of `--json`; later calls are ignored. Does nothing otherwise. */
    result: (value: unknown): void => {
      if (!json || hasResult) return;
      hasResult = true;
      process.stdout.write(`${jsonText(value)}\n`);
    },
  };
}

/** JSON in which everything that a terminal takes for an instruction, or does not show, is escaped. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (hidden) =>
    hidden.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** A screen that keeps its text for later: `show` prints it. Failures and the JSON object are printed at once. */
export function holdText(screen: Screen): { readonly held: Screen; readonly show: () => void } {
  const texts: string[] = [];
  const keep = (text: string): void => void texts.push(text);
  const none = { detail: () => undefined, progress: () => undefined };
  const kept = { print: keep, printWrapped: keep, note: keep, warning: keep, ...none };
  // As with JSON, the text of a run that succeeds is not read.
  return { held: { ...screen, ...kept, json: true }, show: () => texts.forEach((text) => screen.printWrapped(text)) };
}

function makePaint(on: boolean): Paint {
  const sgr = (open: number, close: number) => (text: string) => (on ? `\u001b[${open}m${text}\u001b[${close}m` : text);
  return { bold: sgr(1, 22), dim: sgr(2, 22), good: sgr(32, 39), warn: sgr(33, 39), bad: sgr(31, 39) };
}

/**
 * Breaks a paragraph at spaces so that no line is wider than `columns`, except for single wider words. A line that begins with two spaces
 * is to be copied, such as a command of another program, and stays as it is.
 */
export function wrap(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .map((paragraph) => {
      if (paragraph.startsWith('  ')) return paragraph;
      const lines: string[] = [];
      let line = '';
      for (const word of paragraph.split(' ')) {
        const isFull = line !== '' && visibleLength(line) + 1 + visibleLength(word) > columns;
        if (isFull) lines.push(line);
        line = line === '' || isFull ? word : `${line} ${word}`;
      }
      return [...lines, line].join('\n');
    })
    .join('\n');
}

/** The columns that a text occupies: colour codes occupy none. */
function visibleLength(text: string): number {
  // oxlint-disable-next-line no-control-regex -- the escape character is what starts a colour
  return textWidth(text.replace(/\u001b\[\d+m/g, ''));
}

/** A count with thousands separators and at most three decimals. (`Intl` takes longer to load than a scan of unchanged logs.) */
export function grouped(count: number): string {
  const [whole = '', decimals = ''] = String(Number(count.toFixed(3))).split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? separated : `${separated}.${decimals}`;
}

/** `999`, `1.23k`, `45.6M`: a count of at most five characters. */
export function compactCount(count: number): string {
  if (count < 1000) return `${count}`;
  const units = ['k', 'M', 'B', 'T', 'P'];
  let scaled = count / 1000;
  let unit = 0;
  // What would round to 1000 is one of the next unit.
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${scaled.toPrecision(Math.max(3, `${Math.floor(scaled)}`.length))}${units[unit]}`;
}

/** A Yield with four digits, or all before the point: rounded, but down where that would reach a tier that the Yield does not. */
export function yieldText(yield_: number): string {
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(Math.max(1, yield_))));
  const rounded = Number(yield_.toFixed(decimals));
  return grouped(rounded < nextTierFrom(yield_) ? rounded : rounded - 10 ** -decimals);
}

/** `2026-05-31 14:45 UTC`: a moment, in milliseconds since the epoch or as ISO text. */
export function momentText(at: number | string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `192 KB`, `1.5 MB`, `687 MB`: a number of bytes. */
export function sizeText(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const size = bytes / 1024 ** power;
  return `${grouped(size < 10 ? Math.round(size * 10) / 10 : Math.round(size))} ${['B', 'KB', 'MB', 'GB'][power]}`;
}

/** `1 file`, `2 files`: a counted noun whose plural ends in s. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
