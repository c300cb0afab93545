export { createLifecycle } from './create-lifecycle.ts';
export type { Close, Lifecycle, LifecycleLog, LifecycleOptions } from './lifecycle.ts';
