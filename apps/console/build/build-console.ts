// Builds the console into `apps/console/dist`: on the first visit of a clone's landscape, and for a release. esbuild is
// there for running anyway (docs/decisions/console-libraries.md).
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { browserLibraries } from './browser-libraries.ts';

const source = join(import.meta.dirname, '..');
const target = join(source, 'dist');
/** Smaller files are not worth an encoding of their own. */
const minEncodedBytes = 1024;

/** Builds into a folder beside the target, which it then replaces: readers see a whole console or none. */
async function buildConsole(): Promise<Metafile> {
  const draft = `${target}.${process.pid}`;
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: { main: 'src/main.tsx' },
    outdir: join(draft, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [browserLibraries],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const outputs = Object.keys(metafile.outputs).map(path => join(source, path));
  writeFileSync(join(draft, 'index.html'), startPage(metafile));
  writeFileSync(join(draft, 'icon.svg'), readFileSync(join(source, 'src/icon.svg')));
  for (const path of [...outputs, join(draft, 'index.html')]) writeEncoded(path);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  renameSync(draft, target);
  return metafile;
}

function startPage({ outputs }: Metafile): string {
  const entries = Object.entries(outputs);
  const [script = '', main] = entries.find(([, { entryPoint }]) => entryPoint === 'src/main.tsx') ?? [];
  const asset = (path: string): string => `/console/assets/${basename(path)}`;
  // Chunks that the entry imports are fetched at the same time as the entry.
  const eager = (main?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  return readFileSync(join(source, 'src/index.html'), 'utf8')
    .replace('<!-- style -->', `<link rel="stylesheet" href="${asset(main?.cssBundle ?? '')}">`)
    .replace('<!-- preload -->', eager.map(({ path }) => `<link rel="modulepreload" href="${asset(path)}">`).join(''))
    .replace('<!-- script -->', `<script type="module" src="${asset(script)}"></script>`);
}

function writeEncoded(path: string): void {
  const bytes = readFileSync(path);
  if (bytes.length < minEncodedBytes) return;
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
}

const { outputs } = await buildConsole();
for (const [path, { bytes }] of Object.entries(outputs)) console.log(`${basename(path)}  ${bytes}`);
