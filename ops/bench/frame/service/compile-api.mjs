// Compiles the api of a bench like the service's and returns its path; run as a program, it only compiles.
import { fileURLToPath } from 'node:url';
import { compilePrograms } from '../../../bootstrap/compile-services.mjs';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/[/\\]$/, '');

export async function compileBenchApi() {
  const { api } = await compilePrograms(ROOT, { api: 'ops/bench/frame/service/api-main.ts' }, 'bench');
  return api;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileBenchApi();
