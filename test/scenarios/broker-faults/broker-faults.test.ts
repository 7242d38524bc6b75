import { after, before } from 'node:test';
import { type OsbStage, startOsbStage } from '../../conformance/osb/support/osb-stage.ts';
import { describeCascades } from './sections/cascades.ts';
import { describeCatalogChanges } from './sections/catalog-changes.ts';
import { describeIsolation } from './sections/isolation.ts';
import { describeOsbFaults } from './sections/osb-faults.ts';
import { describeRestCreations } from './sections/rest-creations.ts';
import { describeRestDeletions } from './sections/rest-deletions.ts';

let started: OsbStage | undefined;
before(async () => {
  started = await startOsbStage();
});
after(() => started?.[Symbol.asyncDispose]());

const stage = (): OsbStage => {
  if (started === undefined) throw new Error('the server has not started');
  return started;
};

describeRestCreations(stage);
describeRestDeletions(stage);
describeOsbFaults(stage);
describeCatalogChanges(stage);
describeCascades(stage);
describeIsolation(stage);
