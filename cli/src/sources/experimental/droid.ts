import { basename } from 'node:path';
import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { fourCounts, hasAnyTokens, member, moment, optionalCount } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const SUFFIX = '.settings.json';

/** Droid (Factory): running totals of a session, in the settings file next to its log. They are dated to the session's start. */
export const droid: Source = {
  platform: 'droid',
  title: 'Droid',
  support: 'experimental',
  counting: 'derived',
  mapping: 'tokenUsage: inputTokens, outputTokens plus thinkingTokens, cacheReadTokens, cacheCreationTokens.',
  version: 1,
  places: (env) =>
    env.droidSessionsDir === undefined
      ? homePlaces(env, undefined, ['.factory'], ['sessions'])
      : homePlaces(env, env.droidSessionsDir, [], ['.']),
  isLog: (path) => path.endsWith(SUFFIX),
  read: readSettings,
};

function readSettings(path: string, sink: UsageSink): void {
  const settings = readJsonFile(path, sink);
  const usage = member(settings, 'tokenUsage');
  if (usage === null) return;
  const thinking = optionalCount(usage['thinkingTokens']);
  const counts = fourCounts(
    usage['inputTokens'],
    usage['outputTokens'],
    usage['cacheReadTokens'],
    usage['cacheCreationTokens'],
  );
  if (counts === null || thinking === null) return sink.skip('invalid_counts');
  if (!hasAnyTokens(counts)) return;
  sink.add({
    keys: [`session ${basename(path, SUFFIX)}`],
    request: null,
    counts: { ...counts, output: counts.output + thinking },
    at: moment(isObject(settings) ? settings['providerLockTimestamp'] : null),
  });
}
