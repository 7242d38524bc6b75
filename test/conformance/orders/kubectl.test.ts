import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basicService, setStage } from './support/stage.ts';

describe('kubectl', () => {
  const stage = setStage();
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, code } = await stage.landscape.cluster('onboarding').kubectl([...args, '-n', 'acme']);
    assert.equal(code, 0, stderr);
    return stdout + stderr;
  };

  test('shows records by their short names, and Kubernetes keeps its own services and jobs', async () => {
    const { body } = await stage.expect(201, 'POST', '/1/services2', { body: basicService({ name: 'shown' }) });
    assert.match(await kubectl('get', 'osvc'), new RegExp(`${body.id.split(':').at(-1)}\\s+shown`));
    assert.match(await kubectl('get', 'services'), /No resources found/);
    assert.match(await kubectl('get', 'jobs', '-o', 'yaml'), /items: \[\]/);
    await kubectl('create', 'job', 'mine', '--image=alpine');
    assert.match(await kubectl('get', 'jobs', '-o', 'name'), /^job.batch\/mine$/m);
  });

  test('explains kinds', async () => {
    assert.match(await kubectl('explain', 'osvc.spec.controller'), /\$schema names the model/);
  });
});
