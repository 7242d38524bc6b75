import { after, before, describe } from 'node:test';
import { describeDivision } from './sections/division.ts';
import { describeEnforcement } from './sections/enforcement.ts';
import { type MeshLandscape, startMeshLandscape } from './support/mesh-landscape.ts';

describe('Traffic', () => {
  let mesh: MeshLandscape;
  before(async () => {
    mesh = await startMeshLandscape();
  });
  after(() => mesh?.[Symbol.asyncDispose]());

  const current = (): MeshLandscape => mesh;
  describeDivision(current);
  describeEnforcement(current);
});
