import { describe } from 'node:test';
import { limitOutcomes } from './endpoint-outcomes.ts';
import { givingUp, limits, narrowSettings } from './sections/limits.ts';
import { tenants } from './sections/tenants.ts';
import { everyOutcomeIsShown } from './support/outcomes.ts';
import { setStage } from './support/stage.ts';

/** What settings and rights refuse. */
describe('The service manager', () => {
  const stage = setStage(narrowSettings);
  limits(stage);
  givingUp(stage);
  tenants(stage);
  everyOutcomeIsShown(stage, limitOutcomes);
});
