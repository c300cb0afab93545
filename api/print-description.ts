import { loadConfig } from '../config/config.ts';
import { describeApi } from './openapi/describe.ts';
import { ROUTES } from './routes.ts';

// Prints the API description that the service serves with these settings.
const description = describeApi(ROUTES, loadConfig());
process.stdout.write(`${JSON.stringify(description, null, 2)}\n`);
