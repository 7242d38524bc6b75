import { dirname, join, sep } from 'node:path';
import type { Plugin } from 'esbuild';

/** The folders of our own packages, whose modules only declare: what the console does not use is left out. */
const ours = ['packages', 'domains'].map(name => join(import.meta.dirname, '../../..', name) + sep);

/** The one module of ours that does something when it is loaded: it lets JSON have large integers. */
const withEffects = /\/json\/big-integers\.ts$/;

/**
 * Lets a browser use the parts of our packages that need no Node.js: modules without use are dropped, and with them
 * their imports of `node:`.
 */
export const browserLibraries: Plugin = {
  name: 'browser-libraries',
  setup: build => {
    build.onResolve({ filter: /^(@chandlery\/|\.\.?\/)/ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === 'resolving') return null;
      const found = await build.resolve(path, { ...options, pluginData: 'resolving' });
      const isOurs = ours.some(folder => found.path.startsWith(folder));
      return isOurs && !withEffects.test(found.path) ? { ...found, sideEffects: false } : found;
    });
    build.onResolve({ filter: /^node:/ }, ({ path, importer }) => ({
      path: `${path} for ${dirname(importer)}`,
      namespace: 'needs-node',
      sideEffects: false,
    }));
    build.onLoad({ filter: /.*/, namespace: 'needs-node' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};
