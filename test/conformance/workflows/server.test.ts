import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { casesOf, expectedOf, subjects } from './support/cases.ts';
import { runOnServer } from './support/run-on-server.ts';
import { snapshotOf } from './support/snapshot.ts';

/** Workflows that run at once on the one server. */
const concurrency = 24;

let landscape: TestLandscape;
before(async () => {
  landscape = await startTestLandscape();
  await mapImage('argosay', 'argoproj/argosay:v2');
});
after(() => landscape[Symbol.asyncDispose]());

async function mapImage(name: string, image: string): Promise<void> {
  const path = '/clusters/platform/apis/clusters.chandlery.io/v1alpha1/hostimages';
  const command = ['sh', join(import.meta.dirname, 'support/argosay.sh')];
  const body = {
    apiVersion: 'clusters.chandlery.io/v1alpha1',
    kind: 'HostImage',
    metadata: { name },
    spec: { image, command },
  };
  const { status, text } = await landscape.request(path, { body });
  assert.equal(status, 201, text);
}

describe('The server, with pods of its local node,', { concurrency }, () => {
  for (const subject of subjects) {
    const expected = expectedOf(subject);
    for (const given of casesOf(subject)) {
      it(`${given.rule} ${given.name}: ${given.why}`, async () => {
        assert.equal(snapshotOf(await runOnServer(landscape, given)), expected[given.name]?.trimEnd());
      });
    }
  }
});
