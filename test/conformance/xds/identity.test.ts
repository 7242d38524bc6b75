import { after, before, describe } from 'node:test';
import { describeAccess } from './sections/access.ts';
import { describeCertificates } from './sections/certificates.ts';
import { describeRotation } from './sections/rotation.ts';
import { createMeshCluster, type MeshLandscape, startMeshLandscape } from './support/mesh-landscape.ts';

// Concurrent: the rotation mostly waits, and must not affect the other tests.
describe('Identity', { concurrency: true }, () => {
  let mesh: MeshLandscape;
  before(async () => {
    mesh = await startMeshLandscape();
    await createMeshCluster(mesh.landscape, 'other-mesh');
  });
  after(() => mesh?.[Symbol.asyncDispose]());

  const current = (): MeshLandscape => mesh;
  describeAccess(current);
  describeCertificates(current);
  describeRotation(current);
});
