export function packTool(root: string): Promise<{ readonly path: string; readonly bytes: Buffer }>;
