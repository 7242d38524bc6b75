// Builds the console of a clone, when its landscape is first asked for it or by hand, and prints the sizes of the files.
import { basename, join } from 'node:path';
import { buildConsole } from './build-console.ts';

const { outputs } = await buildConsole(join(import.meta.dirname, '../dist'));
for (const [path, { bytes }] of Object.entries(outputs)) console.log(`${basename(path)}  ${bytes}`);
