import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { MONITORING } from './tools.ts';

const read = (path: string): string => readFileSync(join(MONITORING, path), 'utf8');
const object = (name: string): unknown => parse(read(`kubernetes/${name}.yaml`));

const CONFIG = z.object({ scrape_configs: z.array(z.object({ job_name: z.string() })) });

describe('monitoring in Kubernetes', () => {
  it('has the jobs of prometheus.yml, which the rules match', () => {
    const jobs = CONFIG.parse(parse(read('prometheus.yml'))).scrape_configs.map(({ job_name }) => job_name);
    // The processes of hosts.yml have the names of the first two.
    expect(jobs).to.deep.equal(['upsilon-api', 'upsilon-worker', 'upsilon-hosts', 'upsilon-site']);
    const [selected, renamed] = ['spec.selector.matchExpressions', 'spec.podMetricsEndpoints[0].relabelings'];
    const apps = [{ key: 'app', operator: 'In', values: ['api', 'worker'] }];
    const job = { sourceLabels: ['__meta_kubernetes_pod_label_app'], targetLabel: 'job', replacement: 'upsilon-$1' };
    expect(object('pod-monitor')).to.deep.nested.include({ [selected]: apps, [renamed]: [job] });
    expect(object('probe')).to.deep.nested.include({ 'spec.jobName': 'upsilon-site', 'spec.module': 'site' });
    const matched = [...read('rules/alerts.yml').matchAll(/\bjob=~?"([^"]+)"/g)].map(([, pattern = '']) => pattern);
    expect(matched).to.not.be.empty;
    for (const pattern of matched) expect(jobs.join('\n'), pattern).to.match(new RegExp(`^(?:${pattern})$`, 'm'));
  });

  it('lists every file', () => {
    const { resources } = z.object({ resources: z.array(z.string()) }).parse(object('kustomization'));
    const files = readdirSync(join(MONITORING, 'kubernetes')).filter((name) => name !== 'kustomization.yaml');
    expect(resources.toSorted()).to.deep.equal(files.toSorted());
  });
});
