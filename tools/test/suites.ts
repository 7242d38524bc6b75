// The only "test file" that node's runner sees in a worker. It loads the real ones, each inside a suite of its own: so
// every test is known by its file, wherever it was defined, and the hooks of one file do not reach the tests of others.
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { send } from './worker-send.ts';

for (const file of process.argv.slice(2)) {
  send({ type: 'started', file });
  // One after the other: a file that never finishes loading must be known by name.
  await new Promise<void>(loaded => {
    void describe(file, async () => {
      try {
        await import(pathToFileURL(resolve(file)).href);
      } finally {
        loaded();
      }
    });
  });
}
