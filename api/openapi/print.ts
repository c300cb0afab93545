import { loadConfig } from '../../config/config.ts';
import { ROUTES } from '../routes.ts';
import { describeApi } from './describe.ts';

// Prints the API description, as the service with these settings would serve it.
const description = describeApi(ROUTES, loadConfig());
process.stdout.write(`${JSON.stringify(description, null, 2)}\n`);
