import { build, type Metafile } from 'esbuild';
import type { BuildInfo } from './build-info.ts';
import { programs } from './programs.ts';
import { laterLibraries, placesOfRelease, protosAsValue } from './release-plugins.ts';

/** Modules in CommonJS ask for others by `require`, which ES modules do not have. */
const requireForAll = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);`;

/** The release runs on this Node.js and newer ones; the package brings one when the machine has none. */
const target = 'node24';

/** Joins all programs with everything that they import into a folder that can be moved. Returns what went into them. */
export async function bundlePrograms(root: string, folder: string, info: BuildInfo): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...programs },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target,
    banner: { js: requireForAll },
    external: ['pg-native'],
    define: { 'globalThis.chandleryBuild': JSON.stringify(info) },
    plugins: [protosAsValue(root), placesOfRelease(root), laterLibraries],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
