export { type Complaint, createComplaint } from './create-complaint.ts';
export { createLogger, type Logger, type LoggerOptions } from './create-logger.ts';
export { createMetricsServer, type MetricsServer, type MetricsServerOptions } from './create-metrics-server.ts';
export { createRegistry, type Registry } from './create-registry.ts';
export { type BoardMetrics, createBoardMetrics } from './metrics/board-metrics.ts';
export { type BoardViewMetrics, createBoardViewMetrics } from './metrics/board-view-metrics.ts';
export { createHttpMetrics, type HttpMetrics } from './metrics/http-metrics.ts';
export { createIngestMetrics, type IngestMetrics } from './metrics/ingest-metrics.ts';
export { createQueueMetrics, type QueueMetrics } from './metrics/queue-metrics.ts';
