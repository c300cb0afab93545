export function packTool(root: string): Promise<{ readonly path: string; readonly bytes: Buffer }>;
export function addSite(bytes: Buffer, baseUrl: string): Buffer;
