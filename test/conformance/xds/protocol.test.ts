import { after, before, describe } from 'node:test';
import { describeAnswering } from './sections/answering.ts';
import { describeFetching } from './sections/fetching.ts';
import { describeIncremental } from './sections/incremental.ts';
import { describePushing } from './sections/pushing.ts';
import { describeReconnecting } from './sections/reconnecting.ts';
import { describeResources } from './sections/resources.ts';
import { describeSubscribing } from './sections/subscribing.ts';
import { type MeshLandscape, startMeshLandscape } from './support/mesh-landscape.ts';

describe('The discovery protocol', () => {
  let mesh: MeshLandscape;
  before(async () => {
    mesh = await startMeshLandscape();
  });
  after(() => mesh?.[Symbol.asyncDispose]());

  const current = (): MeshLandscape => mesh;
  describeAnswering(current);
  describeSubscribing(current);
  describePushing(current);
  describeIncremental(current);
  describeFetching(current);
  describeResources(current);
  // Last: it restarts the server.
  describeReconnecting(current);
});
