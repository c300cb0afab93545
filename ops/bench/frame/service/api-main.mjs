// The api of a bench, compiled as that of the service is: see `api-main.ts`.
import { compileBenchApi } from './compile-api.mjs';

await import(await compileBenchApi());
