import type { RuleSet } from './rule-set.ts';

/** Simulated by `test/support/histories`. */
const HISTORIES = 'Above 99.9 % of 20,000 histories of honest operators, simulated by requests and sessions.';

export const ruleSet1: RuleSet = {
  id: 1,
  bounds: [
    {
      rule: 'too-many-agents',
      above: 25,
      calibration: 'The heaviest hour in simulated histories of honest operators takes 7 agents at once.',
      vectors: [
        { platform: 'claude-code', value: 25, crosses: false },
        { platform: 'claude-code', value: 25.5, crosses: true },
      ],
    },
    {
      rule: 'many-agents',
      above: 3,
      calibration: 'Above all of 14,000 simulated histories of honest operators.',
      vectors: [
        { platform: 'codex', value: 2.5, crosses: false },
        { platform: 'codex', value: 3.5, crosses: true },
      ],
    },
    {
      rule: 'no-input',
      above: 250_000,
      calibration: 'The bound allows for logs that lost the input of some requests.',
      vectors: [
        { platform: 'codex', value: 250_000, crosses: false },
        { platform: 'codex', value: 250_100, crosses: true },
      ],
    },
    {
      rule: 'reads-beyond-context',
      above: 4_000_000,
      calibration: 'The largest contexts hold 2 million tokens; some logs write no input for every other request.',
      vectors: [
        { platform: 'claude-code', value: 4_000_000, crosses: false },
        { platform: 'claude-code', value: 4_000_100, crosses: true },
      ],
    },
    {
      rule: 'output-beyond-response',
      above: 200_000,
      calibration: 'The longest responses have 128,000 tokens.',
      vectors: [
        { platform: 'claude-code', value: 128_000, crosses: false },
        { platform: 'claude-code', value: 200_100, crosses: true },
      ],
    },
    {
      rule: 'unfilled-cache',
      above: 200,
      platforms: { 'claude-code': 300 },
      calibration: HISTORIES,
      vectors: [
        { platform: 'amp', value: 199, crosses: false },
        { platform: 'amp', value: 201, crosses: true },
      ],
    },
    {
      rule: 'unusual-leverage',
      above: 250_000,
      platforms: { codex: 160, 'gemini-cli': 160, 'qwen-code': 160, kimi: 160 },
      calibration: HISTORIES,
      vectors: [
        { platform: 'codex', value: 160, crosses: false },
        { platform: 'claude-code', value: 250_100, crosses: true },
      ],
    },
    {
      rule: 'unusual-velocity',
      above: 2_000,
      platforms: { codex: 1.1, 'gemini-cli': 1.1, 'qwen-code': 1.1, kimi: 1.1, 'claude-code': 3_000 },
      calibration: HISTORIES,
      vectors: [
        { platform: 'codex', value: 1, crosses: false },
        { platform: 'amp', value: 2_001, crosses: true },
      ],
    },
    {
      rule: 'unusual-yield',
      above: 1.4e8,
      platforms: { codex: 45, 'gemini-cli': 45, 'qwen-code': 45, kimi: 45 },
      calibration: HISTORIES,
      vectors: [
        { platform: 'kimi', value: 44, crosses: false },
        { platform: 'claude-code', value: 1.5e8, crosses: true },
      ],
    },
    {
      rule: 'only-in-window',
      above: 2_000,
      calibration: HISTORIES,
      vectors: [
        { platform: 'codex', value: 2_000, crosses: false },
        { platform: 'codex', value: 2_001, crosses: true },
      ],
    },
    {
      rule: 'erased-input',
      above: 5,
      calibration: 'Corrections of counting errors in published tools changed input by less than this factor.',
      vectors: [
        { platform: 'codex', value: 3, crosses: false },
        { platform: 'codex', value: 6, crosses: true },
      ],
    },
    {
      rule: 'repeated-growth',
      above: 3,
      calibration: 'No simulated history of an honest operator repeats the proportions of a growth.',
      vectors: [
        { platform: 'codex', value: 3, crosses: false },
        { platform: 'codex', value: 4, crosses: true },
      ],
    },
  ],
};
