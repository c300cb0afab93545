/** Node arguments of the service's processes, by role. */
export const SERVICE_NODE_ARGS: Readonly<Record<'api' | 'worker', readonly string[]>>;
