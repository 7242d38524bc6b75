import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { hello, invalid } from './support/documents.ts';

let landscape: TestLandscape;
let folder: TempFolder;
before(async () => {
  folder = await tempFolder();
  landscape = await startTestLandscape();
});
after(async () => {
  await landscape[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const kubectl = (...args: readonly string[]) => landscape.cluster('platform').kubectl([...args]);

async function create(name: string, document: string) {
  const path = folder.join(`${name}.yaml`);
  await writeFile(path, document);
  return kubectl('create', '-f', path);
}

describe('kubectl on Workflows', () => {
  it("creates one, lists it with Argo's columns, and prints what its node printed", async () => {
    const created = await create('hello', hello);
    assert.match(created.stdout, /workflow.argoproj.io\/hello created/);
    await eventually(async () => /Succeeded/.test((await kubectl('get', 'wf', 'hello')).stdout), {
      what: 'hello succeeds',
    });
    assert.match((await kubectl('get', 'wf')).stdout, /^NAME\s+STATUS\s+AGE\s+MESSAGE\nhello\s+Succeeded\s+\S+/);
    assert.equal((await kubectl('logs', 'hello', '-c', 'main')).stdout, 'hello world\n');
    const selected = await kubectl('get', 'wf', '-l', 'workflows.argoproj.io/phase=Succeeded', '-o', 'name');
    assert.equal(selected.stdout.trim(), 'workflow.argoproj.io/hello');
  });

  it('is told what is wrong with a document', async () => {
    const { exitCode, stderr } = await create('invalid', invalid);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /invalid spec: .*template name 'nowhere' undefined/);
  });

  it('serves the log of a node whose pod is gone', async () => {
    await kubectl('delete', 'pod', 'hello', '--wait=true');
    const { status, text } = await landscape.request(
      '/clusters/platform/api/v1/namespaces/default/pods/hello/log?container=main',
    );
    assert.deepEqual({ status, text }, { status: 200, text: 'hello world\n' });
  });

  it('knows the short names of all kinds', async () => {
    for (const name of ['wf', 'wftmpl', 'cwf', 'cwft']) assert.equal((await kubectl('get', name)).exitCode, 0, name);
  });
});
