import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { loadEnvoyProtos } from '../../domains/mesh/src/resources/proto/load-envoy-protos.ts';
import { protosModule, releasePaths } from './programs.ts';

const relativePath = /'(\.\.?\/[^']+)'/g;

/**
 * Replaces relative paths of programs and files by those of a release, in modules that look for something beside
 * themselves. Throws for a path that a release does not have.
 */
export function movePaths(source: string, text: string): string {
  return text
    .split('\n')
    .map(line => {
      if (/^\s*(?:import|export)\b.* from /.test(line) || /^} from /.test(line)) return line;
      return line.replaceAll(relativePath, (_all, path: string) => {
        const target = releasePaths[join(dirname(source), path)];
        if (target === undefined) throw new Error(`${source} names ${path}, which a release does not have`);
        return JSON.stringify(target);
      });
    })
    .join('\n');
}

/** Modules that look for something beside themselves find it in the release. */
export const placesOfRelease = (root: string): Plugin => ({
  name: 'places-of-release',
  setup: build => {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const source = relative(root, path);
      if (!text.includes('import.meta') || source === protosModule) return null;
      return { contents: movePaths(source, text), loader: 'ts' };
    });
  },
});

/** Envoy's messages come from a value in the bundle, which is also read ten times faster than their files. */
export const protosAsValue = (root: string): Plugin => ({
  name: 'protos-as-value',
  setup: build => {
    build.onLoad({ filter: /load-envoy-protos\.ts$/ }, async ({ path }) => {
      if (relative(root, path) !== protosModule) return null;
      const json = JSON.stringify(JSON.stringify((await loadEnvoyProtos()).toJSON()));
      const contents = `import protobuf from 'protobufjs';
        let loading;
        export const loadEnvoyProtos = () =>
          (loading ??= Promise.resolve(protobuf.Root.fromJSON(JSON.parse(${json})).resolveAll()));`;
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
  },
});

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default';

/** Libraries that are imported on demand keep their named exports, also those in CommonJS. */
export const laterLibraries: Plugin = {
  name: 'later-libraries',
  setup: build => {
    build.onResolve({ filter: /^[^./]/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && !/^(?:@chandlery\/|node:)/.test(path)
        ? { path, namespace: 'later-library', pluginData: resolveDir }
        : null,
    );
    build.onLoad({ filter: /.*/, namespace: 'later-library' }, async ({ path, pluginData }) => {
      const names = Object.keys((await import(path)) as object).filter(isIdentifier);
      const contents = `import * as library from ${JSON.stringify(path)};
        export const { ${names.join(', ')} } = library;`;
      return { contents, loader: 'js', resolveDir: String(pluginData) };
    });
  },
};
