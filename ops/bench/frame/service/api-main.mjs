// The api of a bench, compiled as that of the service is: see `api-main.ts`.
import { fileURLToPath } from 'node:url';
import { compilePrograms } from '../../../bootstrap/compile-services.mjs';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/[/\\]$/, '');

const { api } = await compilePrograms(ROOT, { api: 'ops/bench/frame/service/api-main.ts' }, 'bench');
await import(api);
