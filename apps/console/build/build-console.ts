import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { browserLibraries } from './browser-libraries.ts';

const source = join(import.meta.dirname, '..');
/** Smaller files are not worth an encoding of their own. */
const minEncodedBytes = 1024;

/**
 * Builds the console into a folder, which it replaces: readers see a whole console or none. Returns what went into it,
 * with paths relative to `apps/console`. esbuild is there for running anyway (docs/decisions/console-libraries.md).
 */
export async function buildConsole(target: string): Promise<Metafile> {
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
