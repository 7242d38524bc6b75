import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { rename, type ScaffoldNames } from './scaffold-names.ts';

const repository = join(import.meta.dirname, '../../../../..');
const template = join(repository, 'apps/cli/template/provider');

/** Writes a new provider into an empty or missing folder. Returns the files, sorted. Throws `FolderNotEmpty`. */
export function writeProvider(folder: string, names: ScaffoldNames): readonly string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ChandleryError('FolderNotEmpty', `${folder} is not empty`, {
      hint: 'Name another provider, or another folder with --folder.',
    });
  }
  mkdirSync(folder, { recursive: true });
  const files = new Map(
    readdirSync(template).map(file => [file, rename(file, readFileSync(join(template, file), 'utf8'), names)]),
  );
  files.set('install.yaml', (files.get('install.yaml') ?? '').replaceAll('{{folder}}', JSON.stringify(folder)));
  files.set('package.json', `${JSON.stringify(packageOf(names), undefined, 2)}\n`);
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  return [...files.keys()].sort();
}

/** Everything comes from this checkout, also Node.js: nothing has to be fetched. */
function packageOf({ kebab }: ScaffoldNames): object {
  const ours = ['packages/api', 'packages/client', 'packages/runtime', 'packages/sdk', 'apps/cli'];
  const node = dirname(createRequire(import.meta.url).resolve('node/package.json'));
  return {
    name: `${kebab}-provider`,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      test: 'node --test',
      validate: `chandlery provider validate ${kebab} -f validation.yaml`,
    },
    dependencies: {
      ...Object.fromEntries(ours.map(path => [`@chandlery/${path.split('/')[1]}`, `file:${join(repository, path)}`])),
      node: `file:${node}`,
    },
  };
}
