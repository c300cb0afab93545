import type { Config } from '../../../config/config.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { INTEGRITY_LEVELS } from '../../../engine/contract/integrity-level.ts';
import { MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { windowDaysList } from '../../../engine/contract/windows.ts';
import { EVIDENCE_DELAY_MS } from '../../../engine/integrity/cases/index.ts';
import { installCommand, TOOL_FILE, TOOL_PATH, type Tool, toolCommand, toolPackage } from '../../tool.ts';
import { EVENT_BOUNDS } from '../../v1/events/board-events.ts';
import { firstSteps, firstStepsFromSource } from '../pages/first-steps.ts';
import { m, text } from '../render/inline.ts';
import { bullets, codeBlock, facts, folded, heading, lede, type Part, prose } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const gettingStarted: Guide = {
  slug: 'getting-started',
  title: 'Getting started',
  about: 'Read the board without an API key, and submit your first snapshot with the official tool.',
  parts: (config, tool) => [
    lede(m`Reading needs no account. To submit you need an operator and a device key; the official tool sets up both.`),
    heading(2, 'Read'),
    prose(m`The board, profiles and histories are public. There are no API keys.`),
    codeBlock(
      'sh',
      [
        `curl '${config.baseUrl}/leaderboard?window=7d&limit=10'`,
        `curl '${config.baseUrl}/operators/CODENAME'`,
        `curl '${config.baseUrl}/operators/CODENAME/history?window=30d'`,
      ].join('\n'),
      'Commands: read',
    ),
    bullets(
      m`Responses are cached for a few seconds, so polling more often returns nothing new. Send the **ETag** back as **If-None-Match** to get a 304 while the board is unchanged.`,
      m`Ignore fields you do not recognise: new fields may be added within a version.`,
      m`After a 429, wait as long as Retry-After says: see [rate limits](site:/developers/rate-limits).`,
    ),
    heading(2, 'Submit'),
    firstSteps(config),
    ...installation(config, tool),
    folded('From a copy of the repository', firstStepsFromSource()),
    ...withoutBrowser(config),
    heading(2, 'Your own usage'),
    prose(
      m`\`upsilon daily\`, \`weekly\`, \`monthly\`, \`session\` and \`blocks\` show tokens and cost by platform, model and project; \`top\` is a live view, \`statusline\` one line for a prompt. \`why\` shows what moved your Yield, \`what-if\` and \`goal\` what would. They send no counts, and need no account.`,
    ),
    heading(2, 'What leaves your machine'),
    prose(
      m`The tool reads the logs that AI tools keep on your machine, counts four kinds of tokens, signs the totals with this machine’s key and sends them. No prompt, code, path, host name or conversation leaves your machine. \`--dry-run --requests\` shows every request byte for byte, and [Sign a snapshot](site:/developers/signing) describes what is signed and how.`,
    ),
    bullets(
      m`For each AI tool: its four totals, its name (**platform**) and your codename.`,
      m`In the signed header: the id of the key, a random id of the snapshot, the time, a random id for the ledger on your machine (**stream**), the number of its epoch (**epoch**), which a recount or a restored backup raises, the version of the tool, and whether it takes the counts as that AI tool wrote them or computes some from others (**counting**).`,
      m`Once, with your first submission: for each AI tool, the totals at the end of each of the last ${MAX_SNAPSHOT_AGE_MS / DAY_MS} days on which they grew, so that the boards of ${windowDaysList('and')} days are right from the start. They reveal on which days you were active. \`--no-history\` leaves them out; your first totals then count in full in each of these windows until they are older.`,
      m`${PUBLIC_TOTALS} Cache writes are in no score.`,
      m`Once: the public half of the key, with a proof that you hold the private half.`,
    ),
    heading(2, 'What the response means'),
    bullets(
      m`\`accepted: true\` with a **rank**: the snapshot counts, and **rank** is your new rank on the current board.`,
      m`\`accepted: true\` with \`rank: null\`: the snapshot counts, but there is no rank over all time. **unranked** in the profile has the reason: most often less usage than [the methodology](login:/methodology) requires.`,
      m`\`row: "held"\`: the snapshot counts, and the row is not settled yet. **would_be** is the rank that it would have; the profile says what is **missing**.`,
      m`\`hidden: true\`: the snapshot counts, and you have hidden your row: no board has it until you show it again at your [account](login:/account).`,
      m`\`accepted: true, rank: null, verdict: "pending"\`: the snapshot is stored, and its verdict follows in a moment: request the address in the response again.`,
      m`\`accepted: false\` with a **reason**: the snapshot was stored but refused. [Error codes](site:/developers/errors) lists the reasons.`,
    ),
    heading(2, 'How far a place can be relied on', 'integrity'),
    prose(
      m`Entries of the leaderboard, and each window of a profile, have \`integrity: {level, flags}\`. **level** is what stands behind the counts:`,
    ),
    facts(Object.entries(INTEGRITY_LEVELS).map(([level, words]) => [level, text(words)])),
    bullets(
      m`Boards have [settled rows](login:/methodology#settled). A held one has \`rank: null\`, \`unranked: "held"\`, **would_be** and what is **missing**; \`include=held\` on the leaderboard lists the highest of them. **witnessed_days** counts the days of the last 45 on which snapshots arrived with fresh growth.`,
      m`**flags** names the [findings](login:/methodology#plausibility) that hold or exclude the operator. They are about numbers, not about a person. An excluded row has \`unranked: "excluded"\`.`,
      m`The evidence of a finding is at \`/operators/CODENAME/integrity/FLAG\` of this site, as JSON with \`Accept: application/json\`: ${EVIDENCE_DELAY_MS / HOUR_MS} hours after its case was opened, and at once for exclusions. Before that the address returns 404.`,
      m`A report changes nothing by itself: a moderator looks at the row and decides.`,
    ),
    ...following(config),
    heading(2, 'There is no sandbox'),
    prose(m`Build against the public reads and \`--dry-run\`. There are no test keys, and you do not need any.`),
  ],
};

/** How a program follows a board without polling. */
function following(config: Config): Part[] {
  return [
    heading(2, 'Follow a board', 'events'),
    prose(
      m`\`GET /events\` gives the first hundred rows of a board and their changes as server-sent events, at most one a second. It takes \`window\` and \`platform\`, as the leaderboard does, and is on this site, too: \`${config.siteUrl}/events\`.`,
    ),
    codeBlock('sh', `curl -N '${config.baseUrl}/events?window=7d'`, 'Command: follow a board'),
    bullets(
      m`An event \`board\` has all rows (**entries**), in the form of the leaderboard. It comes first, and whenever you do not have the rows of the event before: nothing can be missed.`,
      m`An event \`change\` has what is new: take out the rows of the codenames in **left** and of those in **entries**, then put in each of **entries** at its place, counted from 0, in **places**, in this order. Codenames in **left** are no longer among the first hundred, for whatever reason: take out their rows.`,
      m`Both have **board_version**, **board_at**, **methodology** and **total_operators**. The id is the generation and the version of the board: a browser sends it back as **Last-Event-ID** by itself, and gets no rows that it has.`,
      m`Comments every ${EVENT_BOUNDS.commentMs / 1000} seconds keep the connection open, and \`retry\` says when to come back. A client that leaves ${EVENT_BOUNDS.maxUnreadBytes / 1024} KiB unread is disconnected. An address has at most ${EVENT_BOUNDS.maxOfClient} subscriptions in each process of the service; more get 429.`,
    ),
  ];
}

/** How a machine without a browser submits: with an automation token. */
function withoutBrowser(config: Config): Part[] {
  return [
    heading(2, 'Submit from a machine without a browser'),
    prose(
      m`A server, or a job that runs by itself, submits with an automation token from [your account](login:/account). The token can submit snapshots for you and nothing else, and you can revoke it at any time. It comes with a separate device key, so nothing has to be enrolled. Store it as a secret of the machine or job, and set:`,
    ),
    codeBlock(
      'sh',
      [
        'export UPSILON_TOKEN=ups_…',
        'export UPSILON_CODENAME=YOUR-CODENAME',
        `export UPSILON_BASE_URL=${config.baseUrl}`,
        toolCommand(config),
      ].join('\n'),
      'Commands: submit with an automation token',
    ),
    bullets(
      m`A run on a new machine begins a new stream with what its logs contain, which adds to your totals. Run the tool after the AI tools, before the machine is thrown away, and on no two machines with copies of the same logs.`,
      m`There is room for a run each day with seven AI tools. To run more often, keep the settings folder (**UPSILON_CONFIG_DIR**) from run to run: its stream then continues.`,
      m`After a rename, set **UPSILON_CODENAME** again.`,
    ),
  ];
}

/** How to keep the tool and to replace it by a newer version, and how to compare its digest before running it. */
function installation(config: Config, { version, sha512 }: Omit<Tool, 'body'>): Part[] {
  const parts = [
    prose(
      m`To keep the tool, install it. The same command replaces it by a newer version: \`upsilon status\` says when there is one, and nothing is replaced by itself. \`npx\` keeps running the version that it fetched first.`,
    ),
    codeBlock('sh', installCommand(config), 'Command: install or replace'),
  ];
  if (config.cliPackage !== null) return parts;
  return [
    ...parts,
    prose(
      m`The package is [${TOOL_FILE}](site:${TOOL_PATH}), at present version ${version} of the tool. It has no dependencies: nothing is fetched from a registry, and its SHA-512 digest covers everything that runs. To compare the digest before you run it:`,
    ),
    codeBlock(
      'sh',
      `curl -O ${toolPackage(config)}\necho "${sha512}  ${TOOL_FILE}" | sha512sum -c\nnpx ./${TOOL_FILE} --dry-run`,
      'Commands: compare the digest',
    ),
  ];
}
