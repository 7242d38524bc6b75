import { chmod, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTranscript, startTestLandscape, tempFolder } from '@chandlery/testing';

const root = join(import.meta.dirname, '../../..');

/** The command as people have it on their PATH. */
const wrapper = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/cli/bin/chandlery.mjs')}" "$@"\n`;

test('services are ordered and workflows executed from the command line', async () => {
  await using landscape = await startTestLandscape();
  await using folder = await tempFolder();
  await cp(join(import.meta.dirname, 'files'), folder.path, { recursive: true });
  await writeFile(folder.join('chandlery'), wrapper);
  await chmod(folder.join('chandlery'), 0o755);
  await runTranscript(join(import.meta.dirname, 'stories/orders.txt'), {
    cwd: folder.path,
    env: { CHANDLERY_DATA_DIR: landscape.dataDir, PATH: `${folder.path}:${process.env['PATH']}` },
  });
});
