import { basename, dirname } from 'node:path';
import { isObject, textOf } from '../json.ts';
import { addUsage, fourCounts, member, moment, readCounts } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { Source } from './source.ts';

const SUFFIX = '.settings.json';

/** Droid (Factory): running totals of a session, in the settings file next to its log. They are dated to the session's start. */
export const droid: Source = {
  platform: 'droid',
  title: 'Droid',
  counting: 'derived',
  mapping: 'tokenUsage: inputTokens, outputTokens plus thinkingTokens, cacheReadTokens, cacheCreationTokens.',
  version: 3,
  places: logPlaces({
    // The tool appends its folder to what replaces the home.
    variables: [
      { name: 'FACTORY_HOME_OVERRIDE', logs: ['.factory/sessions'] },
      { name: 'DROID_SESSIONS_DIR', logs: ['.'] },
    ],
    path: ['.factory'],
    logs: ['sessions'],
  }),
  isLog: (path) => path.endsWith(SUFFIX),
  read: (path, sink) => {
    const settings = readJsonFile(path, sink);
    const usage = member(settings, 'tokenUsage');
    if (!isObject(settings) || usage === null) return;
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
    const counts = fourCounts(inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens);
    const thinking = readCounts(thinkingTokens);
    if (counts === null || thinking === null) return sink.skip('invalid_counts');
    const all = { ...counts, output: counts.output + thinking[0] };
    const session = basename(path, SUFFIX);
    // Later versions have a folder for each project, named after its path.
    const folder = basename(dirname(path));
    const project = folder === 'sessions' ? null : folder;
    const origin = { model: textOf(settings['model']), project, session };
    addUsage(sink, all, [`session ${session}`], moment(settings['providerLockTimestamp']), origin);
  },
};
