// Joins each command with all that it imports into a few files. A command then starts in half the time: most of its
// start was finding and opening two thousand small modules. Runs before `npm start` and `npm test`; after a
// change of a source the sources run until then (packages/platform/bin/bundle.mjs decides).
import { randomUUID } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const place = join(root, '.cache/bundle');

/** Processes that still run may load parts of theirs later. */
const keptBundles = 5;

/** A module that looks around itself still does so where its source lies. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: build => {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta')) return null;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

/** Libraries that are loaded later come from where they are installed: those of the older form would lose their exports. */
const keepLaterLibraries: Plugin = {
  name: 'keep-later-libraries',
  setup: build => {
    build.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !path.startsWith('@chandlery/') ? { external: true } : null,
    );
  },
};

/** Modules of the older form ask for others by `require`, which files of the newer form do not have. */
const requireForAll = `import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(${JSON.stringify(pathToFileURL(join(root, 'package.json')).href)});`;

/** Joins the commands in a folder and returns what went into them: path, time of the last change, size. */
async function joinCommands(folder: string): Promise<(string | number)[][]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      chandlery: 'apps/cli/src/main.ts',
      'chandlery-proxy': 'apps/proxy/src/main.ts',
      'chandlery-agent': 'apps/agent/src/main.ts',
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    banner: { js: requireForAll },
    external: ['pg-native'],
    plugins: [keepPlaces, keepLaterLibraries],
    metafile: true,
    logLevel: 'warning',
  });
  // Every start looks at all of them: npm writes one file whenever it changes an installed package.
  const installed = 'node_modules/.package-lock.json';
  const paths = Object.keys(metafile.inputs).map(path => (path.startsWith('node_modules/') ? installed : path));
  return [...new Set(paths)].map(path => {
    const { mtimeMs, size } = statSync(join(root, path));
    return [path, mtimeMs, size];
  });
}

/** Deletes all but the newest. */
function forgetOld(): void {
  const folders = globSync('*/', { cwd: place }).map(name => join(place, name));
  const newestFirst = folders.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const folder of newestFirst.slice(keptBundles)) rmSync(folder, { recursive: true, force: true });
}

mkdirSync(place, { recursive: true });
const made = randomUUID();
const inputs = await joinCommands(join(place, made));
const note = join(place, `${made}.json`);
writeFileSync(note, JSON.stringify({ made, inputs }));
renameSync(note, join(place, 'current.json'));
forgetOld();
