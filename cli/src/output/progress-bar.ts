import type { Screen } from './screen.ts';

/** The shortest time between two redraws, in milliseconds. */
const REDRAW_MS = 100;

/** Work that takes less than this shows no bar, in milliseconds. */
const QUIET_MS = 400;

const LABEL_COLUMNS = 28;
const MAX_CELLS = 30;
const MIN_CELLS = 8;

/** Opens a bar on the screen's progress line. `now` in milliseconds. */
export function openProgressBar(screen: Screen, label: string, now: () => number) {
  const startedAt = now();
  let drawnAt = 0;
  return {
    /** `done` of `all`; `note` follows the bar where there is room. */
    show: (done: number, all: number, note = ''): void => {
      const at = now();
      if (at - startedAt < QUIET_MS || at - drawnAt < REDRAW_MS) return;
      drawnAt = at;
      screen.progress(`${label} ${drawBar(done, all, screen.columns ?? 80)}${note === '' ? '' : ` ${note}`}`);
    },
    end: (): void => screen.progress(null),
  };
}

/** `[#####.....]  50 %`, as wide as fits next to a label in a terminal of so many columns. */
function drawBar(done: number, all: number, columns: number): string {
  const share = all <= 0 ? 1 : Math.min(1, done / all);
  const cells = Math.max(MIN_CELLS, Math.min(MAX_CELLS, columns - LABEL_COLUMNS));
  const full = Math.floor(share * cells);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}] ${percent} %`;
}
