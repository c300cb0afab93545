export function buildTool(root: string): Promise<Map<string, Uint8Array>>;
