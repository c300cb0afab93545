// The api of a bench, compiled like the service's: see `api-main.ts`. With the argument `compile`, it only compiles.
import { fileURLToPath } from 'node:url';
import { compilePrograms } from '../../../bootstrap/compile-services.mjs';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/[/\\]$/, '');
const { api } = await compilePrograms(ROOT, { api: 'ops/bench/frame/service/api-main.ts' }, 'bench');
if (process.argv[2] !== 'compile') await import(api);
