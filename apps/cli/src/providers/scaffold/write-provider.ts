import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChandleryError } from '@chandlery/api';
import { buildVersion } from '@chandlery/platform';
import { rename, type ScaffoldNames } from './scaffold-names.ts';

const template = fileURLToPath(new URL('../../../template/provider', import.meta.url));

/** npm leaves these names out of packages, so that the template has others. */
const finalNames: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Writes a new provider into an empty or missing folder. Returns the files, sorted. Throws `FolderNotEmpty`. */
export function writeProvider(folder: string, names: ScaffoldNames): readonly string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ChandleryError('FolderNotEmpty', `${folder} is not empty`, {
      hint: 'Name another provider, or another folder with --folder.',
    });
  }
  mkdirSync(folder, { recursive: true });
  const files = new Map(
    readdirSync(template).map(file => [
      finalNames[file] ?? file,
      rename(file, readFileSync(join(template, file), 'utf8'), names),
    ]),
  );
  files.set('package.json', `${JSON.stringify(packageOf(names), undefined, 2)}\n`);
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  return [...files.keys()].sort();
}

/** The command brings a suitable Node.js with it, which npm scripts find first. */
function packageOf({ kebab }: ScaffoldNames): object {
  const range = `^${buildVersion}`;
  return {
    name: `${kebab}-provider`,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      test: 'node --test',
      dev: 'chandlery provider dev',
      validate: `chandlery provider validate ${kebab} -f validation.yaml`,
    },
    dependencies: { '@chandlery/client': range, '@chandlery/runtime': range, '@chandlery/sdk': range },
    devDependencies: { chandlery: range },
  };
}

/** The packages of a clone that a provider needs, for npm to link: our own, and the Node.js that runs this. */
export function packagesOfClone(): readonly string[] {
  const clone = dirname(dirname(dirname(dirname(template))));
  const ours = ['packages/client', 'packages/runtime', 'packages/sdk', 'apps/cli'].map(path => join(clone, path));
  const node = dirname(dirname(process.execPath));
  return existsSync(join(node, 'package.json')) ? [...ours, node] : ours;
}
