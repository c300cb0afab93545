import { compareOperators } from './compare-operators.ts';
import { describePowerUser } from './describe-power-user.ts';
import { discoverPeers } from './discover-peers.ts';
import { getBestOperator } from './get-best-operator.ts';
import { getLeaderboard } from './get-leaderboard.ts';
import { getOperator } from './get-operator.ts';
import { optimizeEfficiency } from './optimize-efficiency.ts';
import type { McpTool } from './tool.ts';

/** The tools, in the order of the contract. */
export const MCP_TOOLS: readonly McpTool[] = [
  getLeaderboard,
  getOperator,
  discoverPeers,
  getBestOperator,
  compareOperators,
  describePowerUser,
  optimizeEfficiency,
];
