import type { QueryFilter, UpdateQuery, UpdateWithAggregationPipeline } from 'mongoose';
import { type Connection, openStored } from '../../../mongo/index.ts';
import { CASES, type IntegrityCase, REPORTS } from '../case-types.ts';

export type CaseModels = ReturnType<typeof openCaseModels>;

/** Opens the models on a connection. Creates nothing. */
export function openCaseModels(connection: Connection) {
  return { cases: openStored(connection, CASES), reports: openStored(connection, REPORTS) };
}

type Update = UpdateQuery<IntegrityCase> | UpdateWithAggregationPipeline;

/** Updates one case; false when none matches. */
export type Change = (filter: QueryFilter<IntegrityCase>, update: Update) => Promise<boolean>;

export function changeOf(cases: CaseModels['cases']): Change {
  return async (filter, update) => (await cases.updateOne(filter, update, { updatePipeline: true })).matchedCount === 1;
}
