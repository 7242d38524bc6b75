// `npm run check [-- --fix]`: format, lint, types, imports, unused code, words.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from './check/run-checks.ts';

const { values } = parseArgs({ options: { fix: { type: 'boolean', default: false } } });
const isFine = await runChecks({ root: join(import.meta.dirname, '..'), fix: values.fix });
process.exitCode = isFine ? 0 : 1;
