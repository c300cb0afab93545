import { DAY_MS } from '../../../../config/units.ts';
import { openChance } from './chance.ts';
import { writeClaudeSession } from './claude-session.ts';
import { writeCodexSession } from './codex-session.ts';
import { addTotals, type Totals, zeroTotals } from './write-log.ts';

/** Sessions start within this many days before the corpus's end, so that every tool's report includes them. */
const SPREAD_DAYS = 60;

/** The share of bytes that Claude Code wrote; Codex wrote the rest. */
const CLAUDE_SHARE = 0.6;

/** A corpus on disk with its true counts. */
export interface Corpus {
  readonly files: number;
  readonly bytes: number;
  readonly claude: Totals;
  readonly codex: Totals;
}

/** Fills a home folder with logs of about `bytes` bytes, the same for the same seed. `endsAt` in milliseconds. */
export async function writeCorpus(home: string, bytes: number, seed: number, endsAt: number): Promise<Corpus> {
  const chance = openChance(seed);
  const claude = zeroTotals();
  const codex = zeroTotals();
  const written = { claude: 0, codex: 0, files: 0 };
  while (written.claude + written.codex < bytes) {
    const startedAt = endsAt - chance.integer(DAY_MS, SPREAD_DAYS * DAY_MS);
    const isClaude = written.claude <= CLAUDE_SHARE * (written.claude + written.codex);
    const session = await (isClaude ? writeClaudeSession : writeCodexSession)(home, chance, startedAt);
    written[isClaude ? 'claude' : 'codex'] += session.bytes;
    written.files += session.files;
    addTotals(isClaude ? claude : codex, session.totals);
  }
  return { files: written.files, bytes: written.claude + written.codex, claude, codex };
}
