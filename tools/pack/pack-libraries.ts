import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { preProcessFile } from 'typescript';
import { type Library, libraries } from './libraries.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** Writes the libraries below `folder`, each in a folder of its own: ES modules with declarations. Returns the folders. */
export function writeLibraries(root: string, folder: string, version: string): readonly string[] {
  const emitted = join(folder, '.emitted');
  emit(root, emitted);
  const folders = libraries.map(library => writeLibrary(root, { library, emitted, folder, version }));
  rmSync(emitted, { recursive: true });
  return folders;
}

const exportsOf = (root: string, { folder, exports }: Library): readonly (readonly [string, string])[] =>
  Object.entries(readManifest(join(root, folder, 'package.json')).exports).filter(
    ([name]) => exports?.includes(name) ?? true,
  );

/** Compiles what the exports of all libraries reach, and nothing else: no tests, no other parts of a domain. */
function emit(root: string, outDir: string): void {
  mkdirSync(outDir, { recursive: true });
  const project = join(outDir, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'ESNext',
    lib: ['ESNext'],
    rootDir: root,
    outDir,
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  };
  const files = libraries.flatMap(library =>
    exportsOf(root, library).map(([, source]) => join(root, library.folder, source)),
  );
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], { stdio: 'inherit' });
}

interface LibraryParts {
  readonly library: Library;
  readonly emitted: string;
  readonly folder: string;
  readonly version: string;
}

function writeLibrary(root: string, { library, emitted, folder, version }: LibraryParts): string {
  const source = join(root, library.folder);
  const target = join(folder, basename(library.folder));
  rmSync(target, { recursive: true, force: true });
  cpSync(join(emitted, library.folder, 'src'), join(target, 'dist'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  if (existsSync(join(source, 'README.md'))) cpSync(join(source, 'README.md'), join(target, 'README.md'));
  const { name, description, license, dependencies = {} } = readManifest(join(source, 'package.json'));
  const exports = exportsOf(root, library).map(([path, file]) => [path, published(file)]);
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    exports: Object.fromEntries(exports) as object,
    dependencies: neededBy(target, dependencies, version),
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return target;
}

function published(source: string): object {
  const file = source.replace('./src/', './dist/').replace(/\.ts$/, '');
  return { types: `${file}.d.ts`, default: `${file}.js` };
}

/** The package of an import: `@chandlery/sdk/testing` is of `@chandlery/sdk`. */
const packageOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** What the compiled modules import. Throws for a library that the manifest does not have. */
function neededBy(
  target: string,
  declared: Readonly<Record<string, string>>,
  version: string,
): Readonly<Record<string, string>> {
  const names = new Set<string>();
  for (const file of globSync('dist/**/*.{js,d.ts}', { cwd: target })) {
    const { importedFiles } = preProcessFile(readFileSync(join(target, file), 'utf8'));
    const paths = importedFiles.map(({ fileName }) => fileName).filter(path => !/^(?:\.|node:)/.test(path));
    for (const path of paths) names.add(packageOf(path));
  }
  const rangeOf = (name: string): string => {
    if (name.startsWith('@chandlery/')) return version;
    const range = declared[name];
    if (range === undefined) throw new Error(`${target} imports ${name}, which its package.json does not name`);
    return range;
  };
  return Object.fromEntries([...names].sort().map(name => [name, rangeOf(name)]));
}
