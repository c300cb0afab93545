import { reasonOf } from '../../cli-error.ts';
import { findFiles } from '../../scan/find-files.ts';
import { readLines } from '../../scan/read-lines.ts';
import type { SkipReason, Source, SourceScan } from '../source.ts';
import { MessageTally } from './message-tally.ts';
import { claudeCodePlaces } from './places.ts';
import { readRecord } from './read-record.ts';

/** Claude Code: one JSON object a line in `*.jsonl` under its projects folder, sub-agents' files in folders below. */
export const claudeCode: Source = {
  platform: 'claude-code',
  title: 'Claude Code',
  places: claudeCodePlaces,
  scan: scanClaudeCode,
};

async function scanClaudeCode(places: readonly string[]): Promise<SourceScan> {
  const found = await findFiles(places, '.jsonl');
  const tally = new MessageTally();
  const skipped = emptySkips();
  const unreadable = [...found.unreadable];
  let bytes = 0;
  const visitor = {
    line: (line: Buffer, terminated: boolean): void => {
      const reading = readRecord(line, terminated);
      if (reading.kind === 'usage') tally.add(reading.record);
      else if (reading.kind === 'skipped') skipped[reading.reason] += 1;
    },
    tooLong: (): void => {
      skipped.too_long += 1;
    },
  };
  for (const path of found.files) {
    try {
      bytes += await readLines(path, visitor);
    } catch (error) {
      unreadable.push({ path, reason: reasonOf(error) });
    }
  }
  return {
    platform: claudeCode.platform,
    title: claudeCode.title,
    ...tally.result(),
    places: found.places,
    files: found.files.length,
    bytes,
    skipped,
    unreadable,
  };
}

function emptySkips(): Record<SkipReason, number> {
  return { not_json: 0, truncated: 0, too_long: 0, invalid_counts: 0, no_identity: 0, synthetic: 0 };
}
