export { createLogger, createThrottledLog, type Logger, type ThrottledLog } from './create-logger.ts';
export { createMetricsServer } from './create-metrics-server.ts';
export { createBillingMetrics, createPurchaseMetrics } from './metrics/billing-metrics.ts';
export { createBoardMetrics, createBoardViewMetrics, createRerankMetrics } from './metrics/board-metrics.ts';
export { createBuildMetric, createRegistry, type Registry } from './metrics/define-metrics.ts';
export { createHttpMetrics, type HttpMetrics } from './metrics/http-metrics.ts';
export { createIngestMetrics, type IngestMetrics } from './metrics/ingest-metrics.ts';
export { createIntegrityMetrics, type IntegrityMetrics } from './metrics/integrity-metrics.ts';
export { createMailMetric, type MailOutcome } from './metrics/mail-metrics.ts';
export {
  createQueueMetrics,
  createScheduleMetrics,
  type QueueMetrics,
  type ScheduleMetrics,
} from './metrics/queue-metrics.ts';
export { createStoreMetrics, type StoreMetrics } from './metrics/store-metrics.ts';
export type { RunningSpan, TraceParent, Tracing } from './tracing/open-telemetry.ts';
export { startTracing } from './tracing/start-tracing.ts';
