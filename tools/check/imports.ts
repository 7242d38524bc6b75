// Checks who imports whom; the rules are in import-rules.ts.
import { join } from 'node:path';
import { checkImports } from './check-imports.ts';

const { modules, problems } = await checkImports(join(import.meta.dirname, '../..'), 30);
console.log(problems.length > 0 ? problems.join('\n') : `${modules} modules`);
process.exitCode = problems.length > 0 ? 1 : 0;
