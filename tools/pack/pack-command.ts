import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildConsole } from '../../apps/console/build/build-console.ts';
import type { BuildInfo } from './build-info.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { commands, demoFiles } from './programs.ts';
import { writeThirdPartyNotices } from './third-party.ts';

/** Starts a command of a release. Compiled code is kept where the user may write. */
const launcher = (name: string): string => `#!/usr/bin/env node
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { launch } from './launch.mjs';

const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
const findProgram = () => new URL('../dist/${name}.mjs', import.meta.url).href;
await launch('${name}', findProgram, join(caches, 'chandlery/compiled'));
`;

/** Writes the package `chandlery` (server with the built console, command line, proxy, agent) into a folder. */
export async function writeCommandPackage(root: string, folder: string, info: BuildInfo): Promise<void> {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const { inputs } = await bundlePrograms(root, join(folder, 'dist'), info);
  const { inputs: ofConsole } = await buildConsole(join(folder, 'console/dist'));
  const sources = [...Object.keys(inputs), ...Object.keys(ofConsole).map(path => join('apps/console', path))];
  writeThirdPartyNotices(root, sources, join(folder, 'THIRD_PARTY_NOTICES.txt'));
  cpSync(join(root, 'packages/platform/bin/launch.mjs'), join(folder, 'bin/launch.mjs'));
  for (const name of commands) {
    writeFileSync(join(folder, `bin/${name}.mjs`), launcher(name));
    chmodSync(join(folder, `bin/${name}.mjs`), 0o755);
  }
  cpSync(join(root, 'apps/cli/template'), join(folder, 'template'), { recursive: true });
  for (const file of demoFiles) cpSync(join(root, file), join(folder, 'template/demo', basename(file)));
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, file), join(folder, file));
  cpSync(join(root, 'docs/install.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(root, info), undefined, 2)}\n`);
}

function manifest(root: string, { version, commit }: BuildInfo): object {
  const own = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8')) as Record<string, unknown>;
  const { name, license, optionalDependencies } = own;
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { description: string };
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: Object.fromEntries(commands.map(command => [command, `bin/${command}.mjs`])),
    engines: { node: '>=20' },
    optionalDependencies,
    ...(commit === '' ? {} : { gitHead: commit }),
  };
}
