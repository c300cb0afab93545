// The api of a bench, compiled like the service's: see `api-main.ts`.
import { compileBenchApi } from './compile-api.mjs';

await import(await compileBenchApi());
