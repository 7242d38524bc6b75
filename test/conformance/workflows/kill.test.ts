import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, startTestLandscape, tempFolder } from '@chandlery/testing';
import { parse } from 'yaml';
import { counting } from './support/documents.ts';

const path = '/clusters/platform/apis/argoproj.io/v1alpha1/namespaces/default/workflows';

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly nodes?: Readonly<Record<string, { id: string; type: string; phase: string; message?: string }>>;
  };
}

const workflowCount = 5;
const killCount = 2;

describe('Workflows on a server that is killed', () => {
  it('end as without the kills, and no node runs twice unless a retry asks for it', async () => {
    await using folder = await tempFolder();
    await using landscape = await startTestLandscape();
    const names = Array.from({ length: workflowCount }, (_, at) => `count-${at}`);
    for (const name of names)
      assert.equal(
        (await landscape.request(path, { body: parse(counting(name, folder.join(name))) as object })).status,
        201,
      );
    for (let kill = 0; kill < killCount; kill++) {
      await pause(400 + 500 * kill);
      await landscape.kill9();
      await landscape.restart();
    }
    const read = async (name: string): Promise<Seen> =>
      JSON.parse((await landscape.request(`${path}/${name}`)).text) as Seen;
    for (const name of names) {
      let last: Seen | undefined;
      await eventually(
        async () => {
          last = await read(name);
          return ['Succeeded', 'Failed', 'Error'].includes(last.status?.phase ?? '');
        },
        { what: `${name} ends`, timeoutMs: 90_000 },
      );
      assert.equal(last?.status?.phase, 'Succeeded', JSON.stringify(last?.status));
      const lines = (await readFile(folder.join(name), 'utf8')).trim().split('\n');
      assert.equal(new Set(lines).size, lines.length, `a node of ${name} ran twice: ${lines.join(' ')}`);
      const succeeded = Object.values(last?.status?.nodes ?? {}).filter(
        ({ type, phase }) => type === 'Pod' && phase === 'Succeeded',
      );
      assert.equal(succeeded.length, 6);
      for (const { id } of succeeded) assert.ok(lines.includes(id), `node ${id} of ${name} did not run`);
    }
  });
});
