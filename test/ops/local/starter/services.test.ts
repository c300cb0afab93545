import { expect } from 'chai';
import { loadConfig } from '../../../../config/config.ts';
import { SERVICE_NODE_ARGS } from '../../../../ops/bootstrap/service-node-args.mjs';
import { serviceSpecs } from '../../../../ops/local/starter/services.ts';

const engine = (url: string) => ({ title: 'an engine', embedded: true, persistence: 'none', url, process: null });
const ENGINES = { mongo: engine('mongodb://chosen'), redis: engine('redis://chosen'), stop: async () => {} };
const ENTRIES = { api: '/api.ts', worker: '/worker.ts' };

describe('the processes of the service', () => {
  const config = { ...loadConfig({}), workers: 2 };

  it('are one api and the workers, each of which knows its place', () => {
    const specs = serviceSpecs(config, ENTRIES, ENGINES, {});
    expect(specs.map(({ name, entry, args, env }) => [name, entry, args?.[0], env['WORKER_INDEX']])).to.deep.equal([
      ['api', '/api.ts', 'api', undefined],
      ['worker 1', '/worker.ts', 'worker', '1'],
      ['worker 2', '/worker.ts', 'worker', '2'],
    ]);
  });

  it('have the Node arguments of their roles', () => {
    const { api, worker } = SERVICE_NODE_ARGS;
    const specs = serviceSpecs(config, ENTRIES, ENGINES, {});
    expect(specs.map(({ nodeArgs }) => nodeArgs)).to.deep.equal([api, worker, worker]);
  });

  it('use the engines and the data folder that were chosen, whatever else their environment says', () => {
    const given = { MONGODB_URL: 'mongodb://other', REDIS_URL: 'redis://other', DATA_DIR: 'other', LOG_LEVEL: 'debug' };
    for (const { env } of serviceSpecs(config, ENTRIES, ENGINES, { ...given, EXTRA: 'kept' })) {
      expect(env).to.include({
        MONGODB_URL: 'mongodb://chosen',
        REDIS_URL: 'redis://chosen',
        DATA_DIR: config.dataDir,
        LOG_LEVEL: 'debug',
        EXTRA: 'kept',
      });
    }
  });
});
