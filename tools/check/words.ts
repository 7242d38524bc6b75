// Checks that comments, messages and documents use the field's terms; the list is in narrative-words.ts.
import { join } from 'node:path';
import { checkWords } from './check-words.ts';

const { files, problems } = await checkWords(join(import.meta.dirname, '../..'), 30);
console.log(problems.length > 0 ? problems.join('\n') : `${files} files`);
process.exitCode = problems.length > 0 ? 1 : 0;
